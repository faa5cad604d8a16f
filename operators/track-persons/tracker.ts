import type { Person } from '../../pipeline/model/index.js';
import type { Followed, Moment, Strategy } from './strategy.js';

export interface TrackerState<Body = unknown> {
  readonly time: number;
  readonly frame?: number;
  readonly nextId: number;
  readonly tracks: readonly Followed<Body>[];
}

/** Tracks the persons of one environment over its pose frames, by one strategy. */
export class Tracker<Body = unknown> {
  #strategy: Strategy<Body>;
  #time = 0;
  #poseFrame = 0;
  #nextId = 1;
  #tracks: readonly Followed<Body>[] = [];

  constructor(strategy: Strategy<Body>) {
    this.#strategy = strategy;
  }

  /** Other settings of the same strategy. */
  adjust(strategy: Strategy<Body>): void {
    this.#strategy = strategy;
  }

  /** The persons of the pose frame at `time` (microseconds) with their tracks, and those out of sight; without ghosts. */
  next(time: number, persons: readonly Person[]): Person[] {
    const strategy = this.#strategy;
    const moment: Moment = {
      time,
      elapsed: Math.max(0, time - this.#time) / 1e6,
      poseFrame: ++this.#poseFrame,
    };
    this.#time = Math.max(this.#time, time);
    const expected = this.#tracks.map((track) => ({
      ...track,
      age: track.age + 1,
      body: strategy.predict(track, moment),
    }));
    const matches = strategy.match(expected, persons, moment);
    const known = expected.map((track, i) => this.#follow(track, persons[matches[i]!], moment));
    const fresh = persons.map((person, i) => (matches.includes(i) ? null : this.#begin(person, moment)));
    const tracks = strategy.settle([...known, ...fresh].filter((track) => track !== null));
    this.#tracks = tracks.filter(({ state }) => state !== 'ended');
    return tracks.map((track) => strategy.show(track, moment)).filter((person) => person !== null);
  }

  /** Last confidence of each active track. */
  get active(): readonly number[] {
    return this.#tracks.flatMap(({ state, person }) => (state === 'active' ? [person.confidence] : []));
  }

  snapshot(): TrackerState<Body> {
    const [time, poseFrame, nextId] = [this.#time, this.#poseFrame, this.#nextId];
    return { time, frame: poseFrame, nextId, tracks: structuredClone(this.#tracks) };
  }

  /** Tracks of older versions, which have another form, start again; their numbers are not reused. */
  restore({ time, frame: poseFrame = 0, nextId, tracks }: TrackerState<Body>): void {
    this.#time = time;
    this.#poseFrame = poseFrame;
    this.#nextId = nextId;
    this.#tracks = structuredClone(tracks.filter((track) => 'body' in track));
  }

  #follow(track: Followed<Body>, person: Person | undefined, moment: Moment): Followed<Body> | null {
    if (person) {
      const standing = this.#strategy.see(track, person, moment);
      return { ...track, ...standing, seen: moment.time, person };
    }
    const standing = this.#strategy.miss(track, moment);
    return standing && { ...track, ...standing };
  }

  #begin(person: Person, { time, ...moment }: Moment): Followed<Body> | null {
    const standing = this.#strategy.begin(person, { time, ...moment });
    return standing && { id: this.#nextId++, age: 1, since: time, seen: time, person, ...standing };
  }
}
