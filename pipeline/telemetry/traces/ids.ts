import { createHash } from 'node:crypto';

/**
 * Ids and sampling are computed from the input, not drawn: a recording that is read again, or resumed after a
 * crash, is sampled the same way and produces the same ids.
 */

/** Id of a frame: from its source, link and event time (microseconds). */
export const traceId = (topology: string, source: string, link: string, time: number): string =>
  digest([topology, source, link, time], 16);

/** Id of what a node does with a record whose span is `parent`; null for the first span of a trace. */
export const spanId = (trace: string, parent: string | null, name: string): string =>
  digest([trace, parent, name], 8);

const digest = (parts: readonly (string | number | null)[], bytes: number): string =>
  createHash('sha256')
    .update(JSON.stringify(parts))
    .digest('hex')
    .slice(0, 2 * bytes);

/** Samples frames by event time. `name` makes two sources sample different moments. */
export class Sampler {
  readonly #threshold: number;
  readonly #seed: number;

  /** @param ratio share of frames to sample, 0 to 1 */
  constructor(ratio: number, name: string) {
    this.#threshold = ratio * 2 ** 32;
    this.#seed = createHash('sha256').update(name).digest().readUInt32LE(0);
  }

  /** @param time event time, microseconds */
  chooses(time: number): boolean {
    return mix(mix(this.#seed ^ (time / 2 ** 32)) ^ (time % 2 ** 32)) < this.#threshold;
  }

  /** Index of the first sampled frame of a block; -1 for none. */
  first(times: Float64Array, count: number): number {
    for (let index = 0; index < count; index++) if (this.chooses(times[index]!)) return index;
    return -1;
  }
}

/** The finalizer of MurmurHash3: each bit of the input changes half of the output's. 32 bits, unsigned. */
function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
