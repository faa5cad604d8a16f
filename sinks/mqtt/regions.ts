import type { Data, Environment, Measure, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { isoTime } from '../../pipeline/base/iso-time.js';
import { provenanceBody } from '../shared/alert.js';

/** A payload of `status/room` (`zone` is null) and of `zones/<zone>`. */
export interface RegionBody {
  readonly environment_id: string;
  readonly zone: string | null;
  readonly zone_name?: string;
  readonly timestamp: string;
  /** Number of persons as `watch-zones` counts them; null: not known, yet or any more. */
  readonly count: number | null;
  readonly occupied: boolean | null;
  /** When somebody was last there. */
  readonly last_seen: string | null;
  /** What the person there does whose activity changed last; null if nobody is there, or it is not known. */
  readonly activity: string | null;
  readonly provenance: ReturnType<typeof provenanceBody>;
}

/** The environment, or one of its zones. */
interface Region {
  readonly zone: Environment['zones'][number] | null;
  /** Numbers of the persons in the zone, as far as they are known. */
  readonly persons: Set<number>;
  count: number | null;
  /** Event times, microseconds: of the last count, and when somebody was last there. */
  counted: number;
  seen: number | null;
  /** Mean number of persons in the newest minute. */
  mean: { time: number; value: number };
  published: { time: number; content: string };
}

/** An unchanged state is published again after this time; otherwise Home Assistant's entities expire. */
const REPEAT_AFTER = 30_000_000;
/** Limit of persons whose activity is remembered; the one that changed longest ago is dropped first. */
const MAX_PERSONS = 256;
const MINUTE = 60_000_000;
/** If somebody was last seen further in the future, microseconds, the clock has been set back since. */
const SET_BACK = MINUTE;

/** Who is where in one environment, when somebody was last there, and what they do. */
export class Regions {
  readonly #environment: string;
  readonly #room: Region;
  readonly #regions: readonly Region[];
  /** By person, in the order of the last change. */
  readonly #activities = new Map<number, string>();
  /** `watch-zones` has said that nothing says who is there. */
  #isUnknown = false;

  constructor({ id, zones }: Pick<Environment, 'id' | 'zones'>) {
    this.#environment = id;
    this.#room = newRegion(null);
    this.#regions = [this.#room, ...zones.map(newRegion)];
  }

  /** Number of persons in the environment; null: unknown; undefined: nothing has counted them yet. */
  get count(): number | null | undefined {
    return this.#room.counted === -Infinity ? undefined : this.#room.count;
  }

  /** What to publish after a record: regions that have changed, or are due again. */
  after(record: Data): readonly RegionBody[] {
    if (record.port === 'csi' || record.port === 'window') return [];
    this.#note(record);
    return this.#regions.flatMap((region) => this.#due(region, record));
  }

  /** The last state of these zones (null: of the environment) did not arrive: it is due immediately. */
  lost(wasLost: (zone: string | null) => boolean): void {
    for (const region of this.#regions) if (wasLost(region.zone?.id ?? null)) region.published = NEVER;
  }

  #note(record: PoseFrame | SensedEvent | Measure): void {
    if (record.port === 'pose') this.#see(record);
    else if (record.source !== 'csiflow') return;
    else if (record.port === 'event') this.#hear(record);
    else this.#count(record);
  }

  #see({ time, persons }: PoseFrame): void {
    if (persons.some(({ track }) => track?.state === 'active')) noteSeen(this.#room, time);
    for (const { track } of persons) {
      if (track?.state !== 'ended') continue;
      this.#activities.delete(track.id);
      for (const region of this.#regions) region.persons.delete(track.id);
    }
  }

  #hear({ type, person, metadata }: SensedEvent): void {
    if (person === null) return;
    const region = this.#of(metadata['zone']);
    if (type === 'zone_entered') region?.persons.add(person);
    else if (type === 'zone_left') region?.persons.delete(person);
    else if (type === 'activity_changed') {
      // Delete before setting: the map is ordered by the last change.
      this.#activities.delete(person);
      this.#activities.set(person, String(metadata['activity']));
      const [oldest] = this.#activities.keys();
      if (this.#activities.size > MAX_PERSONS) this.#activities.delete(oldest!);
    }
  }

  /**
   * `occupancy` comes with each change. A minute whose mean is its peak had this number all the time, which says
   * what it is after a start; unless the number is unknown, where a minute is of the moments that say something.
   */
  #count({ name, subject, time, value }: Measure): void {
    if (name === 'occupancy_known') {
      this.#isUnknown = value === 0;
      if (this.#isUnknown) for (const region of this.#regions) forgetCount(region, time);
    }
    const region = subject === null ? this.#room : this.#of(subject);
    if (!region) return;
    if (name === 'occupancy') setCount(region, value, time);
    if (name === 'occupancy_mean') region.mean = { time, value };
    if (name !== 'occupancy_peak') return;
    const isSteady = region.mean.time === time && region.mean.value === value;
    if (isSteady && region.counted <= time && !this.#isUnknown) setCount(region, value, time + MINUTE);
    else if (region.count) noteSeen(region, time + MINUTE);
  }

  #of = (zone: unknown): Region | undefined =>
    this.#regions.find((region) => region.zone !== null && region.zone.id === zone);

  #due(region: Region, { time, provenance }: PoseFrame | SensedEvent | Measure): readonly RegionBody[] {
    const { zone, count, seen } = region;
    const activity = this.#activityIn(region);
    if (count === null && seen === null && activity === null) return [];
    const content = JSON.stringify([count, activity]);
    // The clock may have been set back since.
    if (content === region.published.content && Math.abs(time - region.published.time) < REPEAT_AFTER)
      return [];
    region.published = { time, content };
    return [
      {
        environment_id: this.#environment,
        zone: zone?.id ?? null,
        ...(zone && { zone_name: zone.name ?? zone.id }),
        timestamp: isoTime(time),
        count,
        occupied: count === null ? null : count > 0,
        last_seen: seen === null ? null : isoTime(seen),
        activity,
        provenance: provenanceBody(provenance),
      },
    ];
  }

  #activityIn({ zone, count, persons }: Region): string | null {
    if (count === 0) return null;
    const there = [...this.#activities].filter(([person]) => zone === null || persons.has(person));
    return there.at(-1)?.[1] ?? null;
  }
}

const NEVER = { time: -Infinity, content: '' };

const newRegion = (zone: Region['zone']): Region => ({
  zone,
  persons: new Set(),
  count: null,
  counted: -Infinity,
  seen: null,
  mean: { time: NaN, value: NaN },
  published: NEVER,
});

/** Counts and pose frames arrive a little out of order: an earlier time than the newest says nothing new. */
function noteSeen(region: Region, time: number): void {
  const lead = (region.seen ?? -Infinity) - time;
  if (lead <= 0 || lead > SET_BACK) region.seen = time;
}

/** Somebody was there at `time` if somebody is, or has just left. */
function setCount(region: Region, count: number, time: number): void {
  if (count > 0 || (region.count ?? 0) > 0) noteSeen(region, time);
  if (count === 0) region.persons.clear();
  region.count = count;
  region.counted = time;
}

/** From `time` on, the number of persons is unknown. */
function forgetCount(region: Region, time: number): void {
  if (region.count) noteSeen(region, time);
  region.count = null;
  region.counted = time;
}
