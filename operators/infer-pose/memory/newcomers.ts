import {
  confirm,
  confirmedCounts,
  CONFIRMING_LINKS,
  MAX_BREAK_US,
  type Confirmation,
  type ConfirmationLaw,
} from './confirmation.js';
import type { Recall } from './memory.js';
import { confirmByMovement, countsByMovement, LOCATING_LINKS, type Movement } from './movement.js';

/** A window of a room. */
export interface Moment {
  readonly environment: string;
  /** Event time, microseconds. */
  readonly time: number;
  /** Usable links. */
  readonly links: number;
  /** Motion of the strongest link; NaN if it is not measured, as with {@link LOCATING_LINKS} or more. */
  readonly motion: number;
}

/** Standings of a room, for checkpoints. */
export interface NewcomersState {
  /** Null or absent: nobody was there, or the state was written by an earlier version. */
  readonly confirmation?: Confirmation | null;
  /** Null or absent: the room has more links, or the state was written by an earlier version. */
  readonly movement?: Movement | null;
}

/** Which of the people whom the networks see count, room by room. */
export class Newcomers {
  readonly #confirmations = new Map<string, Confirmation>();
  readonly #movements = new Map<string, Movement>();

  /**
   * Probabilities of nobody, one person and so on, without those who are not confirmed as people.
   * @param law the model's; null: everybody counts
   */
  counts(law: ConfirmationLaw | null, recalled: Recall, moment: Moment): readonly number[] {
    const { environment, time, links, motion } = moment;
    const before = this.#confirmations.get(environment);
    if (!law) return recalled.counts;
    if (links < LOCATING_LINKS) {
      const isSeen = before !== undefined && Math.abs(time - before.time) <= MAX_BREAK_US && before.confirmed;
      const stir = { time, motion, walking: recalled.alone.moving };
      const movement = confirmByMovement(this.#movements.get(environment), stir, isSeen);
      this.#movements.set(environment, movement);
      return countsByMovement(recalled.counts, movement);
    }
    if (links < CONFIRMING_LINKS) return recalled.counts;
    const confirmation = confirm(law, before, recalled, time);
    this.#confirmations.set(environment, confirmation);
    return confirmedCounts(recalled.counts, confirmation);
  }

  /** Whether somebody in this window is seen from the probability `keptFrom` on: they were seen before, and keep still. */
  keeps({ environment, time }: Pick<Moment, 'environment' | 'time'>): boolean {
    const standing = this.#confirmations.get(environment);
    return standing?.time === time && standing.kept === true;
  }

  forget(environment: string): void {
    this.#confirmations.delete(environment);
    this.#movements.delete(environment);
  }

  snapshot(environment: string): NewcomersState {
    return {
      confirmation: this.#confirmations.get(environment) ?? null,
      movement: this.#movements.get(environment) ?? null,
    };
  }

  restore(environment: string, { confirmation, movement }: NewcomersState): void {
    if (confirmation) this.#confirmations.set(environment, confirmation);
    if (movement) this.#movements.set(environment, movement);
  }
}
