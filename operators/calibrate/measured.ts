import type { CsiLayout } from '../../pipeline/model/index.js';
import { MAX_MEASURED } from '../shared/max-measured.js';
import type { Values } from '../shared/frame-mapper.js';

/**
 * Amplitudes of a frame relative to their mean, which removes the receiver's gain; 0 for values without one.
 * @returns false if the frame has no amplitude at all
 */
export function normalisedAmplitudes(values: Values, offset: number, out: Float64Array): boolean {
  let [sum, count] = [0, 0];
  for (let column = 0; column < out.length; column++) {
    const re = values[offset + 2 * column]!;
    const im = values[offset + 2 * column + 1]!;
    const amplitude = Math.sqrt(re * re + im * im);
    out[column] = amplitude < MAX_MEASURED ? amplitude : 0;
    if (out[column]! > 0) count++;
    sum += out[column]!;
  }
  if (!(sum > 0)) return false;
  for (let column = 0; column < out.length; column++) out[column]! *= count / sum;
  return true;
}

/** Share of frames that must agree on an antenna's phase. */
const STEADY = 0.5;

/**
 * Phases of receive antennas against one of them. The offset and slope over the subcarriers that a receiver
 * adds to a packet are the same for all of its antennas, so they cancel in the difference without a fit.
 */
export class AntennaPhases {
  readonly #layout: CsiLayout;

  constructor(layout: CsiLayout) {
    this.#layout = layout;
  }

  /** Adds `weight` times the direction of the sum over subcarriers and streams of H_a conj(H_reference) for each antenna, from `to`. */
  add(values: Values, offset: number, reference: number, sums: Float64Array, to: number, weight = 1): void {
    const row = 2 * this.#layout.tx * this.#layout.subcarriers.length;
    for (let antenna = 0; antenna < this.#layout.rx; antenna++) {
      let re = 0;
      let im = 0;
      const [a, b] = [offset + antenna * row, offset + reference * row];
      for (let i = 0; i < row; i += 2) {
        const x = values[a + i]!;
        const y = values[a + i + 1]!;
        const u = values[b + i]!;
        const v = values[b + i + 1]!;
        re += x * u + y * v;
        im += y * u - x * v;
      }
      const length = Math.hypot(re, im);
      if (!(length > 0 && length < MAX_MEASURED * MAX_MEASURED)) continue;
      sums[to + 2 * antenna]! += (weight * re) / length;
      sums[to + 2 * antenna + 1]! += (weight * im) / length;
    }
  }

  /** The mean phase of each antenna, radians; null if less than half of the weight of `total` agrees. */
  of(sums: Float64Array, total: number): (number | null)[] {
    return Array.from({ length: this.#layout.rx }, (_, antenna) => {
      const re = sums[2 * antenna]!;
      const im = sums[2 * antenna + 1]!;
      return Math.hypot(re, im) > STEADY * total ? Math.atan2(im, re) : null;
    });
  }
}
