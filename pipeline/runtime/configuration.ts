import type { CheckedTopology } from '../config/topology/topology.js';
import { LinkTable } from '../model/index.js';
import type { Run } from './shard/run.js';
import { adjustablePart } from './take-over.js';
import { codedError } from '../base/error-text.js';

/** The configuration that a topology runs with, and the one for its next start. */
export class Configuration {
  #current: CheckedTopology;
  #links: LinkTable;
  /** Applied at the next start. */
  #waiting: CheckedTopology | null = null;

  constructor(topology: CheckedTopology) {
    this.#current = topology;
    this.#links = new LinkTable(topology.environments);
  }

  get current(): CheckedTopology {
    return this.#current;
  }

  get waiting(): CheckedTopology | null {
    return this.#waiting;
  }

  get links(): LinkTable {
    return this.#links;
  }

  /** Replaces the configuration of a topology that is down. */
  become(topology: CheckedTopology): void {
    this.#waiting = null;
    this.#current = topology;
    this.#links = new LinkTable(topology.environments);
  }

  /** What cannot be taken over while running waits for the next start. */
  wait(next: CheckedTopology | null): void {
    this.#waiting = next;
  }

  /** Applies the adjustable fields of what waits to running nodes. Nodes that are starting get them once they run. */
  takeOver(run: Run | undefined): void {
    if (!this.#waiting || !run) return;
    const adjusted = adjustablePart(this.#current, this.#waiting);
    if (adjusted === this.#current) return;
    const whole = adjusted.hash === this.#waiting.hash;
    this.#current = whole ? this.#waiting : adjusted;
    run.adjust(this.#current);
    if (whole) this.#waiting = null;
  }

  /** @throws Error with code `plan.foreign` if it is the file of another topology */
  requireSame({ id }: CheckedTopology): void {
    if (id === this.#current.id) return;
    throw codedError('plan.foreign', `the new file is of the topology ${id}, not of ${this.#current.id}`);
  }
}
