import type { Keypoint3D, Person } from '../../pipeline/model/index.js';
import { axisVariance, born, predict, rest, update, wake, type FloorState } from './floor-filter.js';
import {
  pair,
  REFUSED,
  thousandths,
  type Followed,
  type Moment,
  type Standing,
  type Strategy,
} from './strategy.js';

export interface FloorSettings {
  readonly gateMetres: number;
  readonly gateSigma: number;
  readonly acceleration: number;
  readonly stillError: number;
  readonly minHits: number;
  readonly maxAgeMs: number;
  readonly minConfidence: number;
  /** As many as the network in front can tell apart. */
  readonly maxPersons: number;
}

export interface FloorBody {
  readonly floor: FloorState;
  /** Frames in which it was seen. */
  readonly hits: number;
  /** Keeps still, or is out of sight: stays where the last step ended. */
  readonly still: boolean;
  /** Where it lay down or came to a stop; null while it walks. */
  readonly rested: { readonly x: number; readonly y: number } | null;
  /** Frames in a row in which it stood, since it rested. */
  readonly stood: number;
}

type Track = Followed<FloorBody>;

/** Follows places on the floor; how wrong each is, the person says. */
export class FloorStrategy implements Strategy<FloorBody> {
  readonly #settings: FloorSettings;

  constructor(settings: FloorSettings) {
    this.#settings = settings;
  }

  begin({ confidence, position, positionError }: Person): Standing<FloorBody> | null {
    const { x, y } = position;
    if (confidence < this.#settings.minConfidence || !Number.isFinite(x + y + positionError)) return null;
    return {
      state: this.#settings.minHits <= 1 ? 'active' : 'tentative',
      body: { floor: born(x, y, axisVariance(positionError)), hits: 1, still: false, ...AWAKE },
    };
  }

  predict(body: FloorBody, { elapsed }: Moment): FloorBody {
    const { floor, still } = body;
    const { acceleration } = this.#settings;
    return { ...body, floor: still ? rest(floor, elapsed) : predict(floor, elapsed, acceleration) };
  }

  /** Tracks that are known for sure choose first. */
  match(tracks: readonly Track[], persons: readonly Person[], { time }: Moment): number[] {
    const matches = tracks.map(() => -1);
    let free = persons.map((_, i) => i);
    for (const tentative of [false, true]) {
      const chosen = tracks.flatMap((track, i) => ((track.state === 'tentative') === tentative ? [i] : []));
      const places = pair(chosen, free, (i, j) => this.#cost(tracks[i]!, persons[j]!, time));
      chosen.forEach((i, row) => {
        if (places[row]! >= 0) matches[i] = free[places[row]!]!;
      });
      free = free.filter((j) => !matches.includes(j));
    }
    return matches;
  }

  see(track: Track, person: Person): Standing<FloorBody> {
    const { minHits, stillError } = this.#settings;
    const { body } = track;
    const hits = body.hits + 1;
    const { x, y } = person.position;
    const still = person.positionError > stillError;
    const variance = axisVariance(person.positionError) * (still ? STILL_REPEATS : 1);
    const floor = update(body.still && !still ? wake(body.floor) : body.floor, x, y, variance);
    const rest = restOf(body, still || person.posture === 'lying');
    const state = track.state === 'tentative' && hits < minHits ? 'tentative' : 'active';
    return { state, body: { hits, floor, still, ...rest } };
  }

  /** Out of sight: a track that never became sure is forgotten, another is kept for a while. */
  miss({ state, seen, body }: Track, { time }: Moment): Standing<FloorBody> | null {
    if (state === 'tentative') return null;
    const ended = (time - seen) / 1000 > this.#settings.maxAgeMs;
    return { state: ended ? 'ended' : 'lost', body: { ...body, still: true } };
  }

  /**
   * Where as many are known as there can be, who turns up elsewhere is the one who has been out of sight
   * for longest, and keeps that number; where all are in sight, it is a ghost and stays tentative.
   */
  settle(tracks: readonly Track[]): readonly Track[] {
    const { minHits, maxPersons } = this.#settings;
    let all = [...tracks];
    for (const track of tracks) {
      if (track.state !== 'active' || track.body.hits !== Math.max(1, minHits)) continue;
      const others = all.filter((other) => other !== track && isKnown(other));
      if (others.length < maxPersons) continue;
      const [lost] = others.filter(({ state }) => state === 'lost').sort((a, b) => a.seen - b.seen);
      const hits = lost ? lost.body.hits : track.body.hits - 1;
      const same: Track = {
        ...track,
        ...(lost ? { id: lost.id, since: lost.since, age: lost.age } : { state: 'tentative' }),
        body: { ...track.body, hits },
      };
      all = all.filter((other) => other !== lost).map((other) => (other === track ? same : other));
    }
    return all;
  }

  show({ person, body, seen, id, state, age, since }: Track, { time }: Moment): Person {
    const { floor, rested } = body;
    const [dx, dy] = [floor.x - person.position.x, floor.y - person.position.y];
    const outOfSight = state === 'lost' || state === 'ended';
    const left = outOfSight ? Math.max(0, 1 - (time - seen) / 1000 / this.#settings.maxAgeMs) : 1;
    // Who lies or keeps still does not move: how far the place has drifted is how wrong it may be.
    const drift = rested ? Math.hypot(floor.x - rested.x, floor.y - rested.y) : 0;
    const away = outOfSight ? WANDERING * Math.sqrt(Math.max(0, time - seen) / 1e6) : 0;
    return {
      ...person,
      positionError: thousandths(Math.hypot(person.positionError, drift, away)),
      confidence: thousandths(person.confidence * left),
      position: { x: thousandths(floor.x), y: thousandths(floor.y), z: thousandths(person.position.z) },
      keypoints: person.keypoints.map((joint) => moved(joint, dx, dy)),
      articulated: person.articulated && !outOfSight,
      track: { id, state, age, since, velocity: { x: thousandths(floor.vx), y: thousandths(floor.vy) } },
    };
  }

  /** Distance in standard deviations, or REFUSED beyond the gates. */
  #cost({ body: { floor }, seen }: Track, { position, positionError }: Person, time: number): number {
    const { gateMetres, gateSigma } = this.#settings;
    const distance = Math.hypot(position.x - floor.x, position.y - floor.y);
    const reach =
      gateMetres + positionError + Math.hypot(floor.vx, floor.vy) * Math.max(0, time - seen) * 1e-6;
    const sigma = Math.sqrt(floor.pp + axisVariance(positionError));
    // Negated, so that a position that is not a number passes no gate.
    return distance <= reach && distance <= gateSigma * sigma ? distance / Math.max(sigma, 1e-6) : REFUSED;
  }
}

const AWAKE = { rested: null, stood: 0 } as const;

/** A single frame in which somebody seems to stand may be wrong: only these many in a row end the rest. */
const STANDS_FRAMES = 5;

function restOf({ rested, stood, floor }: FloorBody, rests: boolean): Pick<FloorBody, 'rested' | 'stood'> {
  if (rests) return { rested: rested ?? { x: floor.x, y: floor.y }, stood: 0 };
  return rested && stood + 1 < STANDS_FRAMES ? { rested, stood: stood + 1 } : { rested: null, stood: 0 };
}

/** Metres per root second by which somebody out of sight may have moved on. */
const WANDERING = 0.3;

const isKnown = ({ state }: Track): boolean => state === 'active' || state === 'lost';

const moved = (joint: Keypoint3D, dx: number, dy: number): Keypoint3D => ({
  ...joint,
  x: thousandths(joint.x + dx),
  y: thousandths(joint.y + dy),
  z: thousandths(joint.z),
});

/**
 * Where a still person seems to be is wrong by more than a walker's place, and wrong in the same way for seconds
 * (docs of the operator): so many positions in a row tell no more than one.
 */
const STILL_REPEATS = 40;
