import type { Point } from '../../pipeline/model/index.js';

/** The environment's region; those behind it are its zones. */
export const ROOM = 0;

/** Where and how surely somebody was seen. */
export interface Sighting {
  readonly time: number;
  readonly position: Point;
  readonly confidence: number;
}

/** One person and one region: the environment, or a zone. */
export interface Stay {
  /** As the newest frame has it. */
  there: boolean;
  /** Since when, and where the person was then. */
  since: Sighting;
  /** Where the zone's edge was crossed, while it is not sure yet that the person has left. */
  edge: Sighting | null;
  /** It was not there because it was out of sight. */
  vanished: boolean;
  /** What was decided, once it had lasted long enough: the sighting that it began with. */
  entered: Sighting | null;
  /** The person was first seen here. */
  appeared: boolean;
}

/** A person in sight, or who was until just now. */
export interface Member {
  readonly id: number;
  /** By region. */
  readonly stays: Stay[];
  /** Zones that were visited since the person came, by region. */
  readonly visited: boolean[];
  /** Whether the newest frame has it, with what it says. */
  seen: boolean;
  moving: boolean;
  lying: boolean;
  last: Sighting;
}

/** A decision that somebody came into a region or left it, when that began. */
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

/** What has lasted for `stay` microseconds at `now` and is not yet decided, by time; persons in their order. */
export function decided(members: Iterable<Member>, now: number, stay: number): Change[] {
  const changes: Change[] = [];
  for (const member of members)
    member.stays.forEach(({ there, since, entered }, region) => {
      if (there !== (entered !== null) && since.time + stay <= now)
        changes.push({ time: since.time, member, region });
    });
  return changes.sort((a, b) => a.time - b.time);
}

export const isGone = ({ stays }: Member): boolean =>
  stays.every(({ there, entered }) => !there && entered === null);
