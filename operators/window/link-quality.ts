import {
  UNKNOWN_QUALITY,
  type CsiLayout,
  type LinkFault,
  type LinkQuality,
} from '../../pipeline/model/index.js';
import { innovation } from './innovation.js';
import { BATCH, BLOCKS, linkSums, scratchOf, WIDTH } from './link-sums.js';

/** Frames between assessments; each halves the weight of older frames. */
const EPOCH = 64;
/** A carrier weaker than this share of the usual power is a guard or the middle: it carries no signal. */
const WEAK = 0.02;
/** Carriers of a block explained by the channel: see {@link LinkMeter}. */
const SIGNAL_RANK = 2;
/** Upper limit in 32-bit values that were rotated and scaled, decibels. */
const MAX_SNR = 60;
const MIN_SNR = -20;
/** Frames of pure white noise have about -8 dB, at most -6. */
const NOISE_SNR = -4;
/** Share of successive frames that repeat the previous one, or are zeros, from which a link is dead. */
const MAX_DEAD = 0.5;
/**
 * A value repeats that of the frame before up to this share of the frame's mean amplitude: what scaling and rotating
 * leave of 32-bit values. The least step of 16-bit values is larger, and so is the noise of any receiver.
 */
const SAME = 1e-5;
/** Mean change of level from frame to frame that exceeds any receiver's gain control, decibels. */
const MAX_JUMP = 6;

/** Counts of an epoch, and its assessment. */
export interface LinkMeterState {
  readonly frames: number;
  readonly alive: Uint8Array;
  readonly last: Float32Array;
  readonly covariance: Float64Array;
  readonly sums: Float64Array;
  readonly power: Float64Array;
  readonly quality: LinkQuality;
}

/** Indices in the sums of an epoch. */
const WEIGHT = 0;
const PAIRS = 1;
const REPEATED = 2;
const SILENT = 3;
const JUMPS = 4;
const SUMS = 5;

/**
 * Quality of one link, from its unprocessed frames.
 *
 * Noise: twelve neighbouring carriers span less than 4 MHz, over which a room's channel has few degrees of
 * freedom: paths whose delays differ by up to 100 ns are one or two. Regardless of movement, of the device's
 * own response, and of each packet's gain, phase and slope, frames of a block lie near a space of about three
 * dimensions. The part of a carrier that the eleven others do not predict (from the diagonal of the inverse
 * covariance) is noise. Differences of successive frames, the usual measure, would treat a walker's Doppler
 * as noise.
 */
export class LinkMeter {
  readonly #columns: number;
  readonly #subcarriers: number;
  #blocks: readonly Int32Array[];
  #alive: Uint8Array;
  #frames = 0;
  /** [1 + BATCH, columns, (re, im)]: the last frame of the sums, and those that wait to be added. */
  readonly #rows: Float32Array;
  #waiting = 0;
  /** Power of the last frame of the sums. */
  #before = 0;
  readonly #scratch: ReturnType<typeof scratchOf>;
  /** [block][row][column][re, im] of the frames at a mean power of 1; lower triangles. */
  readonly #covariance = new Float64Array(BLOCKS * WIDTH * WIDTH * 2);
  readonly #sums = new Float64Array(SUMS);
  /** Mean power of each carrier of a frame at a mean power of 1. */
  readonly #power: Float64Array;
  #quality: LinkQuality = UNKNOWN_QUALITY;

  constructor({ rx, tx, subcarriers }: Pick<CsiLayout, 'rx' | 'tx' | 'subcarriers'>) {
    this.#subcarriers = subcarriers.length;
    this.#columns = rx * tx * subcarriers.length;
    this.#alive = new Uint8Array(this.#columns).fill(1);
    this.#blocks = blocksOf(this.#alive, this.#subcarriers);
    this.#rows = new Float32Array((1 + BATCH) * 2 * this.#columns);
    this.#scratch = scratchOf(this.#columns);
    this.#power = new Float64Array(this.#columns);
  }

  get quality(): LinkQuality {
    return this.#quality;
  }

  /** Adds the next frame: [column, (re, im)] from `at`. */
  add(values: Float32Array, at: number): void {
    const size = 2 * this.#columns;
    this.#rows.set(values.subarray(at, at + size), ++this.#waiting * size);
    if (this.#waiting < BATCH && this.#frames + this.#waiting < EPOCH) return;
    this.#take();
    if (this.#frames >= EPOCH) this.#judge();
  }

  snapshot(): LinkMeterState {
    this.#take();
    return {
      frames: this.#frames,
      alive: this.#alive.slice(),
      last: this.#rows.slice(0, 2 * this.#columns),
      covariance: this.#covariance.slice(),
      sums: this.#sums.slice(),
      power: this.#power.slice(),
      quality: this.#quality,
    };
  }

  restore(state: LinkMeterState): void {
    this.#frames = state.frames;
    this.#alive = state.alive.slice();
    this.#blocks = blocksOf(this.#alive, this.#subcarriers);
    this.#rows.set(state.last);
    this.#waiting = 0;
    this.#before = state.last.reduce((power, value) => power + value * value, 0);
    this.#covariance.set(state.covariance);
    this.#sums.set(state.sums);
    this.#power.set(state.power);
    this.#quality = state.quality;
  }

  /** Adds the waiting frames to the sums. */
  #take(): void {
    const count = this.#waiting;
    if (count === 0) return;
    const columns = this.#columns;
    const size = 2 * columns;
    const { at, arrays } = this.#scratch;
    const { sumSquares, addPowers, addProducts } = linkSums.shared;
    arrays.frames.set(this.#rows.subarray(size, (1 + count) * size));
    sumSquares(at.frames, columns, at.powers);
    for (let frame = 0; frame < count; frame++)
      arrays.scales[frame] = this.#count(frame, arrays.powers[frame]!);

    arrays.power.set(this.#power);
    addPowers(at.frames, columns, count, at.scales, at.power);
    this.#power.set(arrays.power.subarray(0, columns));

    for (let frame = 0; frame < count; frame++) this.#pick(arrays, frame);
    arrays.covariance.set(this.#covariance);
    addProducts(at.carriers, BLOCKS, count, at.scales, at.covariance);
    this.#covariance.set(arrays.covariance);

    this.#rows.copyWithin(0, count * size, (1 + count) * size);
    this.#waiting = 0;
  }

  /** Counts a waiting frame, and returns what its power is multiplied by; 0 if it has none. */
  #count(frame: number, power: number): number {
    const sums = this.#sums;
    const before = this.#before;
    this.#before = power;
    if (this.#frames++ > 0 && this.#repeats(frame, power, before)) sums[REPEATED]!++;
    if (!(power > 0)) {
      sums[SILENT]!++;
      return 0;
    }
    sums[WEIGHT]!++;
    if (before > 0) {
      sums[PAIRS]!++;
      sums[JUMPS]! += Math.abs(10 * Math.log10(power / before));
    }
    return this.#columns / power;
  }

  /**
   * Whether a waiting frame equals the one before it up to a common factor: `normalize-gain` scales frames by their
   * RSSI, which may live while the values do not. Frames of one carrier always have such a factor: they must be equal.
   */
  #repeats(frame: number, power: number, before: number): boolean {
    const columns = this.#columns;
    const isScaled = columns > 1 && power > 0 && before > 0;
    const factor = isScaled ? Math.sqrt(power / before) : 1;
    const tolerance = isScaled ? SAME * Math.sqrt(power / columns) : 0;
    const size = 2 * columns;
    const start = frame * size;
    // Of a live link, one of the first values differs.
    for (let i = start; i < start + size; i++)
      if (!(Math.abs(this.#rows[i + size]! - factor * this.#rows[i]!) <= tolerance)) return false;
    return true;
  }

  /** Writes the blocks of a frame; those with fewer carriers end with zeros, which add nothing. */
  #pick(
    { frames, carriers }: { readonly frames: Float32Array; readonly carriers: Float64Array },
    frame: number,
  ): void {
    const start = frame * 2 * this.#columns;
    const first = frame * 2 * BLOCKS * WIDTH;
    carriers.fill(0, first, first + 2 * BLOCKS * WIDTH);
    for (let b = 0; b < this.#blocks.length; b++) {
      const block = this.#blocks[b]!;
      for (let i = 0, to = first + 2 * b * WIDTH; i < block.length; i++, to += 2) {
        carriers[to] = frames[start + block[i]!]!;
        carriers[to + 1] = frames[start + block[i]! + 1]!;
      }
    }
  }

  #judge(): void {
    const alive = this.#carriers();
    const isNew = alive.some((carrier, k) => carrier !== this.#alive[k]);
    // Different carriers have a different covariance: the sums of the old ones are useless.
    if (!isNew || this.#fault(NaN) !== null) this.#quality = this.#rate();
    this.#alive = alive;
    if (isNew) this.#blocks = blocksOf(alive, this.#subcarriers);
    const weight = isNew ? 0 : 0.5;
    for (const sum of [this.#covariance, this.#power, this.#sums])
      for (let i = 0; i < sum.length; i++) sum[i]! *= weight;
    this.#frames = 0;
  }

  /** Carriers with a signal. */
  #carriers(): Uint8Array {
    const sorted = this.#power.slice().sort();
    let silent = 0;
    while (silent < sorted.length && !(sorted[silent]! > 0)) silent++;
    const usual = sorted[(silent + sorted.length) >> 1] ?? 0;
    const alive = new Uint8Array(this.#columns);
    for (let k = 0; k < alive.length; k++) alive[k] = this.#power[k]! > WEAK * usual ? 1 : 0;
    return alive;
  }

  #rate(): LinkQuality {
    const snrDb = this.#snr();
    return { snrDb, fault: this.#fault(snrDb) };
  }

  /** For the median block; NaN if no block has enough carriers. */
  #snr(): number {
    const weight = this.#sums[WEIGHT]!;
    let signal = 0;
    for (let k = 0; k < this.#columns; k++) if (this.#alive[k]) signal += this.#power[k]! / weight;
    signal /= this.#alive.reduce((sum, one) => sum + one, 0);
    const noises = this.#blocks.flatMap((block, b) => {
      const noise = innovation(this.#covariance, b * WIDTH * WIDTH * 2, block.length, WIDTH, 1e-7 * weight);
      // The inverse of a covariance of few frames is too large by this factor.
      const freedom = Math.max(1, weight - block.length);
      return Number.isFinite(noise) ? [(noise / freedom) * (1 - SIGNAL_RANK / block.length)] : [];
    });
    if (noises.length === 0) return NaN;
    const noise = noises.sort((a, b) => a - b)[noises.length >> 1]!;
    const snr = 10 * Math.log10(Math.max(signal - noise, 1e-9) / noise);
    return Math.round(10 * Math.min(MAX_SNR, Math.max(MIN_SNR, snr))) / 10;
  }

  #fault(snrDb: number): LinkFault | null {
    const sums = this.#sums;
    const weight = sums[WEIGHT]!;
    const all = weight + sums[SILENT]!;
    if (sums[SILENT]! > MAX_DEAD * all) return 'silent';
    if (sums[REPEATED]! > MAX_DEAD * all) return 'frozen';
    if (snrDb < NOISE_SNR) return 'noise';
    if (sums[JUMPS]! > MAX_JUMP * sums[PAIRS]!) return 'unsteady';
    return null;
  }
}

/** Blocks of neighbouring carriers with a signal, spread evenly over antennas and band: offsets into a frame. */
function blocksOf(alive: Uint8Array, subcarriers: number): Int32Array[] {
  const runs: Int32Array[] = [];
  for (let antenna = 0; antenna < alive.length; antenna += subcarriers) {
    const here: number[] = [];
    for (let k = antenna; k < antenna + subcarriers; k++) if (alive[k]) here.push(2 * k);
    const count = Math.max(1, Math.floor(here.length / WIDTH));
    for (let run = 0; run < count; run++) {
      const from = Math.floor((run * here.length) / count);
      const block = here.slice(from, from + WIDTH);
      if (block.length > SIGNAL_RANK + 1) runs.push(Int32Array.from(block));
    }
  }
  const count = Math.min(BLOCKS, runs.length);
  return Array.from({ length: count }, (_, i) => runs[Math.floor(((i + 0.5) * runs.length) / count)]!);
}
