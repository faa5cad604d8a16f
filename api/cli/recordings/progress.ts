/** Shows the progress of a long command on stderr: one changing line on a terminal, elsewhere a line at intervals. */
export class Progress {
  readonly #terminal = process.stderr.isTTY;
  readonly #period = this.#terminal ? 200 : 10_000;
  #last = performance.now();

  /** Shows `text()` if an update is due. */
  show(text: () => string): void {
    const now = performance.now();
    if (now - this.#last < this.#period) return;
    this.#last = now;
    process.stderr.write(this.#terminal ? `\r\x1b[K${text()}` : `${text()}\n`);
  }

  /** Removes the changing line. */
  end(): void {
    if (this.#terminal) process.stderr.write('\r\x1b[K');
  }
}

/** Aborts at Ctrl-C, at SIGTERM, and after `seconds` if set. Call `release` at the end. */
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
