import { frameSize, type CsiLayout } from '../../pipeline/model/index.js';
import type { Values } from '../shared/frame-mapper.js';
import { motionOf } from '../shared/link-motion.js';
import { median, quantile } from '../shared/median.js';
import type { LinkCalibration } from './link-calibration.js';
import { AntennaPhases, normalisedAmplitudes } from './measured.js';
import { Stretch, type StretchState } from './stretch.js';

/** A frame counts for at most this long, microseconds: pauses and clock jumps are excluded from learning. */
const MAX_ELAPSED = 1_000_000;
/** Minimum number of frames, however long they took. */
const MIN_FRAMES = 20;
/**
 * Factor between the threshold and the 90th percentile of motion over stretches of the still link (in the
 * others the person who starts it may still be leaving), and the lower limit of the threshold.
 */
const MARGIN = 1.5;
const USUALLY = 0.9;
const MIN_MOTION = 0.02;
/** Quiet level of a link without a complete stretch: the rounding of its samples, as in `detect-motion`. */
const SILENCE_DB = -120;

export interface LearnerState {
  readonly time: number;
  readonly learnt: number;
  readonly frames: number;
  readonly counts: Uint32Array;
  readonly sums: Float64Array;
  readonly products: Float64Array;
  readonly correlations: number;
  readonly motions: readonly number[];
  readonly energies: readonly number[];
  readonly stretch: StretchState;
}

/** What the frames of one link and layout have in common while nothing moves. */
export class Learner {
  readonly #layout: CsiLayout;
  readonly #duration: number;
  #time = -Infinity;
  /** Microseconds of frames learnt from. */
  #learnt = 0;
  #frames = 0;
  /** [rx, tx, subcarrier]: the number of amplitudes, and their sum relative to the mean of their frame. */
  readonly #counts: Uint32Array;
  readonly #sums: Float64Array;
  /** [rx, rx, (re, im)]: sums over frames of the direction of H_a conj(H_b). */
  readonly #products: Float64Array;
  readonly #amplitude: Float64Array;
  readonly #phases: AntennaPhases;
  readonly #stretch: Stretch;
  #correlations = 0;
  #motions: number[] = [];
  #energies: number[] = [];

  /** @param duration microseconds of frames */
  constructor(layout: CsiLayout, duration: number) {
    const columns = frameSize(layout) / 2;
    this.#layout = layout;
    this.#duration = duration;
    this.#counts = new Uint32Array(columns);
    this.#sums = new Float64Array(columns);
    this.#amplitude = new Float64Array(columns);
    this.#products = new Float64Array(2 * layout.rx * layout.rx);
    this.#phases = new AntennaPhases(layout);
    this.#stretch = new Stretch(columns);
  }

  /** Adds a frame; returns the calibration once enough time was covered. */
  add(values: Values, offset: number, time: number): LinkCalibration | null {
    const elapsed = this.#time === -Infinity ? 0 : time - this.#time;
    this.#time = time;
    if (!normalisedAmplitudes(values, offset, this.#amplitude)) return null;
    if (elapsed > 0) this.#learnt += Math.min(MAX_ELAPSED, elapsed);
    this.#frames++;
    for (let column = 0; column < this.#sums.length; column++) {
      if (!(this.#amplitude[column]! > 0)) continue;
      this.#counts[column]!++;
      this.#sums[column]! += this.#amplitude[column]!;
    }
    for (let reference = 0; reference < this.#layout.rx; reference++)
      this.#phases.add(values, offset, reference, this.#products, 2 * reference * this.#layout.rx);
    this.#hear(time);
    return this.#learnt >= this.#duration && this.#frames >= MIN_FRAMES ? this.#result() : null;
  }

  snapshot(): LearnerState {
    return {
      time: this.#time,
      learnt: this.#learnt,
      frames: this.#frames,
      counts: this.#counts.slice(),
      sums: this.#sums.slice(),
      products: this.#products.slice(),
      correlations: this.#correlations,
      motions: this.#motions.slice(),
      energies: this.#energies.slice(),
      stretch: this.#stretch.snapshot(),
    };
  }

  restore(state: LearnerState): void {
    this.#time = state.time;
    this.#learnt = state.learnt;
    this.#frames = state.frames;
    this.#counts.set(state.counts);
    this.#sums.set(state.sums);
    this.#products.set(state.products);
    this.#correlations = state.correlations;
    this.#motions = [...state.motions];
    this.#energies = [...state.energies];
    this.#stretch.restore(state.stretch);
  }

  #hear(time: number): void {
    const heard = this.#stretch.add(time, this.#amplitude);
    if (!heard || !Number.isFinite(heard.correlation + heard.energy)) return;
    this.#correlations += heard.correlation;
    const stretches = this.#motions.length + 1;
    this.#motions.push(motionOf(heard, this.#correlations / stretches, stretches));
    this.#energies.push(10 * heard.energy);
  }

  #result(): LinkCalibration {
    const response = Array.from(this.#sums, (sum, column) => sum / Math.max(1, this.#counts[column]!));
    const reference = this.#strongest(response);
    const row = 2 * reference * this.#layout.rx;
    const most = this.#motions.length > 0 ? quantile(this.#motions, USUALLY) : 0;
    return {
      response,
      reference,
      phase: this.#phases.of(this.#products.subarray(row), this.#frames),
      motion: Math.min(1, Math.max(MIN_MOTION, MARGIN * most)),
      noiseDb: this.#energies.length > 0 ? median(this.#energies) : SILENCE_DB,
    };
  }

  /** The receive antenna with the largest mean amplitude: a silent one has no phase to compare with. */
  #strongest(response: readonly number[]): number {
    const each = response.length / this.#layout.rx;
    const sums = Array.from({ length: this.#layout.rx }, (_, antenna) =>
      response.slice(antenna * each, (antenna + 1) * each).reduce((a, b) => a + b, 0),
    );
    return sums.indexOf(Math.max(...sums));
  }
}
