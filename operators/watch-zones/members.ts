import type { Point } from '../../pipeline/model/index.js';

/** The environment's region; the regions after it are its zones. */
export const ROOM = 0;

/** Position and confidence of a sighting. */
export interface Sighting {
  readonly time: number;
  readonly position: Point;
  readonly confidence: number;
}

/** One person and one region: the environment, or a zone. */
export interface Stay {
  /** In the newest pose frame. */
  there: boolean;
  /** Since when, and the person's position then. */
  since: Sighting;
  /** Where the person crossed the zone's edge, until the exit is confirmed. */
  edge: Sighting | null;
  /** It is absent because it went out of sight. */
  vanished: boolean;
  /** The confirmed state: the sighting with which it began. */
  entered: Sighting | null;
  /** The person was first seen here. */
  appeared: boolean;
}

/** A person in sight, or in sight until just now. */
export interface Member {
  readonly id: number;
  /** By region. */
  readonly stays: Stay[];
  /** Zones visited since the person appeared, by region. */
  readonly visited: boolean[];
  /** Whether the newest pose frame contains it, with its data. */
  seen: boolean;
  moving: boolean;
  lying: boolean;
  last: Sighting;
  /** When last seen moving, event time; missing: never, or in states of earlier versions. */
  walked?: number;
}

/** A confirmed entry into or exit from a region, and when it began. */
export interface Change {
  readonly time: number;
  readonly member: Member;
  readonly region: number;
}

export const newMember = (id: number, sighting: Sighting, regions: number): Member => ({
  id,
  stays: Array.from({ length: regions }, () => ({
    there: false,
    since: sighting,
    edge: null,
    vanished: false,
    entered: null,
    appeared: false,
  })),
  visited: new Array<boolean>(regions).fill(false),
  seen: true,
  moving: false,
  lying: false,
  last: sighting,
});

/**
 * Changes that have lasted for `stay` microseconds at `now` and are not yet confirmed, by time; persons in
 * their order.
 */
export function decided(members: Iterable<Member>, now: number, stay: number): Change[] {
  const changes: Change[] = [];
  for (const member of members)
    member.stays.forEach(({ there, since, entered }, region) => {
      if (there !== (entered !== null) && since.time + stay <= now)
        changes.push({ time: since.time, member, region });
    });
  return changes.sort((a, b) => a.time - b.time);
}

/** Whether it counts as being in the environment. */
export const isPresent = ({ stays }: Member): boolean => stays[ROOM]!.entered !== null;

export const isGone = ({ stays }: Member): boolean =>
  stays.every(({ there, entered }) => !there && entered === null);
