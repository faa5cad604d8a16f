import { STORED_STEPS, STEPS_PER_S } from './changes.js';

/** Steps whose mean is compared: up to the drop ... */
const BEFORE = STEPS_PER_S;
/** ... and from this many after it up to this many (excluded). */
const AFTER = [3, 10] as const;
/** It is the largest within this many steps before and after. */
const APART = [10, 5] as const;
/** Motion before anything is known: nothing drops from it. */
const NOTHING = -9;
/** Smallest drop, log10 of power. */
const MIN_DROP = 0.1;

/**
 * Finds sudden ends of a room's motion. A fall out of a walk causes no peak of motion, but all links become
 * quiet simultaneously. Each drop is reported once `ahead` steps after it are known.
 */
export class DropFinder {
  readonly #ahead: number;
  /** Motion, log10 of power, and its drop, by step. */
  readonly #motion = new Float64Array(STORED_STEPS).fill(NOTHING);
  readonly #drop = new Float64Array(STORED_STEPS);
  #open: readonly number[] = [];

  constructor(ahead: number) {
    this.#ahead = ahead;
  }

  restart(): void {
    this.#open = [];
    this.#motion.fill(NOTHING);
    this.#drop.fill(0);
  }

  /** @param motion in step `c`, the next one; NaN: unknown. @returns a drop that is due */
  follow(c: number, motion: number): number | null {
    // Unknown values neither rise nor drop.
    this.#motion[c % STORED_STEPS] = Number.isNaN(motion)
      ? this.#motion[(c + STORED_STEPS - 1) % STORED_STEPS]!
      : motion;
    const d = c - AFTER[1] + 1;
    if (d < 0) return null;
    this.#drop[d % STORED_STEPS] = d >= BEFORE ? this.#dropAt(d) : 0;
    const candidate = d - APART[1];
    if (candidate >= BEFORE && this.#isLargest(candidate)) this.#open = [...this.#open, candidate];
    const [due] = this.#open;
    if (due === undefined || c < due + this.#ahead) return null;
    this.#open = this.#open.slice(1);
    return due;
  }

  #dropAt(d: number): number {
    return this.#mean(d - BEFORE + 1, d + 1) - this.#mean(d + AFTER[0], d + AFTER[1]);
  }

  #mean(from: number, to: number): number {
    let sum = 0;
    for (let n = from; n < to; n++) sum += this.#motion[n % STORED_STEPS]!;
    return sum / (to - from);
  }

  #isLargest(d: number): boolean {
    const size = this.#drop[d % STORED_STEPS]!;
    if (size <= MIN_DROP) return false;
    for (let n = Math.max(0, d - APART[0]); n < d; n++)
      if (this.#drop[n % STORED_STEPS]! >= size) return false;
    for (let n = d + 1; n <= d + APART[1]; n++) if (this.#drop[n % STORED_STEPS]! > size) return false;
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
