import { Type } from 'typebox';
import type { Person, Zone } from '../../pipeline/model/index.js';
import { heightOf, looksLikePet } from './zones.js';

/** Configuration of {@link Sights}, the same in all operators that distinguish real persons from false ones. */
export const SightFields = {
  min_confidence: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.2,
    description: 'Confidence below which a person is not in sight.',
  }),
  arrival_confidence: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.5,
    description: 'Confidence from which a person counts as present immediately. 0: every track counts.',
  }),
  min_sight: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.4,
    description:
      'A less confident person counts as present after being in sight for this share of the last half minute, and while lost only above it.',
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
  /** Approximate share of the last half minute in which it was in sight. */
  readonly share: number;
  /** Time of the newest pose frame. */
  readonly time: number;
  /** Since when each pose frame has been above the confidence; null: the newest is not. */
  readonly sureSince: number | null;
  /** In each pose frame so far it looked like a pet. Missing in states of earlier versions. */
  readonly pet?: boolean;
}

export type SightState = readonly Sight[];

/** Time constant of the share, microseconds. */
const MEMORY = 30_000_000;
/** A pose frame counts for at most this long. */
const MAX_STEP_US = 1_000_000;
/** A person above the confidence for this long is certainly present. */
const SURE_FOR = 1_000_000;
/** Largest number of tracks followed at a time. */
const MAX_TRACKS = 256;

/**
 * Which tracks of one environment are real persons. In an empty room the network reports a person now and
 * then, and the tracker treats these as one person who is lost most of the time. People enter walking, and
 * the network has a high confidence in walking people; people who then keep still are in sight less often,
 * but far more often than false persons (docs/analytics.md). What has looked like a pet ever since it appeared
 * is none: somebody who falls in a pet area was upright before.
 */
export class Sights {
  readonly #settings: SightSettings;
  #sights = new Map<number, Sight>();

  readonly #zones: readonly Zone[];

  constructor(settings: SightSettings, zones: readonly Zone[]) {
    this.#settings = settings;
    this.#zones = zones;
  }

  /** Adds a pose frame; removes tracks that are not in it. */
  see(time: number, persons: readonly Person[]): void {
    const now = new Map<number, Sight>();
    for (const person of persons) {
      const { track } = person;
      if (!track || track.state === 'ended' || now.size >= MAX_TRACKS) continue;
      now.set(track.id, this.#next(person, track.id, time));
    }
    this.#sights = now;
  }

  /** In sight and present, in the newest pose frame. */
  isThere(person: Person): boolean {
    return this.#isSeen(person) && !this.#isPet(person) && (this.#isSure(person) || this.isTrusted(person));
  }

  /** In sight for enough of the recent time, perhaps not now. */
  isTrusted({ track }: Person): boolean {
    const sight = track ? this.#sights.get(track.id) : undefined;
    return sight !== undefined && sight.pet !== true && sight.share >= this.#settings.min_sight;
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
    const wasPet = known === undefined || known.pet === true;
    const pet = wasPet && looksLikePet(this.#zones, person.position, heightOf(person));
    return { id, share: certain ? 1 : share, time, sureSince, ...(pet && { pet }) };
  }

  #isPet = ({ track }: Person): boolean => track !== null && this.#sights.get(track.id)?.pet === true;

  #isSeen = ({ track, confidence }: Person): boolean =>
    track?.state === 'active' && confidence >= this.#settings.min_confidence;

  #isSure = ({ confidence }: Person): boolean => confidence >= this.#settings.arrival_confidence;
}
