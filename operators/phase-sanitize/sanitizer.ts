import { frameSize, type CsiLayout } from '../../pipeline/model/index.js';
import { endpointLine, leastSquaresLine, unwrap, type Line } from './phase.js';

export type Method = 'linear' | 'spotfi';

/**
 * Removes offset and slope of the phase from frames of one layout. Reuses buffers, but carries nothing from
 * one frame to the next.
 */
export class PhaseSanitizer {
  readonly #layout: CsiLayout;
  readonly #method: Method;
  /** Phase and subcarrier index of the values with a phase, antenna by antenna. */
  readonly #phase: Float64Array;
  readonly #index: Float64Array;

  constructor(layout: CsiLayout, method: Method) {
    this.#layout = layout;
    this.#method = method;
    this.#phase = new Float64Array(frameSize(layout) / 2);
    this.#index = new Float64Array(frameSize(layout) / 2);
  }

  /** One frame [rx, tx, subcarrier, (re, im)] from `input` to `output`, both from `offset`. */
  apply(input: Float32Array, output: Float32Array, offset: number): void {
    const { rx, tx, subcarriers } = this.#layout;
    const row = 2 * subcarriers.length;
    if (this.#method === 'linear') {
      for (let at = offset; at < offset + rx * tx * row; at += row) {
        const count = this.#collect(input, at, 0);
        const line = count > 1 ? endpointLine(this.#phase, this.#index, 0, count) : FLAT;
        this.#rotate(input, output, at, line);
      }
      return;
    }
    for (let stream = 0; stream < tx; stream++) {
      const first = offset + stream * row;
      const line = this.#commonLine(input, first, tx * row);
      for (let antenna = 0; antenna < rx; antenna++)
        this.#rotate(input, output, first + antenna * tx * row, line);
    }
  }

  /** One line for all receive antennas, each brought within half a turn of the first one: SpotFi, algorithm 1. */
  #commonLine(input: Float32Array, first: number, stride: number): Line {
    const phase = this.#phase;
    let count = 0;
    for (let antenna = 0; antenna < this.#layout.rx; antenna++) {
      const added = this.#collect(input, first + antenna * stride, count);
      if (added > 0 && count > 0) {
        const ahead = phase[count]! - phase[0]!;
        const turn = ahead > Math.PI ? -2 * Math.PI : ahead < -Math.PI ? 2 * Math.PI : 0;
        if (turn !== 0) for (let i = count; i < count + added; i++) phase[i]! += turn;
      }
      count += added;
    }
    return count > 1 ? leastSquaresLine(phase, this.#index, 0, count) : FLAT;
  }

  /**
   * Writes the unwrapped phases of one antenna pair to the buffers from `start`, without values that have no
   * phase (0, NaN). Returns their number.
   */
  #collect(input: Float32Array, at: number, start: number): number {
    const { subcarriers } = this.#layout;
    const phase = this.#phase;
    const index = this.#index;
    let end = start;
    for (let k = 0; k < subcarriers.length; k++) {
      const re = input[at + 2 * k]!;
      const im = input[at + 2 * k + 1]!;
      if (!(Math.abs(re) + Math.abs(im) > 0)) continue;
      phase[end] = Math.atan2(im, re);
      index[end++] = subcarriers[k]!;
    }
    if (end > start) unwrap(phase, start, end - start);
    return end - start;
  }

  /**
   * Multiplies by exp(-j (slope k + offset)); the factor is rotated from subcarrier to subcarrier, one
   * multiplication each.
   */
  #rotate(input: Float32Array, output: Float32Array, at: number, { slope, offset }: Line): void {
    const { subcarriers } = this.#layout;
    const stepRe = Math.cos(slope);
    const stepIm = -Math.sin(slope);
    let k = subcarriers[0]!;
    let re = Math.cos(slope * k + offset);
    let im = -Math.sin(slope * k + offset);
    for (let i = 0; i < subcarriers.length; i++) {
      for (const index = subcarriers[i]!; k < index; k++) {
        const turned = re * stepRe - im * stepIm;
        im = re * stepIm + im * stepRe;
        re = turned;
      }
      const x = input[at + 2 * i]!;
      const y = input[at + 2 * i + 1]!;
      output[at + 2 * i] = x * re - y * im;
      output[at + 2 * i + 1] = x * im + y * re;
    }
  }
}

/** The correction of a frame without a measurable slope: none. */
const FLAT: Line = { slope: 0, offset: 0 };
