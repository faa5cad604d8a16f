import type { RootDatabase } from 'lmdb';

/** What lmdb gives for a write where `separateFlushed` is set. In a batch it gives no `flushed`: the batch has one. */
interface Write<T> extends Promise<T> {
  readonly flushed?: Promise<unknown>;
}

/**
 * The threads of one open file of lmdb that write. Each transaction has a thread of its own: after the commit it waits
 * for the disk, and then asks the environment whom to tell, while the thread of the next transaction is at work, and may
 * end before it. lmdb's own `close` waits for the newest thread alone and frees what an older one is about to lock,
 * which ended the process (lmdb 3.5.6: `pthread_mutex_lock: Assertion` or a segmentation fault), or hung a thread.
 */
export class WriteThreads {
  /** By the promise of their transaction's being on the disk. */
  readonly #working = new Map<Promise<unknown>, Promise<void>>();

  /** Notes the thread of a write, and gives the write. */
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

  /** Resolves when those that work now have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#working.values());
  }

  /** Closes their file as soon as they have ended. Nothing is to be written meanwhile. */
  async close(root: RootDatabase<Buffer, string>): Promise<void> {
    await this.ended();
    // lmdb's own wait would last for ever where its newest write was refused.
    Object.assign(root, { _endWrites: undefined });
    await root.close();
  }
}

/** lmdb never says that a write which it has refused is on the disk. */
const endOf = (write: Promise<unknown>, flushed: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      resolve();
    };
    flushed.then(end, end);
    write.catch(end);
  });
