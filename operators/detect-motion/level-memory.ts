import { levelMotionOf, LOUD_LEVEL } from '../shared/link-motion.js';
import type { LevelChange } from '../shared/level-motion.js';
import { CHANGE, ramp } from './ramp.js';

export interface LevelMemoryState {
  readonly usual: number;
  readonly seen: number;
  readonly recent: readonly number[];
  readonly rest: number | null;
}

/** What the level of a link shows. */
export interface LevelEvidence {
  /** 0 to 1. */
  readonly motion: number;
  /** -1: it rests, or its rest is unknown; 0: undecided; 1: it changes strongly, and far more than at rest. */
  readonly activity: number;
  /** It changes strongly, and rest is unknown: by movement, or by a gain that is not taken out. */
  readonly unsettled: boolean;
}

/** Energy over that of a loud change, log10, up to which a change is weak, undecided, and strong. */
const LOUDNESS = [-0.3, -0.1, 0.1] as const;
/** Windows over which the correlation is averaged. */
const USUAL = 5;
/** The level rests if so many windows in a row have weak changes whose energy differs by 6 dB at most. */
const RESTING = 10;
const ALIKE = 0.6;

/**
 * State of a link's level: how it changes at rest. A receiver whose gain follows each packet, with errors of RSSI,
 * changes it as strongly as somebody who walks, but does not rest in between: only links that were seen at rest
 * tell movement by its strength. The others tell it by its persistence.
 */
export class LevelMemory {
  #usual = 0;
  #seen = 0;
  #recent: number[] = [];
  #rest: number | null = null;

  /** @param threshold energy of change above that at rest, log10, from which something moves */
  see(change: LevelChange, threshold: number): LevelEvidence {
    if (!Number.isFinite(change.energy + change.correlation))
      return { motion: 0, activity: -1, unsettled: false };
    this.#seen = Math.min(USUAL, this.#seen + 1);
    this.#usual += (change.correlation - this.#usual) / this.#seen;
    this.#findRest(change.energy);
    const isKnown = this.#rest !== null;
    return {
      motion: levelMotionOf(change, this.#usual, this.#seen),
      activity: isKnown ? this.#activity(change.energy, threshold) : -1,
      unsettled: !isKnown && change.energy > LOUD_LEVEL,
    };
  }

  /** Changes of this energy come from a machine. */
  raise(rest: number): void {
    this.#rest = Math.max(this.#rest ?? rest, rest);
  }

  snapshot(): LevelMemoryState {
    return { usual: this.#usual, seen: this.#seen, recent: [...this.#recent], rest: this.#rest };
  }

  restore({ usual, seen, recent, rest }: LevelMemoryState): void {
    this.#usual = usual;
    this.#seen = seen;
    this.#recent = [...recent];
    this.#rest = rest;
  }

  #activity(energy: number, threshold: number): number {
    const above = ramp((energy - (this.#rest ?? energy)) / threshold, ...CHANGE);
    return Math.min(above, ramp(energy - LOUD_LEVEL, ...LOUDNESS));
  }

  #findRest(energy: number): void {
    this.#recent = [...this.#recent.slice(1 - RESTING), energy];
    const [least, most] = [Math.min(...this.#recent), Math.max(...this.#recent)];
    if (this.#recent.length === RESTING && most < LOUD_LEVEL && most - least < ALIKE)
      this.#rest = this.#recent.reduce((sum, one) => sum + one, 0) / RESTING;
  }
}
