import { Histogram } from '../motion/histogram.js';

/**
 * The average reception of an antenna, step by step, and its derived values: slow changes, and the distance
 * of a step from the usual state of the room. A mean over 0.2 or 0.6 s has so much less noise than a point
 * that the sway of a standing person and the breath of a lying one become visible; this, and how the level
 * settles, separates a fall from a walk that ends in standing.
 */

/** Lags, in steps, at which means are compared, each of `mean` profiles two steps apart. */
const SLOW = [
  { lag: 5, mean: 1, alike: false },
  { lag: 10, mean: 1, alike: true },
  { lag: 20, mean: 1, alike: false },
  { lag: 20, mean: 3, alike: true },
  { lag: 40, mean: 3, alike: false },
] as const;
export const SLOW_CHANGES = SLOW.length;
export const SLOW_LIKENESSES = SLOW.filter(({ alike }) => alike).length;
/** Distance from the usual state, distance from the final state, loudness relative to the usual. */
export const DEPARTURES = 3;

/** Ten minutes: the decay time of old steps in the usual state of the room. */
const USUAL_STEPS = 6000;
/** Final state: the mean of this many steps. */
const LAST_STEPS = 80;

export const MIN_POWER = 1e-9;

export interface ProfilesState {
  readonly steps: Float32Array;
  readonly usual: Float64Array;
  readonly usualSteps: number;
  readonly floors: readonly Uint16Array[];
}

/** One antenna. A profile: the share of each band, then log10 of the amplitude; NaN for unknown values. */
export class Profiles {
  readonly #bands: number;
  readonly #capacity: number;
  readonly #steps: Float32Array;
  readonly #usual: Float64Array;
  #usualSteps = 0;
  readonly #floors: readonly Histogram[];

  /** @param capacity number of stored steps @param floor creates the learner of a noise floor */
  constructor(bands: number, capacity: number, floor: () => Histogram) {
    this.#bands = bands;
    this.#capacity = capacity;
    this.#steps = new Float32Array(capacity * (bands + 1)).fill(NaN);
    this.#usual = new Float64Array(bands + 1);
    this.#floors = SLOW.map(floor);
  }

  get floors(): readonly Histogram[] {
    return this.#floors;
  }

  /** Removes the steps; the usual state stays. */
  restart(): void {
    this.#steps.fill(NaN);
  }

  /** The profile of a step, to be filled in if it is new; then pass it to `end`. */
  of(step: number): Float32Array {
    const at = (step % this.#capacity) * (this.#bands + 1);
    return this.#steps.subarray(at, at + this.#bands + 1);
  }

  /** Ends a step whose profile is complete: writes its slow changes and their similarities. */
  end(step: number, changes: Float32Array, likenesses: Float32Array): void {
    this.#learn(this.of(step));
    let likeness = 0;
    SLOW.forEach(({ lag, mean, alike }, i) => {
      const at = alike ? likeness++ : -1;
      const now = this.#mean(step, mean);
      const before = this.#mean(step - lag, mean);
      if (now === null || before === null) return;
      const change = differenceOf(now, before);
      changes[i] = Math.log10(Math.max(MIN_POWER, change.power / this.#bands));
      this.#floors[i]!.add(changes[i]);
      if (at >= 0) likenesses[at] = change.power > 0 ? change.alike / change.power : 0;
    });
  }

  #learn(profile: Float32Array): void {
    if (Number.isNaN(profile[0]!)) return;
    this.#usualSteps = Math.min(USUAL_STEPS, this.#usualSteps + 1);
    profile.forEach((value, i) => {
      this.#usual[i]! += (value - this.#usual[i]!) / this.#usualSteps;
    });
  }

  /** The bands over `count` profiles two steps apart, ending at step `step`; null if none is known. */
  #mean(step: number, count: number): Float32Array | null {
    const sum = new Float32Array(this.#bands);
    let known = 0;
    for (let one = step; one > step - 2 * count && one >= 0; one -= 2) {
      const profile = this.of(one);
      if (Number.isNaN(profile[0]!)) continue;
      for (let band = 0; band < sum.length; band++) sum[band]! += profile[band]!;
      known++;
    }
    if (known === 0) return null;
    for (let band = 0; band < sum.length; band++) sum[band]! /= known;
    return sum;
  }

  /** Returns the distance of each step from the usual state and from the state just before step `to`. */
  departuresBefore(to: number): (step: number, out: Float32Array) => void {
    const last = this.#last(to);
    return (step, out) => {
      const profile = this.of(step);
      out[0] = this.#distance(profile, this.#usual);
      out[1] = this.#distance(profile, last);
      out[2] = profile[this.#bands]! - this.#usual[this.#bands]!;
    };
  }

  #last(to: number): Float64Array {
    const sum = new Float64Array(this.#bands + 1);
    let known = 0;
    for (let step = to - LAST_STEPS; step < to; step++) {
      const profile = this.of(step);
      if (Number.isNaN(profile[0]!)) continue;
      for (let i = 0; i < sum.length; i++) sum[i]! += profile[i]!;
      known++;
    }
    return sum.map((value) => value / known);
  }

  /** log10 of the mean square over the bands. */
  #distance(profile: ArrayLike<number>, other: ArrayLike<number>): number {
    let sum = 0;
    for (let band = 0; band < this.#bands; band++) sum += (profile[band]! - other[band]!) ** 2;
    return Math.log10(Math.max(MIN_POWER, sum / this.#bands));
  }

  snapshot(): ProfilesState {
    return {
      steps: this.#steps.slice(),
      usual: this.#usual.slice(),
      usualSteps: this.#usualSteps,
      floors: this.#floors.map((floor) => floor.snapshot()),
    };
  }

  restore(state: ProfilesState): void {
    this.#steps.set(state.steps);
    this.#usual.set(state.usual);
    this.#usualSteps = state.usualSteps;
    this.#floors.forEach((floor, i) => {
      floor.restore(state.floors[i]!);
    });
  }
}

/** Sum of the squared differences of the bands, and of the products of neighbouring ones. */
function differenceOf(now: Float32Array, before: Float32Array): { power: number; alike: number } {
  let [power, alike, last] = [0, 0, 0];
  for (let band = 0; band < now.length; band++) {
    const difference = now[band]! - before[band]!;
    power += difference * difference;
    alike += difference * last;
    last = difference;
  }
  return { power, alike };
}
