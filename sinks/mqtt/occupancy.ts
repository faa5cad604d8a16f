import type { Data, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { provenanceBody } from '../shared/alert.js';
import type { Clock } from '../../pipeline/base/clock.js';
import { isRecord } from '../../pipeline/base/is-record.js';
import { isoTime } from '../../pipeline/base/iso-time.js';

/** Why a room counts as occupied. */
export type OccupancyReason = 'counted' | 'motion' | 'tracked' | 'fallen';

/** What decides, besides falls: the measure `occupancy`, or motion and tracks where no node counts. */
export type OccupancyBasis = 'occupancy' | 'motion_and_tracks';

/** Somebody fell, and was not seen standing since. */
interface Fall {
  /** Event time, microseconds. */
  readonly time: number;
  readonly person: number | null;
  /** Since when the person stands; null: does not. */
  uprightSince: number | null;
}

/** A payload of `status/occupancy`. */
export interface OccupancyBody {
  readonly environment_id: string;
  readonly timestamp: string;
  /** Null: not known. */
  readonly occupied: boolean | null;
  readonly reasons: readonly OccupancyReason[];
  readonly basis: OccupancyBasis;
  readonly fall: { readonly timestamp: string; readonly person_id: number | null } | null;
  readonly provenance: ReturnType<typeof provenanceBody>;
}

/** Motion, people and the state of an earlier run count for this long, microseconds of event time. */
const FORGOTTEN_AFTER = 60_000_000;
/** An unchanged state is published again after this time; otherwise Home Assistant's entity expires. */
const REPEAT_AFTER = 30_000_000;
/** A person who stands for this long has got up; a single pose frame may be wrong. */
const GOT_UP_AFTER = 3_000_000;
/** If a fall is further in the future, microseconds, the clock has been set back since. */
const SET_BACK = 10_000_000;

export interface OccupancySettings {
  /** Microseconds for which a fall counts, if nobody is seen getting up. */
  readonly fallHold: number;
  /** Whether `watch-zones` feeds the sink: until it has counted, nothing is known. */
  readonly isCounted: boolean;
}

/**
 * Whether somebody is in one room: by the number of persons where a node counts them, otherwise by motion and
 * tracks. Neither finds a person who lies still after a fall, so falls count too.
 */
export class Occupancy {
  readonly #settings: OccupancySettings;
  readonly #clock: Pick<Clock, 'now'>;
  #motion: { readonly time: number; readonly present: boolean } | null = null;
  #people: { readonly time: number; readonly tracked: boolean } | null = null;
  #fall: Fall | null = null;
  /** The number of persons that an earlier run published: 1 stands for any. */
  #earlier: { readonly time: number; readonly count: number } | null = null;
  #published = NEVER;

  constructor(settings: OccupancySettings, clock: Pick<Clock, 'now'>) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /**
   * What to publish after a record: if the state has changed, or is due again. @param count number of persons by
   * the measure `occupancy`; null: unknown; undefined: no node has counted yet
   */
  after(record: Data, count: number | null | undefined): OccupancyBody | undefined {
    if (!isResult(record)) return undefined;
    const { time } = record;
    this.#followClock(time);
    if (!this.#note(record)) return undefined;
    const state = this.#state(time, count);
    const content = JSON.stringify(state);
    // The clock may have been set back since.
    const fresh = Math.abs(time - this.#published.time) < REPEAT_AFTER;
    if (fresh && this.#published.content === content) return undefined;
    this.#published = { time, content };
    return {
      environment_id: record.environment,
      timestamp: isoTime(time),
      ...state,
      fall: this.#fall && { timestamp: isoTime(this.#fall.time), person_id: this.#fall.person },
      provenance: provenanceBody(record.provenance),
    };
  }

  /** The last state did not arrive: it is due immediately. */
  lost(): void {
    this.#published = NEVER;
  }

  /** Resumes from the state that the broker retained from an earlier run, so a fall survives a restart. */
  goOnFrom(payload: string): void {
    const body = bodyOf(payload);
    const fall = fallOf(body);
    if (fall && (!this.#fall || this.#fall.time < fall.time)) this.#fall = fall;
    this.#earlier = countOf(body);
  }

  /** A fall in the future would count for too long, and nobody could get up before its time. */
  #followClock(time: number): void {
    const ahead = this.#fall ? this.#fall.time - Math.max(time, this.#clock.now()) : 0;
    if (ahead > SET_BACK) this.#fall = { ...this.#fall!, time, uprightSince: null };
  }

  /** True if the record shows whether anyone is there. */
  #note(record: Result): boolean {
    switch (record.port) {
      case 'pose':
        this.#people = { time: record.time, tracked: record.persons.some(({ track }) => isThere(track)) };
        this.#noteUpright(record);
        return true;
      case 'event':
        return this.#noteEvent(record);
      case 'measure':
        if (record.subject !== null || record.source !== 'csiflow') return false;
        if (record.name === 'presence') this.#motion = { time: record.time, present: record.value >= 0.5 };
        return MEASURES.includes(record.name);
    }
  }

  #noteEvent({ type, source, time, person }: SensedEvent): boolean {
    if (type !== 'fall_detection' || source !== 'csiflow') return false;
    this.#fall = { time, person, uprightSince: null };
    return true;
  }

  #noteUpright({ time, persons }: PoseFrame): void {
    const fall = this.#fall;
    if (!fall || time <= fall.time) return;
    const stands = persons.some(
      ({ track, posture, articulated }) =>
        track?.state === 'active' &&
        articulated &&
        posture === 'upright' &&
        (fall.person === null || track.id === fall.person),
    );
    fall.uprightSince = stands ? (fall.uprightSince ?? time) : null;
    if (fall.uprightSince !== null && time - fall.uprightSince >= GOT_UP_AFTER) this.#fall = null;
  }

  #state(
    time: number,
    told: number | null | undefined,
  ): Pick<OccupancyBody, 'occupied' | 'reasons' | 'basis'> {
    if (this.#fall && time - this.#fall.time >= this.#settings.fallHold) this.#fall = null;
    const fallen = this.#fall ? (['fallen'] as const) : [];
    if (told === undefined && !this.#settings.isCounted) {
      const reasons = [...this.#signs(time), ...fallen];
      return { occupied: reasons.length > 0, reasons, basis: 'motion_and_tracks' };
    }
    const count = told === undefined ? this.#earlierCount(time) : told;
    const reasons = [...(count ? (['counted'] as const) : []), ...fallen];
    const occupied = reasons.length > 0 ? true : count === null ? null : false;
    return { occupied, reasons, basis: 'occupancy' };
  }

  #signs(time: number): readonly OccupancyReason[] {
    const motion = isRecent(this.#motion, time) && this.#motion.present;
    const tracked = isRecent(this.#people, time) && this.#people.tracked;
    return [...(motion ? (['motion'] as const) : []), ...(tracked ? (['tracked'] as const) : [])];
  }

  /** `watch-zones` resumes too, and after a short interruption has nothing new to say. */
  #earlierCount(time: number): number | null {
    return isRecent(this.#earlier, time) ? this.#earlier.count : null;
  }
}

const NEVER = { time: -Infinity, content: '' };

/** Measures of the room that decide. */
const MEASURES: readonly string[] = ['presence', 'occupancy', 'occupancy_known'];

const isRecent = <T extends { readonly time: number }>(noted: T | null, time: number): noted is T =>
  noted !== null && Math.abs(time - noted.time) < FORGOTTEN_AFTER;

type Result = Data<'pose' | 'event' | 'measure'>;

const isResult = (record: Data): record is Result => record.port !== 'csi' && record.port !== 'window';

/** A lost person is out of sight, not gone. */
const isThere = (track: PoseFrame['persons'][number]['track']): boolean =>
  track?.state === 'active' || track?.state === 'lost';

/** A payload of csiflow; empty if it is none: the next state overwrites it. */
function bodyOf(payload: string): Partial<OccupancyBody> {
  try {
    const body: unknown = JSON.parse(payload);
    return isRecord(body) ? body : {};
  } catch {
    return {};
  }
}

function fallOf({ fall }: Partial<OccupancyBody>): Fall | null {
  const time = fall ? Date.parse(fall.timestamp) * 1000 : NaN;
  const person = typeof fall?.person_id === 'number' ? fall.person_id : null;
  return Number.isFinite(time) ? { time, person, uprightSince: null } : null;
}

/** Null if the number of persons was unknown, or not what decided. */
function countOf({ basis, occupied, reasons, timestamp }: Partial<OccupancyBody>) {
  const isCounted = Array.isArray(reasons) && reasons.includes('counted');
  const isKnown = basis === 'occupancy' && (occupied === false || isCounted);
  return isKnown ? { time: Date.parse(timestamp!) * 1000, count: Number(isCounted) } : null;
}
