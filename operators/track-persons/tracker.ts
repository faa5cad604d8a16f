import type { Keypoint3D, Person, Track } from '../../pipeline/model/index.js';
import { assign } from './assignment.js';
import { axisVariance, born, predict, rest, update, wake, type FloorState } from './floor-filter.js';

export interface TrackerSettings {
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

interface Followed {
  readonly id: number;
  readonly state: Track['state'];
  /** Pose frames since birth. */
  readonly age: number;
  /** Frames in which it was seen. */
  readonly hits: number;
  readonly since: number;
  /** Event time at which it was last seen. */
  readonly seen: number;
  readonly floor: FloorState;
  /** Keeps still, or is out of sight: stays where the last step ended. */
  readonly still: boolean;
  /** As it was last seen. */
  readonly person: Person;
  /** Where it lay down or came to a stop; null while it walks. */
  readonly rested: { readonly x: number; readonly y: number } | null;
  /** Frames in a row in which it stood, since it rested. */
  readonly stood: number;
}

export interface TrackerState {
  readonly time: number;
  readonly nextId: number;
  readonly tracks: readonly Followed[];
}

/** Follows the persons of one environment over its pose frames. */
export class Tracker {
  #settings: TrackerSettings;
  #time = 0;
  #nextId = 1;
  #tracks: Followed[] = [];

  constructor(settings: TrackerSettings) {
    this.#settings = settings;
  }

  adjust(settings: TrackerSettings): void {
    this.#settings = settings;
  }

  /** The persons of the frame at `time` (microseconds) with their tracks, then those out of sight; ghosts are left out. */
  next(time: number, persons: readonly Person[]): Person[] {
    const elapsed = Math.max(0, time - this.#time) / 1e6;
    const tracks = this.#tracks.map((track) => ({
      ...track,
      age: track.age + 1,
      floor: track.still
        ? rest(track.floor, elapsed)
        : predict(track.floor, elapsed, this.#settings.acceleration),
    }));
    this.#time = Math.max(this.#time, time);

    const matches = this.#match(tracks, persons);
    const seen = tracks.map((track, i) => {
      const match = matches[i]!;
      return match >= 0 ? this.#see(track, persons[match]!, time) : this.#miss(track, time);
    });
    const known = new Set(matches);
    const fresh = persons.flatMap((person, i) =>
      known.has(i) || !this.#mayBeBorn(person) ? [] : [this.#birth(person, time)],
    );
    const all = this.#recognise([...seen.filter((track) => track !== null), ...fresh]);
    this.#tracks = all.filter(({ state }) => state !== 'ended');
    const full = all.filter(isKnown).length >= this.#settings.maxPersons;
    return all.filter(({ state }) => !full || state !== 'tentative').map((track) => this.#shown(track, time));
  }

  /**
   * Where as many are known as there can be, who turns up elsewhere is the one who has been out of sight
   * for longest, and keeps that number; where all are in sight, it is a ghost and stays tentative.
   */
  #recognise(tracks: readonly Followed[]): Followed[] {
    const { minHits, maxPersons } = this.#settings;
    let all = [...tracks];
    for (const track of tracks) {
      if (track.state !== 'active' || track.hits !== Math.max(1, minHits)) continue;
      const others = all.filter((other) => other !== track && isKnown(other));
      if (others.length < maxPersons) continue;
      const [lost] = others.filter(({ state }) => state === 'lost').sort((a, b) => a.seen - b.seen);
      const same: Followed = lost
        ? { ...track, id: lost.id, since: lost.since, age: lost.age, hits: lost.hits }
        : { ...track, state: 'tentative', hits: track.hits - 1 };
      all = all.filter((other) => other !== lost).map((other) => (other === track ? same : other));
    }
    return all;
  }

  /** Confidence, as last shown, of each active track. */
  get active(): readonly number[] {
    return this.#tracks.flatMap(({ state, person }) => (state === 'active' ? [person.confidence] : []));
  }

  snapshot(): TrackerState {
    return { time: this.#time, nextId: this.#nextId, tracks: structuredClone(this.#tracks) };
  }

  restore({ time, nextId, tracks }: TrackerState): void {
    this.#time = time;
    this.#nextId = nextId;
    // Older checkpoints know of no rest.
    this.#tracks = tracks.map((track) => structuredClone({ ...AWAKE, ...track }));
  }

  /** The person of each track, -1 where none passes the gates. Tracks that are known for sure choose first. */
  #match(tracks: readonly Followed[], persons: readonly Person[]): number[] {
    const matches = tracks.map(() => -1);
    let free = persons.map((_, i) => i);
    for (const tentative of [false, true]) {
      const chosen = tracks.flatMap((track, i) => ((track.state === 'tentative') === tentative ? [i] : []));
      const costs = chosen.map((i) => free.map((j) => this.#cost(tracks[i]!, persons[j]!)));
      const places = assign(costs);
      chosen.forEach((i, row) => {
        const place = places[row]!;
        if (place >= 0 && costs[row]![place]! < REFUSED) matches[i] = free[place]!;
      });
      free = free.filter((j) => !matches.includes(j));
    }
    return matches;
  }

  /** Distance in standard deviations, or REFUSED beyond the gates. */
  #cost({ floor, seen }: Followed, person: Person): number {
    const { gateMetres, gateSigma } = this.#settings;
    const distance = Math.hypot(person.position.x - floor.x, person.position.y - floor.y);
    const reach =
      gateMetres +
      person.positionError +
      Math.hypot(floor.vx, floor.vy) * Math.max(0, this.#time - seen) * 1e-6;
    const sigma = Math.sqrt(floor.pp + axisVariance(person.positionError));
    // Negated, so that a position that is not a number passes no gate.
    return distance <= reach && distance <= gateSigma * sigma ? distance / Math.max(sigma, 1e-6) : REFUSED;
  }

  #mayBeBorn({ confidence, position, positionError }: Person): boolean {
    return (
      confidence >= this.#settings.minConfidence &&
      Number.isFinite(position.x) &&
      Number.isFinite(position.y) &&
      Number.isFinite(positionError)
    );
  }

  #birth(person: Person, time: number): Followed {
    const { x, y } = person.position;
    return {
      id: this.#nextId++,
      state: this.#settings.minHits <= 1 ? 'active' : 'tentative',
      age: 1,
      hits: 1,
      since: time,
      seen: time,
      floor: born(x, y, axisVariance(person.positionError)),
      still: false,
      person,
      ...AWAKE,
    };
  }

  #see(track: Followed, person: Person, time: number): Followed {
    const { minHits, stillError } = this.#settings;
    const hits = track.hits + 1;
    const { x, y } = person.position;
    const still = person.positionError > stillError;
    const variance = axisVariance(person.positionError) * (still ? STILL_REPEATS : 1);
    return {
      ...track,
      hits,
      state: track.state === 'tentative' && hits < minHits ? 'tentative' : 'active',
      seen: time,
      floor: update(track.still && !still ? wake(track.floor) : track.floor, x, y, variance),
      still,
      person,
      ...restOf(track, still || person.posture === 'lying'),
    };
  }

  /** Out of sight: a track that never became sure is forgotten, another is kept for a while. */
  #miss(track: Followed, time: number): Followed | null {
    if (track.state === 'tentative') return null;
    const ended = (time - track.seen) / 1000 > this.#settings.maxAgeMs;
    return { ...track, state: ended ? 'ended' : 'lost', still: true };
  }

  #shown({ person, floor, seen, id, state, age, since, rested }: Followed, time: number): Person {
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
}

const AWAKE = { rested: null, stood: 0 } as const;

/** A single frame in which somebody seems to stand may be wrong: only these many in a row end the rest. */
const STANDS_FRAMES = 5;

function restOf({ rested, stood, floor }: Followed, rests: boolean): Pick<Followed, 'rested' | 'stood'> {
  if (rests) return { rested: rested ?? { x: floor.x, y: floor.y }, stood: 0 };
  return rested && stood + 1 < STANDS_FRAMES ? { rested, stood: stood + 1 } : { rested: null, stood: 0 };
}

/** Metres per root second by which somebody out of sight may have moved on. */
const WANDERING = 0.3;

const isKnown = ({ state }: Followed): boolean => state === 'active' || state === 'lost';

const moved = (joint: Keypoint3D, dx: number, dy: number): Keypoint3D => ({
  ...joint,
  x: thousandths(joint.x + dx),
  y: thousandths(joint.y + dy),
  z: thousandths(joint.z),
});

/** Millimetres, mm/s: what is stored must not hang on last bits. Never -0. */
const thousandths = (value: number): number => Math.round(value * 1000) / 1000 + 0;

/** Cost of a pair that may not be: more than any number of pairs that may. */
const REFUSED = 1e6;

/**
 * Where a still person seems to be is wrong by more than a walker's place, and wrong in the same way for seconds
 * (docs of the operator): so many positions in a row tell no more than one.
 */
const STILL_REPEATS = 40;
