import type { RootDatabase } from 'lmdb';

/**
 * The result of a write in lmdb if `separateFlushed` is set. In a batch it has no `flushed`: the batch has
 * one.
 */
interface Write<T> extends Promise<T> {
  readonly flushed?: Promise<unknown>;
}

/**
 * The threads of one open file of lmdb that write. Each transaction has its own thread: after the commit it
 * waits for the disk and then reads from the environment whom to notify, while the next transaction's thread
 * is working, which may end first. lmdb's own `close` waits only for the newest thread and frees what an
 * older one is about to lock, which ended the process (lmdb 3.5.6: `pthread_mutex_lock: Assertion` or a
 * segmentation fault), or hung a thread.
 */
export class WriteThreads {
  /** By the promise that their transaction is on disk. */
  readonly #working = new Map<Promise<unknown>, Promise<void>>();

  /** Notes the thread of a write, and returns the write. */
  of<T>(write: Promise<T>): Promise<T> {
    const { flushed } = write as Write<T>;
    if (flushed && !this.#working.has(flushed)) {
      const ended = endOf(write, flushed).then(() => {
        this.#working.delete(flushed);
      });
      this.#working.set(flushed, ended);
    }
    return write;
  }

  /** Resolves when the threads working now have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#working.values());
  }

  /** Closes their file as soon as they have ended. Nothing may be written meanwhile. */
  async close(root: RootDatabase<Buffer, string>): Promise<void> {
    await this.ended();
    // lmdb's own wait would never end if its newest write was rejected.
    Object.assign(root, { _endWrites: undefined });
    await root.close();
  }
}

/** lmdb never reports that a rejected write is on disk. */
const endOf = (write: Promise<unknown>, flushed: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      resolve();
    };
    flushed.then(end, end);
    write.catch(end);
  });
