import type { Data, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { provenanceBody } from '../shared/alert.js';
import type { Clock } from '../../pipeline/base/clock.js';
import { isoTime } from '../../pipeline/base/iso-time.js';

/** Why a room counts as occupied. */
export type OccupancyReason = 'motion' | 'tracked' | 'fallen';

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
  readonly occupied: boolean;
  readonly reasons: readonly OccupancyReason[];
  readonly fall: { readonly timestamp: string; readonly person_id: number | null } | null;
  readonly provenance: ReturnType<typeof provenanceBody>;
}

/** Motion and people not reported for this long are unknown, microseconds of event time. */
const FORGOTTEN_AFTER = 60_000_000;
/** An unchanged state is published again after this time; otherwise Home Assistant's entity expires. */
const REPEAT_AFTER = 30_000_000;
/** A person who stands for this long has got up; a single pose frame may be wrong. */
const GOT_UP_AFTER = 3_000_000;
/** If a fall is further in the future, microseconds, the clock has been set back since. */
const SET_BACK = 10_000_000;

/**
 * Whether somebody is in one room. Motion alone does not say so: a person who lies still after a fall causes
 * none, and the tracker loses sight of them.
 */
export class Occupancy {
  readonly #fallHold: number;
  readonly #clock: Pick<Clock, 'now'>;
  #motion: { readonly time: number; readonly present: boolean } | null = null;
  #people: { readonly time: number; readonly tracked: boolean } | null = null;
  #fall: Fall | null = null;
  #published = { time: -Infinity, reasons: '' };

  /** @param fallHold microseconds for which a fall counts, if nobody is seen getting up */
  constructor(fallHold: number, clock: Pick<Clock, 'now'>) {
    this.#fallHold = fallHold;
    this.#clock = clock;
  }

  /** What to publish after a record: if the state has changed, or is due again. */
  after(record: Data): OccupancyBody | undefined {
    if (!isResult(record)) return undefined;
    const { time } = record;
    this.#followClock(time);
    if (!this.#note(record)) return undefined;
    const reasons = this.#reasons(time);
    // The clock may have been set back since.
    const fresh = Math.abs(time - this.#published.time) < REPEAT_AFTER;
    if (fresh && this.#published.reasons === reasons.join()) return undefined;
    this.#published = { time, reasons: reasons.join() };
    return {
      environment_id: record.environment,
      timestamp: isoTime(time),
      occupied: reasons.length > 0,
      reasons,
      fall: this.#fall && { timestamp: isoTime(this.#fall.time), person_id: this.#fall.person },
      provenance: provenanceBody(record.provenance),
    };
  }

  /** The last state did not arrive: it is due immediately. */
  lost(): void {
    this.#published = { time: -Infinity, reasons: '' };
  }

  /** Resumes from the state that the broker retained from an earlier run, so a fall survives a restart. */
  goOnFrom(payload: string): void {
    const fall = fallOf(payload);
    if (fall && (!this.#fall || this.#fall.time < fall.time)) this.#fall = fall;
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
        if (record.name !== 'presence' || record.subject !== null || record.source !== 'csiflow')
          return false;
        this.#motion = { time: record.time, present: record.value >= 0.5 };
        return true;
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

  #reasons(time: number): readonly OccupancyReason[] {
    const recent = (noted: { readonly time: number } | null) =>
      noted !== null && Math.abs(time - noted.time) < FORGOTTEN_AFTER;
    if (this.#fall && time - this.#fall.time >= this.#fallHold) this.#fall = null;
    return [
      ...(recent(this.#motion) && this.#motion!.present ? (['motion'] as const) : []),
      ...(recent(this.#people) && this.#people!.tracked ? (['tracked'] as const) : []),
      ...(this.#fall ? (['fallen'] as const) : []),
    ];
  }
}

type Result = Data<'pose' | 'event' | 'measure'>;

const isResult = (record: Data): record is Result => record.port !== 'csi' && record.port !== 'window';

/** A lost person is out of sight, not gone. */
const isThere = (track: PoseFrame['persons'][number]['track']): boolean =>
  track?.state === 'active' || track?.state === 'lost';

/** The fall in a payload of csiflow; null if there is none, or if the payload is not csiflow's. */
function fallOf(payload: string): Fall | null {
  try {
    const { fall } = JSON.parse(payload) as Partial<OccupancyBody>;
    const time = fall ? Date.parse(fall.timestamp) * 1000 : NaN;
    const person = typeof fall?.person_id === 'number' ? fall.person_id : null;
    return Number.isFinite(time) ? { time, person, uprightSince: null } : null;
  } catch {
    // An unreadable state is ignored; the next one overwrites it.
    return null;
  }
}
