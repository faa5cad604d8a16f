import type { Point, PoseFrame, Posture, Zone } from '../../../pipeline/model/index.js';
import { heightOf, isRestful, looksLikePet } from '../../shared/zones.js';

/** Positions of tracked people in the last seconds, to report who fell and where, and whether anybody can have. */
export class People {
  readonly #zones: readonly Zone[];
  #seen: Sighting[] = [];
  /** Event times of pose frames of enough links in which nobody is in sight. */
  #empty: Moment[] = [];

  constructor(zones: readonly Zone[]) {
    this.#zones = zones;
  }

  see(poseFrame: PoseFrame): void {
    const isEmpty = poseFrame.persons.every(({ track }) => track && track.state !== 'active');
    if (isEmpty && poseFrame.links >= ENOUGH_LINKS) this.#empty.push({ time: poseFrame.time });
    this.#empty = this.#empty.filter(({ time }) => time >= poseFrame.time - MEMORY_US).slice(-MAX_SEEN);
    for (const person of poseFrame.persons) {
      if (!person.track || person.track.state === 'ended') continue;
      const { id, state } = person.track;
      this.#seen.push({
        time: poseFrame.time,
        id,
        lost: state === 'lost',
        posture: person.posture,
        position: person.position,
        height: heightOf(person),
        isPlaced: poseFrame.links >= ENOUGH_LINKS,
      });
    }
    const oldest = poseFrame.time - MEMORY_US;
    let drop = this.#seen.findIndex(({ time }) => time >= oldest);
    if (drop < 0) drop = this.#seen.length;
    this.#seen = this.#seen.slice(Math.max(drop, this.#seen.length - MAX_SEEN));
  }

  /**
   * The person who fell at `time`: the only one there, otherwise the only one who lay afterwards; with their
   * position at that time.
   */
  at(time: number): { readonly person: number | null; readonly location: Point | null } {
    const near = this.#seen.filter((seen) => Math.abs(seen.time - time) <= NEAR_US && !seen.lost);
    const there = new Set(near.map(({ id }) => id));
    const lying = new Set(
      this.#seen
        .filter((seen) => seen.time > time && seen.posture === 'lying' && there.has(seen.id))
        .map(({ id }) => id),
    );
    const [person] = there.size === 1 ? there : lying.size === 1 ? lying : [];
    if (person === undefined) return { person: null, location: null };
    const own = near.filter(({ id }) => id === person);
    const closest = own.reduce((a, b) => (Math.abs(b.time - time) < Math.abs(a.time - time) ? b : a));
    return { person, location: { ...closest.position } };
  }

  /**
   * Why the motion of this person at `time` is no fall: they stayed in a bed or on a sofa after it, or have looked
   * like a pet in all of the last seconds; null: nothing says so.
   */
  excuseOf(person: number, time: number): 'resting' | 'pet' | null {
    const own = this.#seen.filter(({ id, lost }) => id === person && !lost);
    if (own.length === 0 || !own.every(({ isPlaced }) => isPlaced)) return null;
    if (own.every(({ position, height }) => looksLikePet(this.#zones, position, height ?? null)))
      return 'pet';
    const after = own.filter((one) => one.time >= time && one.time <= time + AFTER_US.to);
    const rests = ({ position, height }: Sighting) => isRestful(this.#zones, position, height ?? null);
    return after.length > 0 && after.every(rests) ? 'resting' : null;
  }

  /**
   * Whether the room was empty after a motion that ended at `time`: a pet moved, or somebody left. The poses
   * of the following seconds decide; without any, or with anybody in sight in one, it was not.
   */
  isEmptyAfter(time: number): boolean {
    const isAfter = (one: Moment) => one.time >= time + AFTER_US.from && one.time <= time + AFTER_US.to;
    return this.#empty.some(isAfter) && !this.#seen.some((sighting) => !sighting.lost && isAfter(sighting));
  }

  snapshot(): PeopleState {
    return {
      seen: this.#seen.map((seen) => ({ ...seen, position: { ...seen.position } })),
      empty: [...this.#empty],
    };
  }

  restore(state: PeopleState | readonly Sighting[]): void {
    const { seen, empty } = isEarlier(state) ? { seen: state, empty: [] } : state;
    this.#seen = [...seen];
    this.#empty = [...empty];
  }
}

export interface PeopleState {
  readonly seen: readonly Sighting[];
  readonly empty: readonly Moment[];
}

/** States of earlier versions are a list of sightings. */
const isEarlier = (state: PeopleState | readonly Sighting[]): state is readonly Sighting[] =>
  Array.isArray(state);

/** Event time, microseconds. */
interface Moment {
  readonly time: number;
}

interface Sighting extends Moment {
  readonly id: number;
  readonly lost: boolean;
  readonly posture: Posture;
  readonly position: Point;
  /** Height of the highest keypoint, metres; missing in states of earlier versions. */
  readonly height?: number | null;
  /** Enough links saw it to tell where in the room. Missing in states of earlier versions. */
  readonly isPlaced?: boolean;
}

/** Longer than the decision about a fall takes. */
const MEMORY_US = 15_000_000;
const MAX_SEEN = 4096;
const NEAR_US = 1_500_000;
/** Fewer links do not show reliably whether somebody is there. */
const ENOUGH_LINKS = 3;
/** When somebody who fell must be in sight. Poses of the last seconds before the decision may still be computed. */
const AFTER_US = { from: 1_000_000, to: 6_000_000 } as const;
