import {
  FUNNEL_STAGES,
  type Environment,
  type Measure,
  type Person,
  type PoseFrame,
  type Provenance,
  type Zone,
} from '../../pipeline/model/index.js';
import { Alerts, isGuarded, type AlertState, type Present } from './alerts.js';
import { allowedAt } from './authority.js';
import { Findings, type Finding } from './findings.js';
import { decided, isGone, newMember, ROOM, type Change, type Member, type Sighting } from './members.js';
import { addTo, MINUTE, minuteRows, newMinute, type MinuteState } from './minute.js';
import { depth } from '../shared/polygon.js';
import { hasHeight, heightOf } from '../shared/zones.js';
import { sureness } from '../shared/sureness.js';
import { RoomNote, type RoomNoteState } from '../shared/room-note.js';
import { Sights, type SightSettings, type SightState } from '../shared/sights.js';

export interface WatchSettings {
  /** Distance beyond a zone's edge at which a person has left it, metres. */
  readonly margin: number;
  /** Microseconds that a change must last to count. */
  readonly stay: number;
  /** Microseconds for which a lost or uncertain person still counts as present. */
  readonly lost: number;
  /** Longest validity of a frame, microseconds. */
  readonly gap: number;
  /** Speed from which a person is moving, metres per second. */
  readonly moving: number;
}

export interface WatchState extends AlertState {
  readonly regions: readonly string[];
  readonly newest: Newest | null;
  readonly lag: number;
  readonly sights: SightState;
  readonly room: RoomNoteState;
  readonly covered: boolean;
  readonly accrued: number;
  readonly settled: number;
  readonly members: readonly Member[];
  readonly minutes: readonly MinuteState[];
  readonly told: readonly number[];
}

/** Retained part of the newest frame. */
interface Newest {
  readonly time: number;
  /** Certainty of its number of persons, thousandths: see docs/analytics.md. */
  readonly sureness: number;
  readonly provenance: Provenance;
}

/** Largest number of persons followed at a time; further ones are ignored. */
const MAX_MEMBERS = 256;
/** A visit to the perimeter that both begins and ends out of sight does not count if it is shorter, microseconds. */
const FALSE_VISIT = 5_000_000;
/**
 * One environment. It has two clocks: immediate values of frames are summed up to `accrued`; changes of
 * position are confirmed after `stay`, so the time up to which they are known, `settled`, is behind by that
 * much.
 */
export class Watch {
  readonly #environment: Environment;
  readonly #settings: WatchSettings;
  /** Ids: the environment, then the zones. */
  readonly #regions: readonly string[];
  readonly #findings: Findings;
  readonly #alerts: Alerts;
  readonly #sights: Sights;
  readonly #room = new RoomNote();
  #newest: Newest | null = null;
  /** Difference between a frame's time and the event time at its arrival, microseconds. */
  #lag = 0;
  #covered = false;
  #accrued = 0;
  #settled = 0;
  #members = new Map<number, Member>();
  #minutes = new Map<number, MinuteState>();
  /** Last reported numbers of persons, by region. */
  #told: number[];

  constructor(environment: Environment, settings: WatchSettings, sight: SightSettings) {
    this.#environment = environment;
    this.#settings = settings;
    this.#sights = new Sights(sight, environment.zones);
    this.#regions = [environment.id, ...environment.zones.map(({ id }) => id)];
    this.#findings = new Findings(environment, () => this.#newest!.provenance);
    this.#alerts = new Alerts(environment, this.#regions, this.#findings);
    this.#told = this.#regions.map(() => 0);
  }

  /** Event time of the newest frame; -Infinity before the first. */
  get time(): number {
    return this.#newest?.time ?? -Infinity;
  }

  /** Last reported number of persons. */
  get occupancy(): number {
    return this.#told[ROOM]!;
  }

  /** @returns the current findings, and the number of persons beyond the limit */
  see(frame: PoseFrame): { readonly findings: Finding[]; readonly left: number } {
    const { time, windowEnd } = frame;
    if (windowEnd - time > this.#lag) this.#lag = Math.ceil(windowEnd - time);
    this.#advance(time);
    if (!this.#covered) {
      this.#covered = true;
      this.#accrued = this.#settled = time;
    }
    this.#sights.see(time, frame.persons);
    const confirmed = frame.persons.filter((person) => this.#isConfirmed(person, time));
    const held = frame.persons.filter((person) => !confirmed.includes(person) && this.#isHeld(person, time));
    const unseen = confirmed.length + held.length === 0 ? this.#unseen(time) : undefined;
    const sureness = unseen
      ? Math.round(1000 * this.#room.probability)
      : surenessOf(frame, [...confirmed, ...held]);
    this.#newest = { time, sureness, provenance: frame.provenance };
    const minute = this.#minute(time);
    minute.frames++;
    minute.detections += confirmed.length;
    for (const { confidence } of confirmed) minute.confidence += Math.round(confidence * 1000);
    const left = this.#look(
      time,
      confirmed,
      new Set(unseen ? [unseen.id] : held.map(({ track }) => track!.id)),
    );
    this.#decide(time);
    return { findings: this.#findings.take(), left };
  }

  /** Adds a measure: those of `detect-motion` about the room count. */
  hear(measure: Measure): void {
    this.#room.see(measure);
  }

  /**
   * Event time has reached `time`: no frame whose window ends by then is missing. The frames' own times are
   * behind that.
   */
  reach(time: number): Finding[] {
    this.#advance(time - this.#lag);
    return this.#findings.take();
  }

  /** Returns the unfinished minutes as they are. */
  closeMinutes(): Finding[] {
    this.#close(Infinity);
    return this.#findings.take();
  }

  snapshot(): WatchState {
    return structuredClone({
      regions: this.#regions,
      newest: this.#newest,
      lag: this.#lag,
      sights: this.#sights.snapshot(),
      room: this.#room.snapshot(),
      covered: this.#covered,
      accrued: this.#accrued,
      settled: this.#settled,
      members: [...this.#members.values()],
      minutes: [...this.#minutes.values()],
      told: this.#told,
      ...this.#alerts.snapshot(),
    });
  }

  /** A state with other zones is dropped. */
  restore(saved: WatchState): void {
    if (saved.regions.join('\n') !== this.#regions.join('\n')) return;
    const state = structuredClone(saved);
    this.#newest = state.newest;
    this.#lag = state.lag;
    this.#sights.restore(state.sights);
    this.#room.restore(state.room);
    this.#covered = state.covered;
    this.#accrued = state.accrued;
    this.#settled = state.settled;
    this.#members = new Map(state.members.map((member) => [member.id, member]));
    this.#minutes = new Map(state.minutes.map((minute) => [minute.start, minute]));
    this.#told = [...state.told];
    this.#alerts.restore(state);
  }

  /** In a room that is certainly empty, new persons are ignored. */
  #isConfirmed(person: Person, time: number): boolean {
    const { x, y } = person.position;
    if (!this.#sights.isThere(person) || !Number.isFinite(x) || !Number.isFinite(y)) return false;
    return this.#members.has(person.track!.id) || !this.#room.looksEmpty(time);
  }

  /** Still counts as present at the last position, though not seen with certainty. */
  #isHeld(person: Person, time: number): boolean {
    const { track } = person;
    if (track?.state !== 'active' && track?.state !== 'lost') return false;
    const member = this.#members.get(track.id);
    if (this.#room.looksEmpty(time)) return false;
    const lost = time - (member?.last.time ?? -Infinity);
    return member?.seen === true && lost <= this.#settings.lost && this.#sights.isTrusted(person);
  }

  /** If nobody is in sight though somebody is present: the person seen last, unless dropped. */
  #unseen(time: number): Member | undefined {
    if (!this.#room.isOccupied(time)) return undefined;
    const here = [...this.#members.values()].filter(({ seen }) => seen);
    return here.sort((a, b) => b.last.time - a.last.time)[0];
  }

  #advance(time: number): void {
    if (this.#covered) {
      const end = this.#newest!.time + this.#settings.gap;
      const now = Math.min(time, end);
      this.#accrue(now);
      this.#decide(now);
      this.#settle(now - this.#settings.stay);
      if (time > end) this.#lose(end);
    }
    this.#close(this.#covered ? this.#settled : time);
  }

  /** No frame arrived for too long: nobody is in sight, and from then on nothing is known. */
  #lose(time: number): void {
    for (const member of this.#members.values()) this.#vanish(member, time);
    this.#decide(Infinity);
    this.#settle(time);
    this.#covered = false;
  }

  /** Sums up the newest frame, which is valid until `time`. */
  #accrue(time: number): void {
    const { sureness } = this.#newest!;
    while (this.#accrued < time) {
      const minute = this.#minute(this.#accrued);
      const end = Math.min(time, minute.start + MINUTE);
      const elapsed = end - this.#accrued;
      minute.seen += elapsed;
      minute.sureness += sureness * elapsed;
      for (const member of this.#members.values())
        if (member.seen) this.#accrueMember(member, minute, elapsed);
      this.#accrued = end;
    }
  }

  #accrueMember({ id, moving, lying, stays }: Member, minute: MinuteState, elapsed: number): void {
    if (moving) addTo(minute.moving, id, elapsed);
    const inBed = this.#environment.zones.some(
      ({ kind }, index) => kind === 'bed' && stays[index + 1]!.there,
    );
    if (!inBed) return;
    minute.bed.bed_seconds += elapsed;
    if (moving) minute.bed.bed_moving_seconds += elapsed;
    else if (lying) minute.bed.sleep_seconds += elapsed;
  }

  /** Sums up confirmed presence, which is known until `time`. */
  #settle(time: number): void {
    const counts = this.#counts();
    while (this.#settled < time) {
      const minute = this.#minute(this.#settled);
      const end = Math.min(time, minute.start + MINUTE);
      const elapsed = end - this.#settled;
      const count = counts[ROOM]!;
      minute.withPersons[Math.min(4, count)]! += elapsed;
      counts.forEach((persons, region) => {
        minute.presence[region]! += persons * elapsed;
        minute.peak[region] = Math.max(minute.peak[region]!, persons);
      });
      for (const { id, stays } of this.#members.values())
        if (stays[ROOM]!.entered) addTo(minute.persons, id, elapsed);
      this.#settled = end;
      // The hours in which persons are authorised can begin or end with any minute.
      if (end === minute.start + MINUTE) this.#alerts.look(end, this.#present());
    }
  }

  #minute(time: number): MinuteState {
    const start = Math.floor(time / MINUTE) * MINUTE;
    const known = this.#minutes.get(start);
    if (known) return known;
    const made = newMinute(start, this.#newest!.provenance, this.#regions.length);
    this.#minutes.set(start, made);
    return made;
  }

  #close(time: number): void {
    const over = [...this.#minutes.values()].filter(({ start }) => start + MINUTE <= time);
    for (const minute of over.sort((a, b) => a.start - b.start)) {
      this.#minutes.delete(minute.start);
      this.#findings.add(minuteRows(minute, this.#environment.id, this.#regions.slice(1)));
    }
  }

  /** Updates presence from a frame. @returns the number of persons beyond the limit */
  #look(time: number, persons: readonly Person[], held: ReadonlySet<number>): number {
    let left = 0;
    const here = new Set(held);
    for (const id of here) this.#members.get(id)!.moving = false;
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
        member = newMember(id, sighting, this.#regions.length);
        this.#members.set(id, member);
      }
      here.add(id);
      member.seen = true;
      member.last = sighting;
      member.moving = Math.hypot(velocity.x, velocity.y) >= this.#settings.moving;
      member.lying = person.posture === 'lying';
      this.#place(member, sighting, heightOf(person));
    }
    for (const member of this.#members.values()) if (!here.has(member.id)) this.#vanish(member, time);
    return left;
  }

  #place(member: Member, sighting: Sighting, height: number | null): void {
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
    const zone = this.#zone(region);
    return hasHeight(zone, height) ? depth(zone.polygon, x, y) : -Infinity;
  }

  #vanish(member: Member, time: number): void {
    member.seen = false;
    for (const stay of member.stays) {
      if (!stay.there) continue;
      stay.there = false;
      stay.edge = null;
      stay.vanished = true;
      stay.since = { ...member.last, time };
    }
  }

  #zone = (region: number): Zone => this.#environment.zones[region - 1]!;

  #counts(): number[] {
    const counts = this.#regions.map(() => 0);
    for (const { stays } of this.#members.values())
      stays.forEach(({ entered }, region) => {
        if (entered) counts[region]!++;
      });
    return counts;
  }

  #present(): Present {
    const members = [...this.#members.values()];
    return {
      counts: this.#counts(),
      in: (region) => members.filter(({ stays }) => stays[region]!.entered !== null),
    };
  }

  /** Confirms changes that have lasted long enough at `now`. */
  #decide(now: number): void {
    const changes = decided(this.#members.values(), now, this.#settings.stay);
    for (let at = 0; at < changes.length;) {
      const { time } = changes[at]!;
      this.#settle(time);
      for (; changes[at]?.time === time; at++) this.#apply(changes[at]!);
      this.#tell(time);
      this.#alerts.look(time, this.#present());
    }
    for (const member of this.#members.values()) if (isGone(member)) this.#members.delete(member.id);
  }

  #apply({ time, member, region }: Change): void {
    const stay = member.stays[region]!;
    const { entered } = stay;
    stay.entered = entered === null ? stay.since : null;
    if (region === ROOM) {
      if (entered !== null) member.visited.fill(false);
      else this.#findings.measure('person_entered', String(member.id), time, 1);
    } else if (entered === null) this.#enter(member, region, time);
    else this.#leave(member, region, time, entered);
  }

  #enter(member: Member, region: number, time: number): void {
    const { id, name, kind, funnel } = this.#zone(region);
    const { counts, stages } = this.#minute(time);
    if (!member.visited[region]) counts.zone_visitors[region]!++;
    const isPurchase = funnel === 'purchase' && !this.#hasPurchased(member);
    member.visited[region] = true;
    if (isPurchase)
      member.visited.forEach((was, visited) => {
        if (was) counts.zone_conversions[visited]!++;
      });
    if (funnel) {
      const stage = FUNNEL_STAGES.indexOf(funnel) + 1;
      addTo(stages, member.id, Math.max(0, stage - (stages.get(member.id) ?? 0)));
    }
    const authorised = this.#counts()[region]! <= allowedAt(this.#environment, time);
    if (isGuarded(kind)) counts[authorised ? 'entries_authorised' : 'entries_unauthorised'][region]!++;
    this.#findings.event('zone_entered', 'low', time, member, member.stays[region]!.since, {
      zone: id,
      zone_name: name ?? id,
      ...(isGuarded(kind) && { authorised }),
    });
  }

  #leave(member: Member, region: number, time: number, entered: Sighting): void {
    const { id, name, kind } = this.#zone(region);
    const { appeared, vanished, since } = member.stays[region]!;
    const isFalse = appeared && vanished && time - entered.time < FALSE_VISIT;
    if (isGuarded(kind) && isFalse) this.#minute(time).counts.entries_false[region]!++;
    this.#findings.event('zone_left', 'low', time, member, since, {
      zone: id,
      zone_name: name ?? id,
      dwell_seconds: (time - entered.time) / 1e6,
      out_of_sight: vanished,
    });
  }

  #hasPurchased = ({ visited }: Member): boolean =>
    visited.some((was, region) => was && region !== ROOM && this.#zone(region).funnel === 'purchase');

  /** Reports changed numbers of persons. */
  #tell(time: number): void {
    this.#counts().forEach((count, region) => {
      if (count === this.#told[region]) return;
      this.#told[region] = count;
      this.#findings.measure('occupancy', region === ROOM ? null : this.#regions[region]!, time, count);
    });
  }
}

/** Certainty of the number of people, thousandths. */
const surenessOf = ({ persons, signalQuality }: PoseFrame, counted: readonly Person[]): number =>
  Math.round(1000 * sureness(counted, persons.filter(isInSight), signalQuality));

/** Seen in this frame, perhaps with little confidence. */
const isInSight = ({ track }: Person): boolean => track?.state !== 'lost' && track?.state !== 'ended';
