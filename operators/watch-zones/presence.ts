import type { Environment, Person } from '../../pipeline/model/index.js';
import { depth } from '../shared/polygon.js';
import { hasHeight, heightOf } from '../shared/zones.js';
import { decided, isGone, newMember, ROOM, type Change, type Member, type Sighting } from './members.js';

export interface PresenceSettings {
  /** Distance beyond a zone's edge at which a person has left it, metres. */
  readonly margin: number;
  /** Microseconds that a change must last to count. */
  readonly stay: number;
  /** Speed from which a person is moving, metres per second. */
  readonly moving: number;
}

/** Largest number of persons followed at a time; further ones are ignored. */
const MAX_MEMBERS = 256;

/** Who is in which region: the environment, then its zones. Changes of position count once they have lasted. */
export class Presence {
  readonly #environment: Environment;
  readonly #settings: PresenceSettings;
  readonly #regions: number;
  #members = new Map<number, Member>();

  constructor(environment: Environment, settings: PresenceSettings) {
    this.#environment = environment;
    this.#settings = settings;
    this.#regions = environment.zones.length + 1;
  }

  get members(): Iterable<Member> {
    return this.#members.values();
  }

  member(id: number): Member | undefined {
    return this.#members.get(id);
  }

  /** Those with a confirmed stay in a region. */
  in(region: number): readonly Member[] {
    return [...this.#members.values()].filter(({ stays }) => stays[region]!.entered !== null);
  }

  /** Their number, by region. */
  counts(): number[] {
    const counts = new Array<number>(this.#regions).fill(0);
    for (const { stays } of this.#members.values())
      stays.forEach(({ entered }, region) => {
        if (entered) counts[region]!++;
      });
    return counts;
  }

  /**
   * Follows the persons of a pose frame. @param held ids of members that count as present though not seen @returns
   * the number of persons beyond the limit
   */
  look(time: number, persons: readonly Person[], held: ReadonlySet<number>): number {
    let left = 0;
    const here = new Set(held);
    for (const id of here) hold(this.#members.get(id)!);
    for (const person of persons) {
      const { id, velocity } = person.track!;
      const { x, y } = person.position;
      const sighting: Sighting = { time, position: { x, y, z: 0 }, confidence: person.confidence };
      let member = this.#members.get(id);
      if (!member) {
        if (this.#members.size >= MAX_MEMBERS) {
          left++;
          continue;
        }
        member = newMember(id, sighting, this.#regions);
        this.#members.set(id, member);
      }
      here.add(id);
      member.seen = true;
      member.last = sighting;
      member.moving = Math.hypot(velocity.x, velocity.y) >= this.#settings.moving;
      if (member.moving) member.walked = time;
      member.lying = person.posture === 'lying';
      this.#locate(member, sighting, heightOf(person));
    }
    for (const member of this.#members.values()) if (!here.has(member.id)) vanish(member, time);
    return left;
  }

  /** Nobody is in sight any more. */
  lose(time: number): void {
    for (const member of this.#members.values()) vanish(member, time);
  }

  /** Changes that have lasted long enough at `now` and are not confirmed yet, by time. */
  decided(now: number): Change[] {
    return decided(this.#members.values(), now, this.#settings.stay);
  }

  /** Persons who are nowhere any more are no longer followed. */
  forgetGone(): void {
    for (const member of this.#members.values()) if (isGone(member)) this.#members.delete(member.id);
  }

  snapshot(): readonly Member[] {
    return [...this.#members.values()];
  }

  restore(members: readonly Member[]): void {
    this.#members = new Map(members.map((member) => [member.id, member]));
  }

  #locate(member: Member, sighting: Sighting, height: number | null): void {
    const isNew = !member.stays[ROOM]!.there;
    member.stays.forEach((stay, region) => {
      const inside = region === ROOM ? Infinity : this.#depth(region, sighting, height);
      stay.edge = inside < 0 && stay.there ? (stay.edge ?? sighting) : null;
      const there = inside >= (stay.there ? -this.#settings.margin : 0);
      if (there === stay.there) return;
      // A person who was out for only a moment does not count as appearing again.
      if (there && stay.entered === null) stay.appeared = isNew;
      stay.there = there;
      stay.vanished = false;
      // A person beyond the margin left when crossing the edge, but no earlier than the settled time.
      const since = stay.edge ?? sighting;
      stay.since = { ...since, time: Math.max(since.time, sighting.time - this.#settings.stay) };
      stay.edge = null;
    });
  }

  /** Metres inside the zone, negative outside. Too high or too low is far outside. */
  #depth(region: number, { position: { x, y } }: Sighting, height: number | null): number {
    const zone = this.#environment.zones[region - 1]!;
    return hasHeight(zone, height) ? depth(zone.polygon, x, y) : -Infinity;
  }
}

/** It is not seen, and is where it counted as being. */
function hold(member: Member): void {
  member.seen = true;
  member.moving = false;
  for (const stay of member.stays) {
    if (!stay.vanished || stay.entered === null) continue;
    stay.there = true;
    stay.vanished = false;
  }
}

function vanish(member: Member, time: number): void {
  member.seen = false;
  for (const stay of member.stays) {
    if (!stay.there) continue;
    stay.there = false;
    stay.edge = null;
    stay.vanished = true;
    stay.since = { ...member.last, time };
  }
}
