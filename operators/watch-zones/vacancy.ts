import type { PoseFrame } from '../../pipeline/model/index.js';
import { isSurelyEmpty } from '../shared/sureness.js';
import type { Member } from './members.js';

/** Somebody who moved within this time before they were last seen walked out of sight, microseconds. */
const WALKED = 3_000_000;
/**
 * Certainty does not last from a pose frame to one that follows later than this, microseconds: nothing was
 * observed between them. A `window` with a `hop_ms` above a second therefore never gives it.
 */
const MAX_STEP_US = 1_000_000;

/**
 * Decides that somebody out of sight has left: they walked out of sight, and since then poses have been certain of
 * an empty room. Motion is remembered for longer, and may come from elsewhere.
 */
export class Vacancy {
  readonly #lasts: number;
  /** Since when each pose frame has been certain of an empty room, event time; null: the newest is not. */
  #since: number | null = null;

  /** @param lasts microseconds for which poses must be certain */
  constructor(lasts: number) {
    this.#lasts = lasts;
  }

  /** @param time of the pose frame, event time @param before time of the one before it */
  see(time: number, before: number, poseFrame: PoseFrame): void {
    if (time - before > MAX_STEP_US) this.#since = null;
    this.#since = isSurelyEmpty(poseFrame) ? (this.#since ?? time) : null;
  }

  /** Nothing is known any more. */
  lose(): void {
    this.#since = null;
  }

  hasLeft(member: Member, time: number): boolean {
    return this.#since !== null && time - this.#since >= this.#lasts && walkedOut(member);
  }

  snapshot(): number | null {
    return this.#since;
  }

  restore(since: number | null): void {
    this.#since = since;
  }
}

/** Whether somebody was walking when last seen, or until just before. */
export const walkedOut = ({ last, walked }: Member): boolean =>
  walked !== undefined && last.time - walked <= WALKED;
