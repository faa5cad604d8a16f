import { frameSize, type CsiLayout } from '../../pipeline/model/index.js';
import type { Values } from '../shared/frame-mapper.js';
import type { LinkCalibration } from './link-calibration.js';
import { AntennaPhases, normalisedAmplitudes } from './measured.js';

/** A frame counts for at most this long, microseconds: a pause says nothing about the room. */
const MAX_ELAPSED = 1_000_000;
/** Values below this share of the mean amplitude are divided by it, because they are mostly noise. */
const MIN_RESPONSE = 0.1;

/** The corrections that a calibration applies to frames. */
export type Part = 'phase' | 'response';

/** Frames of one layout without the receiver's response and its antennas' phases. */
export class Correction {
  /** [columns, (re, im)] */
  readonly #factors: Float64Array;

  constructor(layout: CsiLayout, { response, phase }: LinkCalibration, parts: readonly Part[]) {
    const columns = frameSize(layout) / 2;
    const each = columns / layout.rx;
    this.#factors = new Float64Array(2 * columns);
    for (let column = 0; column < columns; column++) {
      const known = parts.includes('response') && response[column]! > 0;
      const gain = known ? 1 / Math.max(MIN_RESPONSE, response[column]!) : 1;
      const turn = parts.includes('phase') ? (phase[Math.floor(column / each)] ?? 0) : 0;
      this.#factors[2 * column] = gain * Math.cos(turn);
      this.#factors[2 * column + 1] = -gain * Math.sin(turn);
    }
  }

  apply(input: Values, offset: number, output: Values, to: number): void {
    for (let i = 0; i < this.#factors.length; i += 2) {
      const x = input[offset + i]!;
      const y = input[offset + i + 1]!;
      const re = this.#factors[i]!;
      const im = this.#factors[i + 1]!;
      output[to + i] = x * re - y * im;
      output[to + i + 1] = x * im + y * re;
    }
  }
}

/** Distance of a link from its calibrated state. */
export interface Drift {
  /**
   * Sine of the angle between the mean amplitudes over subcarriers and antennas and those of the calibration:
   * 0 is identical, 1 unrelated.
   */
  readonly amplitude: number;
  /** The largest change of an antenna's phase, radians, 0 to pi; null if no two antennas can be compared. */
  readonly phase: number | null;
}

export interface FitState {
  readonly time: number;
  readonly seen: number;
  readonly profile: Float64Array;
  readonly directions: Float64Array;
}

/** Whether a calibration still fits: recent means of the quantities that it was learnt from. */
export class Fit {
  readonly #calibration: LinkCalibration;
  readonly #phases: AntennaPhases;
  readonly #memory: number;
  #time = -Infinity;
  /** Microseconds of frames so far, at most the memory. */
  #seen = 0;
  readonly #amplitude: Float64Array;
  /** Means of amplitudes, and of the directions of the phases between antennas. */
  readonly #profile: Float64Array;
  readonly #directions: Float64Array;

  /** @param memory averaging time, microseconds */
  constructor(layout: CsiLayout, calibration: LinkCalibration, memory: number) {
    this.#calibration = calibration;
    this.#memory = memory;
    this.#phases = new AntennaPhases(layout);
    this.#amplitude = new Float64Array(frameSize(layout) / 2);
    this.#profile = new Float64Array(frameSize(layout) / 2);
    this.#directions = new Float64Array(2 * layout.rx);
  }

  see(values: Values, offset: number, time: number): void {
    const elapsed = this.#time === -Infinity ? 0 : Math.min(MAX_ELAPSED, time - this.#time);
    this.#time = time;
    if (!(elapsed > 0) || !normalisedAmplitudes(values, offset, this.#amplitude)) return;
    const weight = elapsed / Math.min(this.#memory, this.#seen + elapsed);
    this.#seen = Math.min(this.#memory, this.#seen + elapsed);
    for (let column = 0; column < this.#profile.length; column++)
      this.#profile[column]! += weight * (this.#amplitude[column]! - this.#profile[column]!);
    for (let i = 0; i < this.#directions.length; i++) this.#directions[i]! *= 1 - weight;
    this.#phases.add(values, offset, this.#calibration.reference, this.#directions, 0, weight);
  }

  /** Null until frames cover the whole memory. */
  get drift(): Drift | null {
    if (this.#seen < this.#memory) return null;
    const { response, phase } = this.#calibration;
    let [product, now, then] = [0, 0, 0];
    for (let column = 0; column < this.#profile.length; column++) {
      product += this.#profile[column]! * response[column]!;
      now += this.#profile[column]! ** 2;
      then += response[column]! ** 2;
    }
    const cosine = product / Math.sqrt(now * then);
    const turned = this.#phases.of(this.#directions, 1).flatMap((angle, antenna) => {
      const before = phase[antenna] ?? null;
      const isReference = antenna === this.#calibration.reference;
      return angle === null || before === null || isReference ? [] : [Math.abs(wrapped(angle - before))];
    });
    return {
      amplitude: Math.sqrt(Math.max(0, 1 - cosine * cosine)),
      phase: turned.length > 0 ? Math.max(...turned) : null,
    };
  }

  snapshot(): FitState {
    return {
      time: this.#time,
      seen: this.#seen,
      profile: this.#profile.slice(),
      directions: this.#directions.slice(),
    };
  }

  restore({ time, seen, profile, directions }: FitState): void {
    this.#time = time;
    this.#seen = seen;
    this.#profile.set(profile);
    this.#directions.set(directions);
  }
}

const wrapped = (angle: number): number => Math.atan2(Math.sin(angle), Math.cos(angle));
