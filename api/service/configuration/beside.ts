import type { CheckedTopology, LoadResult } from '../../../pipeline/config/index.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import { FIELDS } from './fields.js';
import { heldTo, UnheldError } from './privacy.js';
import { problemAt, RefusedError } from './refusals.js';

/** Topologies, and their new versions. */
export type Held = readonly (readonly [RunningTopology, CheckedTopology])[];

/** Topologies before the configuration's values, or another one's privacy, were applied to them. */
export type Bases = WeakMap<CheckedTopology, CheckedTopology>;

/**
 * The topologies beside the main one. The main one's privacy applies to them too, because it is a promise of
 * the deployment.
 */
export class Beside {
  readonly #others: () => readonly RunningTopology[];
  readonly #bases: Bases;

  constructor(others: () => readonly RunningTopology[], bases: Bases) {
    this.#others = others;
    this.#bases = bases;
  }

  get others(): readonly RunningTopology[] {
    return this.#others();
  }

  /** A newly loaded version of one of them with the privacy of the main one; a problem if that is impossible. */
  loaded(promises: CheckedTopology, loaded: LoadResult): LoadResult {
    const { topology, problems } = loaded;
    if (!topology) return loaded;
    try {
      return { ...loaded, topology: this.heldTo(promises, topology) };
    } catch (error) {
      if (!(error instanceof UnheldError)) throw error;
      const message = `the configuration's privacy applies to it too, and ${error.message}`;
      return { problems: [...problems, problemAt(error.code, message, topology)] };
    }
  }

  /** @throws UnheldError if that is impossible */
  heldTo(promises: CheckedTopology, base: CheckedTopology): CheckedTopology {
    const topology = heldTo(promises, base);
    if (topology !== base) this.#bases.set(topology, base);
    return topology;
  }

  /**
   * The others with the privacy of a topology; adjusts none. @throws RefusedError with one for which that is
   * impossible
   */
  held(promises: CheckedTopology, others = this.others): Held {
    try {
      return others.map((other) => [other, this.heldTo(promises, this.#bases.get(other.next) ?? other.next)]);
    } catch (error) {
      if (!(error instanceof UnheldError)) throw error;
      const { message, code } = error;
      const name = promises.settings.privacy?.anonymizeData ? 'anonymize_data' : 'enable_encryption';
      const field = FIELDS.find((one) => one.name === `privacy.${name}`)!;
      throw new RefusedError([{ field, message, received: true }], code);
    }
  }

  /** One of the others runs with another privacy than at its next start. */
  anyWaits(): boolean {
    const settingsOf = ({ settings }: CheckedTopology) => JSON.stringify(settings.privacy ?? null);
    return this.others.some((one) => settingsOf(one.topology) !== settingsOf(one.next));
  }
}

export function adjustAll(held: Held): void {
  for (const [running, topology] of held) if (topology.hash !== running.next.hash) running.adjust(topology);
}
