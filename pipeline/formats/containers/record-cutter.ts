import type { State } from '../../component/index.js';
import { DeviceClock, READ_AHEAD_BYTES, type ClockKind } from './device-clock.js';
import type { Cutter } from '../contract/format.js';
import type { RawBuilder } from '../contract/raw-builder.js';
import { viewOf } from '../../base/view-of.js';

/** Consecutive binary records in a file, each of which states its length. */
export interface RecordKind {
  /** Prefix of problem codes: `feitcsi`. */
  readonly name: string;
  /** Bytes required to determine the length of a record. */
  readonly headerBytes: number;
  /** Bytes of the record whose header is at `at`; 0 if there is no header. */
  readonly lengthAt: (view: DataView, at: number) => number;
  readonly clock: ClockKind;
  /** The clock's stamp of the record at `at`. */
  readonly stampAt: (view: DataView, at: number) => number;
  /** Bytes to omit at the start of a record: a length that precedes it. */
  readonly skip?: number;
}

/** The first whole record in the head of a file, which may begin in the middle of one; the head if there is none. */
export function firstRecord(
  head: Uint8Array,
  { headerBytes, lengthAt }: Pick<RecordKind, 'headerBytes' | 'lengthAt'>,
): Uint8Array {
  const view = viewOf(head);
  for (let at = 0; at + headerBytes <= head.length; at++) {
    const length = lengthAt(view, at);
    if (length > 0 && at + length <= head.length) return head.subarray(at, at + length);
  }
  return head;
}

/** Cuts a file into such records. After damage, reading continues at the next header. */
export class RecordCutter implements Cutter {
  readonly #kind: RecordKind;
  readonly #clock: DeviceClock;
  /** Start of the damage that is being skipped; -1: none. */
  #lost = -1;
  /** The stamp that was read ahead, and its record's offset in the file: reading it may take long. */
  #ahead = { at: -1, stamp: 0 };

  constructor(kind: RecordKind) {
    this.#kind = kind;
    this.#clock = new DeviceClock(kind.clock);
  }

  cut(bytes: Uint8Array, into: RawBuilder, at: number, last: boolean): number {
    const view = viewOf(bytes);
    let from = 0;
    while (!into.full && from < bytes.length) {
      const whole = from + this.#kind.headerBytes <= bytes.length;
      if (!whole && !last) break;
      const length = whole ? this.#kind.lengthAt(view, from) : 0;
      if (length > 0 && from + length > bytes.length && !last) break;
      if (length === 0 || from + length > bytes.length) {
        if (this.#lost < 0) this.#lost = at + from;
        from++;
        continue;
      }
      const time = into.isLive ? 0 : this.#timeOf(view, from, length, at, last, into.isGrowing);
      if (time === undefined) break;
      this.#reportDamage(into, at + from);
      this.#add(time, bytes, from, length, into, at);
      from += length;
    }
    if (last && from === bytes.length) this.#reportDamage(into, at + from);
    return from;
  }

  snapshot() {
    return { clock: this.#clock.snapshot(), lost: this.#lost };
  }

  restore(state: State): void {
    const { clock, lost } = state as ReturnType<RecordCutter['snapshot']>;
    this.#clock.restore(clock);
    this.#lost = lost;
  }

  #add(
    time: number | null,
    bytes: Uint8Array,
    from: number,
    length: number,
    into: RawBuilder,
    at: number,
  ): void {
    const { skip = 0, name } = this.#kind;
    if (time !== null) {
      into.begins(at + from);
      into.add(time, bytes, from + skip, from + length);
    } else
      into.problem({
        code: `${name}.stray`,
        location: `byte ${at + from}`,
        message: 'its time does not fit the records around it: it is skipped',
      });
  }

  /** Null if the record's stamp is not trusted; undefined if more bytes are needed. */
  #timeOf(
    view: DataView,
    from: number,
    length: number,
    at: number,
    last: boolean,
    isGrowing: boolean,
  ): number | null | undefined {
    const stamp = this.#stampAt(view, from, at);
    if (isGrowing && !this.#clock.asksForNext(stamp)) return this.#clock.at(stamp);
    const next = this.#nextStamp(view, from + length, at, last);
    return next === undefined ? undefined : this.#clock.at(stamp, next);
  }

  #stampAt(view: DataView, from: number, at: number): number {
    return this.#ahead.at === at + from ? this.#ahead.stamp : this.#kind.stampAt(view, from);
  }

  /**
   * The stamp of the first complete record after `from`; null if none is near, undefined if more bytes are
   * needed. Independent of how much was read beyond the limit, so that pieces give the same as the whole.
   */
  #nextStamp(view: DataView, from: number, at: number, last: boolean): number | null | undefined {
    const limit = from + READ_AHEAD_BYTES;
    const end = Math.min(view.byteLength, limit);
    for (let start = from; start + this.#kind.headerBytes <= end; start++) {
      const length = this.#kind.lengthAt(view, start);
      if (length === 0 || start + length > limit) continue;
      if (start + length <= end) {
        this.#ahead = { at: at + start, stamp: this.#kind.stampAt(view, start) };
        return this.#ahead.stamp;
      }
      if (!last) return undefined;
    }
    return last || end === limit ? null : undefined;
  }

  #reportDamage(into: RawBuilder, to: number): void {
    if (this.#lost < 0) return;
    into.problem({
      code: `${this.#kind.name}.damaged`,
      location: `byte ${this.#lost}`,
      message: `no record begins here: ${to - this.#lost} bytes are skipped`,
    });
    this.#lost = -1;
  }
}
