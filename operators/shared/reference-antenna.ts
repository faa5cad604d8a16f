import { Type } from 'typebox';
import type { CsiLayout } from '../../pipeline/model/index.js';
import { amplitudeAt } from './amplitude.js';
import type { Refusal, Values } from './frame-mapper.js';

export const REFERENCE_ANTENNA = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 63,
    description: 'Receive antenna to which the others are compared, from 0. Default: the steadiest one.',
  }),
);

export const LEARN_FRAMES = Type.Integer({
  minimum: 2,
  maximum: 100_000,
  default: 100,
  description: "Number of a link's first frames from which amplitudes are learnt.",
});

/** Why a layout has no antenna to compare with a reference; null if it has. */
export function refuseAntennas({ rx }: CsiLayout, reference: number | undefined): Refusal | null {
  if (rx < 2)
    return {
      reason: 'one_antenna',
      problem: 'has one receive antenna: comparing antennas needs two or more',
    };
  return reference !== undefined && reference >= rx
    ? {
        reason: 'no_such_antenna',
        problem: `has ${rx} receive antennas, numbered from 0: there is no reference_antenna ${reference}`,
      }
    : null;
}

export interface ReferenceState {
  readonly frames: number;
  readonly counts: Uint32Array;
  readonly mean: Float64Array;
  readonly squares: Float64Array;
  readonly least: Float64Array;
  readonly antenna: number;
}

/**
 * Amplitudes of the first frames of a link, and the reference antenna for phases: the one with the largest
 * mean of mean(|H|) / var(|H|) over its subcarriers, strong and steady (csiread `csiWiDar3`, following Widar
 * 2.0). Silent antennas, and those stuck at one value, are avoided if there is another one.
 */
export class ReferenceAntenna {
  readonly #layout: CsiLayout;
  readonly #learn: number;
  readonly #fixed: boolean;
  #frames = 0;
  /** [rx, tx, subcarrier]: values so far, their mean and summed squared distances from it (Welford). */
  readonly #counts: Uint32Array;
  readonly #mean: Float64Array;
  readonly #squares: Float64Array;
  /** The smallest amplitude of each value. */
  readonly #least: Float64Array;
  #antenna: number;
  /** All antennas except the reference. */
  #others: readonly number[];

  /** @param antenna undefined: selected automatically @param learn number of frames to learn from */
  constructor(layout: CsiLayout, antenna: number | undefined, learn: number) {
    const columns = layout.rx * layout.tx * layout.subcarriers.length;
    this.#layout = layout;
    this.#learn = learn;
    this.#fixed = antenna !== undefined;
    this.#antenna = antenna ?? -1;
    this.#others = this.#withoutReference();
    this.#counts = new Uint32Array(columns);
    this.#mean = new Float64Array(columns);
    this.#squares = new Float64Array(columns);
    this.#least = new Float64Array(columns).fill(Infinity);
  }

  /** -1 until it is known. */
  get antenna(): number {
    return this.#antenna;
  }

  get others(): readonly number[] {
    return this.#others;
  }

  /** True once {@link least} has enough frames. */
  get learnt(): boolean {
    return this.#frames >= this.#learn;
  }

  /** The smallest amplitude of a column over the learning frames; 0 if there was none. */
  least(column: number): number {
    const least = this.#least[column]!;
    return least < Infinity ? least : 0;
  }

  /** Adds the next frame; ignored after the learning frames. */
  see(values: Values, offset: number): void {
    if (this.#frames >= this.#learn) return;
    this.#frames++;
    for (let column = 0; column < this.#mean.length; column++) {
      const amplitude = amplitudeAt(values, offset + 2 * column);
      if (!(amplitude < Infinity)) continue;
      const count = ++this.#counts[column]!;
      const distance = amplitude - this.#mean[column]!;
      this.#mean[column]! += distance / count;
      this.#squares[column]! += distance * (amplitude - this.#mean[column]!);
      this.#least[column] = Math.min(this.#least[column]!, amplitude);
    }
    if (this.#frames === this.#learn && !this.#fixed) {
      this.#antenna = this.#steadiest();
      this.#others = this.#withoutReference();
    }
  }

  snapshot(): ReferenceState {
    return {
      frames: this.#frames,
      counts: this.#counts.slice(),
      mean: this.#mean.slice(),
      squares: this.#squares.slice(),
      least: this.#least.slice(),
      antenna: this.#antenna,
    };
  }

  restore(state: ReferenceState): void {
    this.#frames = state.frames;
    this.#counts.set(state.counts);
    this.#mean.set(state.mean);
    this.#squares.set(state.squares);
    this.#least.set(state.least);
    this.#antenna = state.antenna;
    this.#others = this.#withoutReference();
  }

  #withoutReference(): readonly number[] {
    const all = Array.from({ length: this.#layout.rx }, (_, antenna) => antenna);
    return all.filter((antenna) => antenna !== this.#antenna);
  }

  #steadiest(): number {
    const each = this.#mean.length / this.#layout.rx;
    let best = 0;
    let most = 0;
    for (let antenna = 0; antenna < this.#layout.rx; antenna++) {
      let sum = 0;
      for (let column = antenna * each; column < (antenna + 1) * each; column++) {
        const variance = this.#squares[column]! / this.#counts[column]!;
        if (variance > 0) sum += this.#mean[column]! / variance;
      }
      if (sum > most) [best, most] = [antenna, sum];
    }
    return best;
  }
}
