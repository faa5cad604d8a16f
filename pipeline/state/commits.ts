/** Tracks writes that are committed in the background, so that callers can wait for those made so far. */
export class Commits {
  readonly #what: string;
  readonly #fail: (error: Error) => void;
  #written = 0;
  /** All writes up to it are committed. */
  #durable = 0;
  /** Committed ones behind a gap. */
  readonly #early = new Set<number>();
  #waiting: { readonly write: number; readonly resolve: () => void }[] = [];

  /**
   * @param what name of the written data, for errors
   * @param fail called if the disk rejects a write: later writes could not be recovered
   */
  constructor(what: string, fail: (error: Error) => void) {
    this.#what = what;
    this.#fail = fail;
  }

  /** Number of the newest write. */
  get written(): number {
    return this.#written;
  }

  track(write: Promise<boolean>): void {
    const number = ++this.#written;
    write.then(
      () => {
        this.#committed(number);
      },
      (error: unknown) => {
        this.#fail(new Error(`${this.#what} cannot be written: is the disk full?`, { cause: error }));
      },
    );
  }

  /** Resolves when all writes up to `write` are committed. */
  durable(write: number): Promise<void> | undefined {
    if (this.#durable >= write) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push({ write, resolve });
    });
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
