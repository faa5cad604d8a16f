/**
 * Blocks the pump while a node behind it is full. Nodes shut and open it by name; it is open if no node holds
 * it shut.
 */
export class Gate {
  readonly #elapsed: () => number;
  readonly #closed = new Map<string, number>();
  readonly #report: (node: string, seconds: number) => void;
  #wake: (() => void) | undefined;

  /** @param report called with the seconds for which a node held it shut, once it opens */
  constructor(elapsed: () => number, report: (node: string, seconds: number) => void) {
    this.#elapsed = elapsed;
    this.#report = report;
  }

  get open(): boolean {
    return this.#closed.size === 0;
  }

  /** Nodes that hold it shut. */
  get closedBy(): readonly string[] {
    return [...this.#closed.keys()];
  }

  /** Seconds for which a node has been holding it shut. */
  shutFor(node: string): number {
    const since = this.#closed.get(node);
    return since === undefined ? 0 : (this.#elapsed() - since) / 1000;
  }

  shut(node: string): void {
    if (!this.#closed.has(node)) this.#closed.set(node, this.#elapsed());
  }

  release(node: string): void {
    const since = this.#closed.get(node);
    if (since === undefined) return;
    this.#closed.delete(node);
    this.#report(node, (this.#elapsed() - since) / 1000);
    if (this.open) this.#wake?.();
  }

  /** Called when it opens. */
  onOpen(wake: () => void): void {
    this.#wake = wake;
  }
}
