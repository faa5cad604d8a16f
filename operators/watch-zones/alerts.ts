import type { Environment, SensedEvent, Severity, Zone } from '../../pipeline/model/index.js';
import { allowedAt } from './authority.js';
import type { Findings } from './findings.js';
import { ROOM, type Member } from './members.js';

export interface AlertState {
  readonly intruding: readonly (number | null)[];
  readonly crowd: boolean;
}

/** Persons in a region, and the number in each. */
export interface Present {
  readonly counts: readonly number[];
  in(region: number): readonly Member[];
}

/** Reports intruders in guarded regions, and crowds in the environment. */
export class Alerts {
  readonly #environment: Environment;
  /** Ids: the environment, then the zones. */
  readonly #regions: readonly string[];
  readonly #guarded: readonly number[];
  readonly #findings: Findings;
  /** Since when there are intruders, by region. */
  #intruding: (number | null)[];
  #crowd = false;

  constructor(environment: Environment, regions: readonly string[], findings: Findings) {
    this.#environment = environment;
    this.#regions = regions;
    this.#findings = findings;
    const guarded = environment.zones.flatMap(({ kind }, index) => (isGuarded(kind) ? [index + 1] : []));
    this.#guarded = guarded.length > 0 ? guarded : [ROOM];
    this.#intruding = regions.map(() => null);
  }

  snapshot(): AlertState {
    return { intruding: [...this.#intruding], crowd: this.#crowd };
  }

  restore({ intruding, crowd }: AlertState): void {
    this.#intruding = [...intruding];
    this.#crowd = crowd;
  }

  /** Checks a region for intruders, and the environment for a crowd. */
  look(time: number, present: Present): void {
    const { counts } = present;
    const allowed = allowedAt(this.#environment, time);
    for (const region of this.#guarded) this.#watchIntruders(region, allowed, time, present);
    const { crowd_persons: least = Infinity } = this.#environment;
    const persons = counts[ROOM]!;
    if (persons >= least && !this.#crowd)
      this.#alarm('crowd', persons >= 2 * least ? 'high' : 'medium', ROOM, time, { persons }, present);
    this.#crowd = persons >= least;
  }

  #watchIntruders(region: number, allowed: number, time: number, present: Present): void {
    const persons = present.counts[region]!;
    const since = this.#intruding[region] ?? null;
    const subject = region === ROOM ? null : this.#regions[region]!;
    if (persons > allowed && since === null) {
      this.#intruding[region] = time;
      const threat = threatOf(
        region === ROOM ? undefined : this.#environment.zones[region - 1]!.kind,
        persons - allowed,
      );
      this.#alarm(
        'intrusion',
        threat,
        region,
        time,
        {
          zone: this.#regions[region]!,
          persons,
          threat_level: threat,
        },
        present,
      );
    } else if (persons <= allowed && since !== null) {
      this.#intruding[region] = null;
      this.#findings.measure('intrusion_seconds', subject, since, (time - since) / 1e6);
    }
  }

  /** About all persons in a region, at the position of the last to enter. */
  #alarm(
    type: 'intrusion' | 'crowd',
    severity: Severity,
    region: number,
    time: number,
    metadata: SensedEvent['metadata'],
    present: Present,
  ): void {
    const there = present.in(region);
    const last = there.reduce((a, b) =>
      b.stays[region]!.entered!.time >= a.stays[region]!.entered!.time ? b : a,
    );
    this.#findings.event(
      type,
      severity,
      time,
      there.length === 1 ? last : null,
      last.stays[region]!.entered!,
      metadata,
      {
        of: this.#regions[region]!,
      },
    );
  }
}

export const isGuarded = (kind: Zone['kind']): boolean => kind === 'restricted' || kind === 'perimeter';

/** A perimeter has the lowest level; two or more excess people raise it by one. */
function threatOf(kind: Zone['kind'], tooMany: number): Severity {
  if (kind === 'perimeter') return tooMany >= 2 ? 'high' : 'medium';
  return tooMany >= 2 ? 'critical' : 'high';
}
