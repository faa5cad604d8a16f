/** Says on stderr how far a long command is: one line that changes on a terminal, elsewhere a line now and then. */
export class Progress {
  readonly #terminal = process.stderr.isTTY;
  readonly #period = this.#terminal ? 200 : 10_000;
  #last = performance.now();

  /** Shows `text()` where it is time to. */
  show(text: () => string): void {
    const now = performance.now();
    if (now - this.#last < this.#period) return;
    this.#last = now;
    process.stderr.write(this.#terminal ? `\r\x1b[K${text()}` : `${text()}\n`);
  }

  /** Takes the changing line away. */
  end(): void {
    if (this.#terminal) process.stderr.write('\r\x1b[K');
  }
}

/** Aborts at Ctrl-C, at SIGTERM, and after `seconds` where given. Call `release` at the end. */
export function untilStopped(seconds?: number): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const stop = () => {
    controller.abort();
  };
  const timer = seconds === undefined ? undefined : setTimeout(stop, seconds * 1000);
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
