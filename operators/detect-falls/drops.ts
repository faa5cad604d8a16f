import { KEPT, RATE_HZ } from './tracks.js';

/** Samples whose mean is compared: up to the drop ... */
const BEFORE = RATE_HZ;
/** ... and from so many after it to so many (excluded). */
const AFTER = [6, 20] as const;
/** It is the largest of so many samples before it and after. */
const APART = [20, 10] as const;
/** Least drop, log10 of power. */
const LEAST_DROP = 0.1;
/** Samples by which the newest motion lies behind the newest sample: its lags and box look ahead. */
const MOTION_DELAY = 8;

/**
 * Finds sudden ends of a room's motion. Whoever falls out of a walk makes no peak of motion over it, but all links
 * get quiet at once; each drop is told when `ahead` samples after it were seen.
 */
export class DropFinder {
  readonly #ahead: number;
  /** Motion, log10 of power, and how much it drops, by sample. */
  readonly #motion = new Float64Array(KEPT);
  readonly #drop = new Float64Array(KEPT);
  #open: readonly number[] = [];

  constructor(ahead: number) {
    this.#ahead = ahead;
  }

  restart(): void {
    this.#open = [];
    this.#drop.fill(0);
  }

  /** @param motion at the newest sample where it is complete; null: unknown. @returns a drop that is due */
  follow(count: number, motion: number | null): number | null {
    const c = count - 1 - MOTION_DELAY;
    if (c < 0) return null;
    // What is unknown neither rises nor drops.
    this.#motion[c % KEPT] = motion ?? this.#motion[(c + KEPT - 1) % KEPT]!;
    const d = c - AFTER[1] + 1;
    if (d < 0) return null;
    this.#drop[d % KEPT] = d >= BEFORE ? this.#dropAt(d) : 0;
    const candidate = d - APART[1];
    if (candidate >= BEFORE && this.#isLargest(candidate)) this.#open = [...this.#open, candidate];
    const [due] = this.#open;
    if (due === undefined || count - 1 < due + this.#ahead) return null;
    this.#open = this.#open.slice(1);
    return due;
  }

  #dropAt(d: number): number {
    return this.#mean(d - BEFORE + 1, d + 1) - this.#mean(d + AFTER[0], d + AFTER[1]);
  }

  #mean(from: number, to: number): number {
    let sum = 0;
    for (let n = from; n < to; n++) sum += this.#motion[n % KEPT]!;
    return sum / (to - from);
  }

  #isLargest(d: number): boolean {
    const size = this.#drop[d % KEPT]!;
    if (size <= LEAST_DROP) return false;
    for (let n = Math.max(0, d - APART[0]); n < d; n++) if (this.#drop[n % KEPT]! >= size) return false;
    for (let n = d + 1; n <= d + APART[1]; n++) if (this.#drop[n % KEPT]! > size) return false;
    return true;
  }

  snapshot(): DropFinderState {
    return { motion: this.#motion.slice(), drop: this.#drop.slice(), open: this.#open };
  }

  restore(state: DropFinderState): void {
    this.#motion.set(state.motion);
    this.#drop.set(state.drop);
    this.#open = state.open;
  }
}

export interface DropFinderState {
  readonly motion: Float64Array;
  readonly drop: Float64Array;
  readonly open: readonly number[];
}
