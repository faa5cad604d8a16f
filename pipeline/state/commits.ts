import type { StateStore } from './store.js';

/** Writes wait this long for others: each commit wakes several threads and the disk. */
const GROUP_MS = 50;
/** Waiting writes of this size are committed at once. */
const GROUP_BYTES = 2 ** 20;

/**
 * Writes that are committed in the background, several together; callers can wait for those made so far. A kill
 * loses what was added in the last {@link GROUP_MS}.
 */
export class Commits {
  readonly #what: string;
  readonly #fail: (error: Error) => void;
  #held: (() => Promise<boolean>)[] = [];
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #started = 0;
  /** All started writes up to it are committed. */
  #durable = 0;
  /** Committed ones behind a gap. */
  readonly #early = new Set<number>();
  #waiting: { readonly write: number; readonly resolve: () => void }[] = [];

  /**
   * @param store writes that wait start before it is copied or closed
   * @param what name of the written data, for errors
   * @param fail called if the disk rejects a write: later writes could not be recovered
   */
  constructor(store: StateStore, what: string, fail: (error: Error) => void) {
    this.#what = what;
    this.#fail = fail;
    store.beforeEnd(() => {
      this.#start();
    });
  }

  /** @param write called soon, in the order of the calls, together with others */
  add(write: () => Promise<boolean>, bytes: number): void {
    this.#held.push(write);
    this.#heldBytes += bytes;
    if (this.#heldBytes >= GROUP_BYTES) this.#start();
    else
      this.#timer ??= setTimeout(() => {
        this.#start();
      }, GROUP_MS);
  }

  /** In one turn of the event loop, so lmdb commits them together. */
  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    for (const write of held) this.#track(write());
  }

  /** Resolves when all writes so far are committed; starts those that wait. */
  durable(): Promise<void> | undefined {
    this.#start();
    const write = this.#started;
    if (this.#durable >= write) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push({ write, resolve });
    });
  }

  #track(write: Promise<boolean>): void {
    const number = ++this.#started;
    write.then(
      () => {
        this.#committed(number);
      },
      (error: unknown) => {
        this.#fail(new Error(`${this.#what} cannot be written: is the disk full?`, { cause: error }));
      },
    );
  }

  /** Within a commit they resolve in no particular order. */
  #committed(number: number): void {
    this.#early.add(number);
    while (this.#early.delete(this.#durable + 1)) this.#durable++;
    if (this.#waiting.length > 0) this.#wake();
  }

  #wake(): void {
    const ready = this.#waiting.filter(({ write }) => write <= this.#durable);
    this.#waiting = this.#waiting.filter(({ write }) => write > this.#durable);
    for (const { resolve } of ready) resolve();
  }
}
