import { Scratch } from '../shared/simd/scratch.js';
import { SimdModule } from '../shared/simd/simd-module.js';
import { CODE } from './link-sums.wasm.js';

/** Number of neighbouring carriers in a block (as in assembly/link-sums.ts), and the largest number of blocks. */
export const WIDTH = 12;
export const BLOCKS = 3;
/** Frames that are added at once (as in assembly/link-sums.ts). */
export const BATCH = 8;

/** As in assembly/link-sums.ts; pointers in bytes. */
interface Kernel {
  readonly sumSquares: (frames: number, columns: number, powers: number) => void;
  readonly addPowers: (frames: number, columns: number, count: number, scales: number, power: number) => void;
  readonly addProducts: (
    carriers: number,
    blocks: number,
    count: number,
    scales: number,
    covariance: number,
  ) => void;
}

/** Sums of the frames of a link. */
export const linkSums = new SimdModule<Kernel>(CODE);

/** The inputs and outputs of {@link linkSums}. */
export function scratchOf(columns: number) {
  return new Scratch<{
    readonly frames: Float32Array;
    readonly carriers: Float64Array;
    readonly powers: Float64Array;
    readonly scales: Float64Array;
    readonly power: Float64Array;
    readonly covariance: Float64Array;
  }>(linkSums.shared.memory, {
    frames: [Float32Array, BATCH * 2 * columns + 2],
    carriers: [Float64Array, BATCH * BLOCKS * WIDTH * 2],
    powers: [Float64Array, BATCH],
    scales: [Float64Array, BATCH],
    power: [Float64Array, columns + 1],
    covariance: [Float64Array, BLOCKS * WIDTH * WIDTH * 2],
  });
}
