import type { Measure } from '../../pipeline/model/index.js';

export interface RoomNoteState {
  readonly time: number;
  readonly probability: number;
  readonly present: boolean | null;
}

/** Age after which a report is no longer valid, microseconds. */
const FORGOTTEN_AFTER = 60_000_000;
/** Below it, detect-motion has learnt the empty room, and the room looks empty. */
const LOOKS_EMPTY = 0.05;

/** The last report of `detect-motion` about one room. */
export class RoomNote {
  #note: RoomNoteState = { time: -Infinity, probability: 0.5, present: null };

  /** Accepts a measure if it concerns presence in the room. */
  see({ name, subject, source, time, value }: Measure): void {
    if (subject !== null || source !== 'csiflow') return;
    if (name === 'presence_probability') this.#note = { time, probability: value, present: null };
    else if (name === 'presence') this.#note = { ...this.#note, time, present: value >= 0.5 };
  }

  get probability(): number {
    return this.#note.probability;
  }

  isOccupied(now: number): boolean {
    return this.#isFresh(now) && this.#note.present === true;
  }

  looksEmpty(now: number): boolean {
    return this.#isFresh(now) && this.#note.present === false && this.#note.probability < LOOKS_EMPTY;
  }

  snapshot(): RoomNoteState {
    return this.#note;
  }

  restore(note: RoomNoteState): void {
    this.#note = note;
  }

  #isFresh(now: number): boolean {
    return now - this.#note.time < FORGOTTEN_AFTER;
  }
}
