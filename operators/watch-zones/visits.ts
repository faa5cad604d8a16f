import { FUNNEL_STAGES, type Environment, type Zone } from '../../pipeline/model/index.js';
import { isGuarded } from './alerts.js';
import { allowedAt } from './authority.js';
import type { Findings } from './findings.js';
import { ROOM, type Change, type Member, type Sighting } from './members.js';
import { addTo } from './minute.js';
import type { Minutes } from './minutes.js';
import type { Presence } from './presence.js';

/** A visit to the perimeter that both begins and ends out of sight does not count if it is shorter, microseconds. */
const FALSE_VISIT = 5_000_000;

/** Entries and exits of persons: events, and counts of the minute. */
export class Visits {
  readonly #environment: Environment;
  readonly #presence: Presence;
  readonly #minutes: Minutes;
  readonly #findings: Findings;

  constructor(environment: Environment, presence: Presence, minutes: Minutes, findings: Findings) {
    this.#environment = environment;
    this.#presence = presence;
    this.#minutes = minutes;
    this.#findings = findings;
  }

  /** Confirms a change, counts it and reports it. */
  take({ time, member, region }: Change): void {
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
    const { counts, stages } = this.#minutes.at(time);
    counts.zone_visits[region]!++;
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
    const authorised = this.#presence.counts()[region]! <= allowedAt(this.#environment, time);
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
    if (isGuarded(kind) && isFalse) this.#minutes.at(time).counts.entries_false[region]!++;
    this.#findings.event('zone_left', 'low', time, member, since, {
      zone: id,
      zone_name: name ?? id,
      dwell_seconds: (time - entered.time) / 1e6,
      out_of_sight: vanished,
    });
  }

  #hasPurchased = ({ visited }: Member): boolean =>
    visited.some((was, region) => was && region !== ROOM && this.#zone(region).funnel === 'purchase');

  #zone = (region: number): Zone => this.#environment.zones[region - 1]!;
}
