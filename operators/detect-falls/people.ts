import type { Point, PoseFrame, Posture } from '../../pipeline/model/index.js';

/** Positions of tracked people in the last seconds, to report who fell and where. */
export class People {
  #seen: Sighting[] = [];

  see(frame: PoseFrame): void {
    for (const person of frame.persons) {
      if (!person.track || person.track.state === 'ended') continue;
      const { id, state } = person.track;
      this.#seen.push({
        time: frame.time,
        id,
        lost: state === 'lost',
        posture: person.posture,
        position: person.position,
      });
    }
    const oldest = frame.time - KEPT_US;
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

  snapshot(): PeopleState {
    return this.#seen.map((seen) => ({ ...seen, position: { ...seen.position } }));
  }

  restore(state: PeopleState): void {
    this.#seen = [...state];
  }
}

export type PeopleState = readonly Sighting[];

interface Sighting {
  readonly time: number;
  readonly id: number;
  readonly lost: boolean;
  readonly posture: Posture;
  readonly position: Point;
}

/** Longer than the decision about a fall takes. */
const KEPT_US = 15_000_000;
const MAX_SEEN = 4096;
const NEAR_US = 1_500_000;
