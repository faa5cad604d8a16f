import type { Environment, Measure, Person, PoseFrame, Provenance } from '../../pipeline/model/index.js';
import { Alerts, type AlertState } from './alerts.js';
import { Findings, type Finding } from './findings.js';
import { isPresent, ROOM, type Member } from './members.js';
import { Minutes, type MinutesState } from './minutes.js';
import { Presence, type PresenceSettings } from './presence.js';
import { Vacancy, walkedOut } from './vacancy.js';
import { Visits } from './visits.js';
import { isUndecided, sureness } from '../shared/sureness.js';
import { RoomNote, type RoomNoteState } from '../shared/room-note.js';
import { Sights, type SightSettings, type SightState } from '../shared/sights.js';

export interface WatchSettings extends PresenceSettings {
  /** Microseconds for which a lost or uncertain person still counts as present. */
  readonly lost: number;
  /** Microseconds for which poses must be certain of an empty room until those who walked out of sight have left. */
  readonly vacant: number;
  /** Longest validity of a pose frame, microseconds. */
  readonly gap: number;
}

export interface WatchState extends AlertState, MinutesState {
  readonly regions: readonly string[];
  readonly newest: Newest | null;
  readonly lag: number;
  readonly sights: SightState;
  readonly room: RoomNoteState;
  readonly covered: boolean;
  /** These are missing in states of earlier versions. */
  readonly began?: number;
  readonly known?: boolean;
  readonly vacantSince?: number | null;
  readonly members: readonly Member[];
  readonly told: readonly (number | null)[];
}

/** Retained part of the newest pose frame. */
interface Newest {
  readonly time: number;
  /** Certainty of its number of persons, thousandths: see docs/analytics.md. */
  readonly sureness: number;
  readonly provenance: Provenance;
}

/** One environment: from its pose frames to who is where, what is summed, and what is reported. */
export class Watch {
  readonly #settings: WatchSettings;
  /** Ids: the environment, then the zones. */
  readonly #regions: readonly string[];
  readonly #findings: Findings;
  readonly #alerts: Alerts;
  readonly #sights: Sights;
  readonly #presence: Presence;
  readonly #minutes: Minutes;
  readonly #visits: Visits;
  readonly #room = new RoomNote();
  readonly #vacancy: Vacancy;
  #newest: Newest | null = null;
  /** Difference between a pose frame's time and the event time at its arrival, microseconds. */
  #lag = 0;
  #covered = false;
  /** When the current coverage began, event time. */
  #began = 0;
  /** Whether the reported numbers of persons hold: coverage has lasted long enough for them. */
  #known = false;
  /** Last reported numbers of persons, by region; null: none since they became known. */
  #told: (number | null)[];

  constructor(environment: Environment, settings: WatchSettings, sight: SightSettings) {
    this.#settings = settings;
    this.#sights = new Sights(sight, environment.zones);
    this.#vacancy = new Vacancy(settings.vacant);
    this.#regions = [environment.id, ...environment.zones.map(({ id }) => id)];
    const provenance = () => this.#newest!.provenance;
    this.#findings = new Findings(environment, provenance);
    this.#presence = new Presence(environment, settings);
    this.#minutes = new Minutes(environment, this.#presence, provenance, (end) => {
      // The hours in which persons are authorised can begin or end with any minute.
      this.#lookForAlerts(end);
    });
    this.#visits = new Visits(environment, this.#presence, this.#minutes, this.#findings);
    this.#alerts = new Alerts(environment, this.#regions, this.#findings);
    this.#told = this.#regions.map(() => null);
  }

  /** Event time of the newest pose frame; -Infinity before the first. */
  get time(): number {
    return this.#newest?.time ?? -Infinity;
  }

  /** Last reported number of persons; null: unknown. */
  get occupancy(): number | null {
    return this.#told[ROOM]!;
  }

  /** @returns the current findings, and the number of persons beyond the limit */
  see(poseFrame: PoseFrame): { readonly findings: Finding[]; readonly left: number } {
    const { time, windowEnd } = poseFrame;
    if (windowEnd - time > this.#lag) this.#lag = Math.ceil(windowEnd - time);
    this.#advance(time);
    this.#sights.see(time, poseFrame.persons);
    this.#vacancy.see(time, this.time, poseFrame);
    const confirmed = poseFrame.persons.filter((person) => this.#isConfirmed(person, time));
    const held = poseFrame.persons.filter(
      (person) => !confirmed.includes(person) && this.#isHeld(person, time),
    );
    const unseen = confirmed.length + held.length === 0 ? this.#unseen(time) : undefined;
    if (confirmed.length + held.length === 0 && !unseen && isUndecided(poseFrame)) {
      if (this.#covered) this.#lose(time);
      return { findings: this.#findings.take(), left: 0 };
    }
    if (!this.#covered) {
      this.#covered = true;
      this.#began = time;
      this.#minutes.begin(time);
    }
    const sureness = unseen
      ? Math.round(1000 * this.#room.probability)
      : surenessOf(poseFrame, [...confirmed, ...held]);
    this.#newest = { time, sureness, provenance: poseFrame.provenance };
    const minute = this.#minutes.at(time);
    minute.frames++;
    minute.detections += confirmed.length;
    for (const { confidence } of confirmed) minute.confidence += Math.round(confidence * 1000);
    const left = this.#presence.look(
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
   * Event time has reached `time`: no pose frame whose window ends by then is missing. The pose frames' own times are
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
    const { accrued, settled, minutes } = this.#minutes.snapshot();
    return structuredClone({
      regions: this.#regions,
      newest: this.#newest,
      lag: this.#lag,
      sights: this.#sights.snapshot(),
      room: this.#room.snapshot(),
      covered: this.#covered,
      began: this.#began,
      known: this.#known,
      vacantSince: this.#vacancy.snapshot(),
      accrued,
      settled,
      members: this.#presence.snapshot(),
      minutes,
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
    this.#began = state.began ?? 0;
    this.#known = state.known ?? state.covered;
    this.#vacancy.restore(state.vacantSince ?? null);
    this.#presence.restore(state.members);
    this.#minutes.restore(state);
    // Earlier versions wrote 0 for unknown numbers.
    this.#told = this.#known ? [...state.told] : this.#regions.map(() => null);
    this.#alerts.restore(state);
  }

  /** In a room that is certainly empty, new persons are ignored. */
  #isConfirmed(person: Person, time: number): boolean {
    const { x, y } = person.position;
    if (!this.#sights.isThere(person) || !Number.isFinite(x) || !Number.isFinite(y)) return false;
    return this.#presence.member(person.track!.id) !== undefined || !this.#room.looksEmpty(time);
  }

  /** Still counts as present at the last position, though not seen with certainty. */
  #isHeld(person: Person, time: number): boolean {
    const { track } = person;
    if (track?.state !== 'active' && track?.state !== 'lost') return false;
    const member = this.#presence.member(track.id);
    if (!member || this.#room.looksEmpty(time) || this.#vacancy.hasLeft(member, time)) return false;
    const lost = time - member.last.time;
    return member.seen && lost <= this.#settings.lost && this.#sights.isTrusted(person);
  }

  /**
   * If nobody is in sight though somebody is present: who rested when last seen and still counts, because walkers
   * may have left without them; otherwise the person seen last, unless they left.
   */
  #unseen(time: number): Member | undefined {
    if (!this.#room.isOccupied(time)) return undefined;
    const members = [...this.#presence.members];
    const rested = members.filter((member) => !walkedOut(member) && (member.seen || isPresent(member)));
    const walked = members.filter((member) => member.seen && !this.#vacancy.hasLeft(member, time));
    return newest(rested) ?? newest(walked);
  }

  #advance(time: number): void {
    if (this.#covered) {
      const end = this.#newest!.time + this.#settings.gap;
      const now = Math.min(time, end);
      this.#minutes.accrue(now, this.#newest!.sureness);
      this.#decide(now);
      this.#minutes.settle(now - this.#settings.stay);
      if (time > end) this.#lose(end);
    }
    this.#close(this.#covered ? this.#minutes.settled : time);
  }

  /** No pose frame arrived for too long, or none that says anything: nobody is in sight, and nothing is known. */
  #lose(time: number): void {
    this.#covered = false;
    if (this.#known) this.#findings.measure('occupancy_known', null, time, 0);
    this.#known = false;
    this.#told = this.#regions.map(() => null);
    this.#vacancy.lose();
    this.#presence.lose(time);
    this.#decide(Infinity);
    this.#minutes.settle(time);
  }

  /** Coverage has lasted: the numbers of persons since its beginning are known. */
  #know(): void {
    if (this.#known) return;
    this.#known = true;
    this.#findings.measure('occupancy_known', null, this.#began, 1);
    this.#tell(this.#began);
  }

  #close(time: number): void {
    this.#findings.add(this.#minutes.close(time));
  }

  #lookForAlerts(time: number): void {
    const presence = this.#presence;
    this.#alerts.look(time, { counts: presence.counts(), in: (region) => presence.in(region) });
  }

  /** Confirms changes that have lasted long enough at `now`. */
  #decide(now: number): void {
    const changes = this.#presence.decided(now);
    const lasts = this.#covered && now >= this.#began + this.#settings.stay;
    for (let at = 0; at < changes.length;) {
      const { time } = changes[at]!;
      if (lasts && time > this.#began) this.#know();
      this.#minutes.settle(time);
      for (; changes[at]?.time === time; at++) this.#visits.take(changes[at]!);
      this.#tell(time);
      this.#lookForAlerts(time);
    }
    if (lasts) this.#know();
    this.#presence.forgetGone();
  }

  /** Reports changed numbers of persons. */
  #tell(time: number): void {
    if (!this.#known) return;
    this.#presence.counts().forEach((count, region) => {
      if (count === this.#told[region]) return;
      this.#told[region] = count;
      this.#findings.measure('occupancy', region === ROOM ? null : this.#regions[region]!, time, count);
    });
  }
}

/** Certainty of the number of people, thousandths. */
const surenessOf = (poseFrame: PoseFrame, counted: readonly Person[]): number =>
  Math.round(1000 * sureness(counted, poseFrame.persons.filter(isInSight), poseFrame));

/** Seen in this pose frame, perhaps with little confidence. */
const isInSight = ({ track }: Person): boolean => track?.state !== 'lost' && track?.state !== 'ended';

/** The one seen last; undefined: nobody. */
const newest = (members: readonly Member[]): Member | undefined =>
  [...members].sort((a, b) => b.last.time - a.last.time)[0];
