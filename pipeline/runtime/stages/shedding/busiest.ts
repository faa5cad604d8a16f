import type { NodeRun } from '../../nodes/host.js';

/** Finds the node that has used most processor time since the last call. */
export class Busiest {
  readonly #runs: ReadonlyMap<string, NodeRun>;
  #seconds: ReadonlyMap<string, number> = new Map();

  constructor(runs: ReadonlyMap<string, NodeRun>) {
    this.#runs = runs;
  }

  /** Its id. */
  get node(): string {
    const before = this.#seconds;
    this.#seconds = new Map([...this.#runs].map(([id, { meter }]) => [id, meter.operatorSeconds]));
    const grown = [...this.#seconds].map(([id, seconds]) => ({ id, by: seconds - (before.get(id) ?? 0) }));
    return grown.reduce((most, one) => (one.by > most.by ? one : most), { id: '', by: -Infinity }).id;
  }
}
