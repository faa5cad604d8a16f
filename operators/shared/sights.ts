import { Type } from 'typebox';
import type { Person } from '../../pipeline/model/index.js';

/** Configuration of {@link Sights}, the same in all operators that take persons for real or not. */
export const SightFields = {
  min_confidence: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.2,
    description: 'Persons below it are not in sight.',
  }),
  arrival_confidence: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.5,
    description: 'A person at least this sure is there at once. 0: whoever has a track is.',
  }),
  min_sight: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.4,
    description:
      'Who is less sure is there from this share of the last half minute in sight on, and is so while lost only above it.',
  }),
};

/** The values of {@link SightFields}. */
export interface SightSettings {
  readonly min_confidence: number;
  readonly arrival_confidence: number;
  readonly min_sight: number;
}

/** One track. */
interface Sight {
  readonly id: number;
  /** Share of the last half minute, about, in which it was in sight. */
  readonly share: number;
  /** Newest frame. */
  readonly time: number;
  /** Since when it has been sure in each frame; null: it is not. */
  readonly sureSince: number | null;
}

export type SightState = readonly Sight[];

/** Time constant of the share, microseconds. */
const MEMORY = 30_000_000;
/** A frame stands for so long at most. */
const MAX_STEP_US = 1_000_000;
/** A person who has been sure for this long is certainly there. */
const SURE_FOR = 1_000_000;
/** Tracks that are followed at a time. */
const MAX_TRACKS = 256;

/**
 * Who of the tracks of one environment is there. In an empty room the network claims a person now and then, and the
 * tracker takes these claims for one who is lost most of the time. People come in walking, and the network is sure of
 * who walks; who then keeps still is in sight less often, but far more often than nobody is (docs/analytics.md).
 */
export class Sights {
  readonly #settings: SightSettings;
  #sights = new Map<number, Sight>();

  constructor(settings: SightSettings) {
    this.#settings = settings;
  }

  /** Takes a frame over; tracks that are not in it are forgotten. */
  see(time: number, persons: readonly Person[]): void {
    const now = new Map<number, Sight>();
    for (const person of persons) {
      const { track } = person;
      if (!track || track.state === 'ended' || now.size >= MAX_TRACKS) continue;
      now.set(track.id, this.#next(person, track.id, time));
    }
    this.#sights = now;
  }

  /** In sight, and there. Of the newest frame. */
  isThere(person: Person): boolean {
    return this.#isSeen(person) && (this.#isSure(person) || this.isTrusted(person));
  }

  /** In sight for long enough of the last time, perhaps not now. */
  isTrusted({ track }: Person): boolean {
    return track !== null && (this.#sights.get(track.id)?.share ?? 0) >= this.#settings.min_sight;
  }

  snapshot(): SightState {
    return [...this.#sights.values()];
  }

  restore(state: SightState): void {
    this.#sights = new Map(state.map((sight) => [sight.id, sight]));
  }

  #next(person: Person, id: number, time: number): Sight {
    const known = this.#sights.get(id);
    const elapsed = Math.min(MAX_STEP_US, Math.max(0, time - (known?.time ?? time)));
    const before = known?.share ?? 0;
    const seen = this.#isSeen(person) ? 1 : 0;
    const share = before + ((seen - before) * elapsed) / (MEMORY + elapsed);
    const sureSince = seen && this.#isSure(person) ? (known?.sureSince ?? time) : null;
    const certain = sureSince !== null && time - sureSince >= SURE_FOR;
    return { id, share: certain ? 1 : share, time, sureSince };
  }

  #isSeen = ({ track, confidence }: Person): boolean =>
    track?.state === 'active' && confidence >= this.#settings.min_confidence;

  #isSure = ({ confidence }: Person): boolean => confidence >= this.#settings.arrival_confidence;
}
