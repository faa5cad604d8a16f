import fc from 'fast-check';
import { sharedFile } from '../support/shared.js';
import { readFileSync } from 'node:fs';
import {
  allocateBlock,
  csiLayout,
  frameSize,
  sliceBlock,
  type CsiBlock,
  type CsiLayout,
} from '../../pipeline/model/index.js';
import type { Operator, Output } from '../../pipeline/component/index.js';
import type { Data, Window } from '../../pipeline/model/index.js';

/** References from numpy, scipy and pywavelets; undefined if ../shared is missing. */
export function golden(): Golden | undefined {
  const file = sharedFile('golden/dsp.json');
  return file === undefined ? undefined : (JSON.parse(readFileSync(file, 'utf8')) as Golden);
}

interface Complex<T> {
  readonly re: T;
  readonly im: T;
}

export interface Golden {
  readonly meta: { readonly k: number[] };
  /** [frame][subcarrier][antenna] */
  readonly csi_first8: Complex<number[][][]>;
  readonly unwrap_first8: number[][][];
  readonly calib_endpoint_first8: number[][][];
  readonly spotfi_slope_offset_first8: number[][];
  readonly spotfi_csi_first8: Complex<number[][][]>;
  readonly conjmult_a1a0_k10: Complex<number[]>;
  readonly ratio_a1a0_k10: Complex<number[]>;
  readonly ampnorm_first8_a0: number[][];
  readonly x_spiky: number[];
  readonly hampel_w5_n3_symmetric: number[];
  readonly hampel_w10_n3_SHARP_asym: number[];
  readonly savgol_11_3_interp: number[];
  readonly butter4_bp_sos: number[][];
  readonly butter4_bp_lfilter: number[];
  readonly butter4_bp_sosfilt: number[];
  readonly butter5_lp_10_filtfilt: { b: number[]; a: number[] };
  readonly wden_sym3_l4: Shrunk;
  readonly wden_db4_l4: Shrunk;
  readonly pca_amp_a0: { eig5: number[]; pc1: number[]; score1: number[]; score2: number[] };
  readonly stft_ratio_gauss16_64_48_128_abs2: { P: number[][] };
  readonly sharp_doppler_0: number[];
  readonly resample_linear: { t_in: number[]; x_in: number[]; t_out: number[]; y: number[] };
}

/** The first eight frames of the reference, [frame][rx, tx, subcarrier, (re, im)], and their layout: three antennas, 30 subcarriers. */
export function goldenFrames({ meta, csi_first8: csi }: Golden): {
  layout: CsiLayout;
  frames: readonly (readonly number[])[];
} {
  const frames = csi.re.map((re, frame) =>
    [0, 1, 2].flatMap((antenna) => re.flatMap((row, k) => [row[antenna]!, csi.im[frame]![k]![antenna]!])),
  );
  return { layout: layoutOf({ rx: 3, subcarriers: Int16Array.from(meta.k) }), frames };
}

interface Shrunk {
  readonly sigma: number;
  readonly thr: number;
  readonly cD1: number[];
  readonly y: number[];
}

export const layoutOf = (fields: Partial<CsiLayout> = {}): CsiLayout =>
  csiLayout({
    rx: 1,
    tx: 1,
    subcarriers: [-4, -3, -1, 1, 2, 5],
    bandwidthMhz: 20,
    centreMhz: 2437,
    training: 'lltf',
    ...fields,
  });

/** A block of these values; unless given, times rise by 10 ms from `start`. */
export function blockOf(
  layout: CsiLayout,
  frames: readonly { link?: number; time?: number; values: ArrayLike<number>; rssi?: number }[],
  start = 1_700_000_000_000_000,
): CsiBlock {
  const block = allocateBlock(layout, frames.length);
  frames.forEach((frame, i) => {
    block.time[i] = frame.time ?? start + i * 10_000;
    block.link[i] = frame.link ?? 0;
    block.sequence[i] = i;
    block.rssi[i] = frame.rssi ?? -50;
    block.values.set(frame.values, i * frameSize(layout));
  });
  return block;
}

/** Values as from hardware: mostly small integers, sometimes zeros, spikes or NaN. */
export const csiValue = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: -40, max: 40 }) },
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(1000, -3000, NaN, Infinity, 1e30) },
);

/** A block of up to 40 frames of two links. */
export const arbitraryBlock = (layout: CsiLayout = layoutOf()): fc.Arbitrary<CsiBlock> =>
  fc
    .array(
      fc.record({
        link: fc.integer({ min: 0, max: 1 }),
        values: fc.array(csiValue, { minLength: frameSize(layout), maxLength: frameSize(layout) }),
      }),
      { maxLength: 40 },
    )
    .map((frames) => blockOf(layout, frames));

/** The block cut into pieces of these sizes, repeatedly. */
export function pieces(block: CsiBlock, sizes: readonly number[]): CsiBlock[] {
  const result: CsiBlock[] = [];
  for (let start = 0, i = 0; start < block.count; i++) {
    const end = Math.min(block.count, start + Math.max(1, sizes[i % sizes.length] ?? 1));
    result.push(sliceBlock(block, start, end));
    start = end;
  }
  return result;
}

/** Outputs of a synchronous operator for each of the inputs. */
export const outputs = (operator: Operator, inputs: readonly Data[]): Data[] =>
  inputs.flatMap((data) => (operator.process(data, 'from') as Output<Data>).data);

/** All values of blocks, concatenated. */
export const valuesOf = (blocks: readonly Data[]): number[] =>
  (blocks as CsiBlock[]).flatMap((block) => Array.from(block.values));

/** Output of a window operator for blocks; after each, event time reaches its newest frame. */
export function windowsOf(operator: Operator, blocks: readonly CsiBlock[]): Window[] {
  let newest = 0;
  return blocks.flatMap((block) => {
    void operator.process(block, 'from');
    for (const time of block.time) newest = Math.max(newest, time);
    return (operator.watermark!(newest) as Output<Window>).data;
  });
}
