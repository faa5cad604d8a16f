import { frameSize, subcarrierSpacing, type CsiLayout } from '../../pipeline/model/index.js';
import type { FrameFilter } from '../shared/frame-filter.js';
import { DelayFit, type Paths } from './delays.js';
import { leastSquaresLine, unwrap } from './phase.js';

/** Phase step between neighbours of two packets that indicates a turn missed by unwrapping. */
const WRONG_TURN = 0.9 * Math.PI;

export interface SharpState {
  /** [rx, tx, subcarrier]: phases of the previous packet; NaN before the first one. */
  readonly previous: Float64Array;
}

/**
 * SHARP's phase sanitisation: the channel as a sum of few paths with delays, all rotated by the conjugate of
 * the strongest one, which removes every offset; then the least-squares line against the previous packet is
 * removed (Meneghello et al., SHARP, IEEE TMC 2022). Amplitudes do not change.
 */
export class SharpSanitizer implements FrameFilter<SharpState> {
  readonly #layout: CsiLayout;
  readonly #fit: DelayFit;
  readonly #index: Float64Array;
  readonly #phase: Float64Array;
  readonly #error: Float64Array;
  readonly #previous: Float64Array;

  constructor(layout: CsiLayout) {
    const { subcarriers } = layout;
    this.#layout = layout;
    this.#fit = new DelayFit(subcarriers, subcarrierSpacing(layout.training));
    this.#index = Float64Array.from(subcarriers);
    this.#phase = new Float64Array(subcarriers.length);
    this.#error = new Float64Array(subcarriers.length);
    this.#previous = new Float64Array(frameSize(layout) / 2).fill(NaN);
  }

  apply(input: Float32Array, output: Float32Array, offset: number): number {
    const { rx, tx, subcarriers } = this.#layout;
    const count = subcarriers.length;
    for (let pair = 0; pair < rx * tx; pair++) {
      const at = offset + 2 * pair * count;
      const paths = this.#fit.of(input, at);
      const previous = this.#previous.subarray(pair * count, (pair + 1) * count);
      if (paths) this.#follow(paths, previous);
      for (let k = 0, i = at; k < count; k++, i += 2) {
        const amplitude = Math.sqrt(input[i]! ** 2 + input[i + 1]! ** 2);
        output[i] = paths ? amplitude * Math.cos(this.#phase[k]!) : input[i]!;
        output[i + 1] = paths ? amplitude * Math.sin(this.#phase[k]!) : input[i + 1]!;
      }
    }
    return 0;
  }

  snapshot(): SharpState {
    return { previous: this.#previous.slice() };
  }

  restore({ previous }: SharpState): void {
    this.#previous.set(previous);
  }

  /** The phase of the paths relative to the strongest one, aligned with the previous packet, which it replaces. */
  #follow(paths: Paths, previous: Float64Array): void {
    const phase = this.#phase;
    const count = phase.length;
    for (let k = 0; k < count; k++) phase[k] = this.#fit.relativePhase(paths, k);
    unwrap(phase, 0, count);
    if (previous[0] === previous[0]) {
      this.#repairTurns(previous);
      for (let k = 0; k < count; k++) this.#error[k] = phase[k]! - previous[k]!;
      const { slope, offset } = leastSquaresLine(this.#error, this.#index, 0, count);
      for (let k = 0; k < count; k++) phase[k]! -= slope * this.#index[k]! + offset;
    }
    previous.set(phase);
  }

  /**
   * If the difference to the previous packet steps by nearly a turn between two subcarriers, the rest is
   * turned back.
   */
  #repairTurns(previous: Float64Array): void {
    const phase = this.#phase;
    let turns = 0;
    let before = phase[0]! - previous[0]!;
    for (let k = 1; k < phase.length; k++) {
      const error = phase[k]! - previous[k]!;
      if (error - before > WRONG_TURN) turns--;
      else if (error - before < -WRONG_TURN) turns++;
      before = error;
      phase[k]! += 2 * Math.PI * turns;
    }
  }
}
