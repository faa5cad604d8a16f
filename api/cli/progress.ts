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
