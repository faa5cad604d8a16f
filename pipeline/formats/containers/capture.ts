import { crc32 } from 'node:zlib';
import type { RawBatch, State } from '../../component/index.js';
import { FormatError, MAX_RECORD_BYTES, type Cutter, type FileFormat } from '../contract/format.js';
import type { RawBuilder } from '../contract/raw-builder.js';
import { viewOf } from '../../base/view-of.js';

/**
 * csiflow's own capture: raw records as they arrived, with time and sender (docs/capture-format.md).
 * Little-endian. Header: 8 bytes `CSIFLOWC`, u16 version, u16 0, u32 length of the JSON that follows, JSON,
 * u32 CRC-32 of all previous bytes. Each record: u32 bytes, u8 bytes of the sender's address, 3 x u8 0, f64
 * time in microseconds since 1970, address in UTF-8, bytes, u32 CRC-32 of all of the record before.
 */
export const capture: FileFormat = {
  name: 'capture',
  summary: "csiflow's own capture of raw records with their times and senders (`csiflow record`).",
  recognise: (head) => head.length >= MAGIC.length && MAGIC.every((byte, i) => head[i] === byte),
  open: (head) => {
    const { meta, start } = decodeHeader(head);
    return {
      format: meta.format,
      start,
      origin: meta.origin,
      meta: { ...meta },
      cutter: new CaptureCutter(),
    };
  },
};

/** Metadata of a capture. */
export interface CaptureMeta {
  /** Name of the format of its records. */
  readonly format: string;
  /** Recordings of radios are played as `replay`; simulated data stays `simulated`. */
  readonly origin: 'replay' | 'simulated';
  /** ISO 8601. */
  readonly created?: string;
  /** Origin of the records: `udp://127.0.0.1:5005`. */
  readonly source?: string;
  /** Note for people. */
  readonly note?: string;
}

const CAPTURE_VERSION = 1;
const MAGIC = new TextEncoder().encode('CSIFLOWC');
const FIXED_HEADER = 16;
const FIXED_RECORD = 16;
const MAX_META_BYTES = 32_768;

/** The first bytes of a capture. @throws RangeError if `meta` takes more than 32 KiB of JSON. */
export function encodeHeader(meta: CaptureMeta): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(meta));
  if (json.length > MAX_META_BYTES) throw new RangeError(`the header's JSON takes ${json.length} bytes`);
  const bytes = new Uint8Array(FIXED_HEADER + json.length + 4);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint16(8, CAPTURE_VERSION, true);
  view.setUint32(12, json.length, true);
  bytes.set(json, FIXED_HEADER);
  view.setUint32(FIXED_HEADER + json.length, crc32(bytes.subarray(0, FIXED_HEADER + json.length)), true);
  return bytes;
}

/** The records of a batch in the form of a capture. */
export function encodeRecords(batch: RawBatch): Uint8Array {
  const encoder = new TextEncoder();
  const senders = batch.senders.map((sender) => encoder.encode(sender).subarray(0, 255));
  let length = 0;
  for (let i = 0; i < batch.count; i++) {
    length +=
      FIXED_RECORD + senders[batch.sender[i]!]!.length + batch.offsets[i + 1]! - batch.offsets[i]! + 4;
  }
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  for (let i = 0, at = 0; i < batch.count; i++) {
    const sender = senders[batch.sender[i]!]!;
    const record = batch.bytes.subarray(batch.offsets[i], batch.offsets[i + 1]);
    const end = at + FIXED_RECORD + sender.length + record.length;
    view.setUint32(at, record.length, true);
    view.setUint8(at + 4, sender.length);
    view.setFloat64(at + 8, batch.time[i]!, true);
    bytes.set(sender, at + FIXED_RECORD);
    bytes.set(record, at + FIXED_RECORD + sender.length);
    view.setUint32(end, crc32(bytes.subarray(at, end)), true);
    at = end + 4;
  }
  return bytes;
}

function decodeHeader(head: Uint8Array): { meta: CaptureMeta; start: number } {
  const cut = () =>
    new FormatError('capture.header', 'byte 0', 'the header is truncated: the file contains no record');
  if (head.length < FIXED_HEADER) throw cut();
  const view = viewOf(head);
  const version = view.getUint16(8, true);
  if (version !== CAPTURE_VERSION) {
    throw new FormatError(
      'capture.version',
      'byte 8',
      `this is a capture of version ${version}, but this csiflow reads version ${CAPTURE_VERSION}: use the csiflow that wrote it, or a newer one`,
    );
  }
  const end = FIXED_HEADER + view.getUint32(12, true);
  if (end > FIXED_HEADER + MAX_META_BYTES) throw damagedHeader('its length is out of range');
  if (end + 4 > head.length) throw cut();
  if (crc32(head.subarray(0, end)) !== view.getUint32(end, true))
    throw damagedHeader('its checksum does not match');
  const meta: unknown = JSON.parse(new TextDecoder().decode(head.subarray(FIXED_HEADER, end)));
  if (!isMeta(meta)) throw damagedHeader('it does not name the format and the origin of the records');
  return { meta, start: end + 4 };
}

const damagedHeader = (why: string): FormatError =>
  new FormatError('capture.header', 'byte 0', `the header is damaged: ${why}`);

const isMeta = (meta: unknown): meta is CaptureMeta =>
  typeof meta === 'object' &&
  meta !== null &&
  'format' in meta &&
  typeof meta.format === 'string' &&
  'origin' in meta &&
  (meta.origin === 'replay' || meta.origin === 'simulated');

/** Splits records without a header, as in messages. */
export const captureRecords = (): Cutter => new CaptureCutter();

/** After damage, reading continues at the next record with a matching checksum. */
class CaptureCutter implements Cutter {
  readonly #decoder = new TextDecoder();
  #senderBytes = new Uint8Array(0);
  #sender = '';
  /** Start of the damage that is being skipped; -1: none. */
  #lost = -1;

  cut(bytes: Uint8Array, into: RawBuilder, at: number, last: boolean): number {
    const view = viewOf(bytes);
    for (let from = 0; ;) {
      if (this.#lost >= 0) from = this.#seek(bytes, view, from, into, at, last);
      if (this.#lost >= 0 || into.full || from >= bytes.length) return from;
      const end = recordEnd(view, from);
      if (end > bytes.length && !last) return from;
      if (end <= bytes.length && isWhole(bytes, view, from, end)) {
        this.#take(bytes, view, from, end, into, at);
        from = end;
      } else {
        this.#lost = at + from;
        from++;
      }
    }
  }

  snapshot() {
    return { lost: this.#lost };
  }

  restore(state: State): void {
    this.#lost = (state as ReturnType<CaptureCutter['snapshot']>).lost;
  }

  /** Searches for the record at which reading continues; returns the searched position. */
  #seek(
    bytes: Uint8Array,
    view: DataView,
    from: number,
    into: RawBuilder,
    at: number,
    last: boolean,
  ): number {
    let guesses = 0;
    for (let here = from; here + FIXED_RECORD + 4 <= bytes.length && guesses < MAX_GUESSES; here++) {
      if (!mayBegin(bytes, view, here, into.newest)) continue;
      const end = recordEnd(view, here);
      if (end > bytes.length && !last) return here;
      guesses++;
      if (end > bytes.length || !isWhole(bytes, view, here, end)) continue;
      this.#report(into, at + here);
      return here;
    }
    if (guesses === MAX_GUESSES || last) from = bytes.length;
    else from = Math.max(from, bytes.length - FIXED_RECORD - 3);
    if (last) this.#report(into, null);
    return from;
  }

  /** `next`: where reading continues; null at the end of the file. */
  #report(into: RawBuilder, next: number | null): void {
    const message =
      next === null
        ? 'the file is damaged or truncated here: nothing after it can be read'
        : `the checksum of a record does not match: ${next - this.#lost} bytes are skipped`;
    const code = next === null ? 'capture.truncated' : 'capture.damaged';
    into.problem({ code, location: `byte ${this.#lost}`, message });
    this.#lost = -1;
  }

  #take(bytes: Uint8Array, view: DataView, from: number, end: number, into: RawBuilder, at: number): void {
    const address = from + FIXED_RECORD;
    const start = address + view.getUint8(from + 4);
    const time = view.getFloat64(from + 8, true);
    into.begins(at + from);
    into.add(time, bytes, start, end - 4, this.#senderOf(bytes, address, start));
  }

  /** The address as text; usually that of the previous record. */
  #senderOf(bytes: Uint8Array, start: number, end: number): string {
    const known = this.#senderBytes;
    let same = known.length === end - start;
    for (let i = start; same && i < end; i++) same = bytes[i] === known[i - start];
    if (!same) {
      this.#senderBytes = bytes.slice(start, end);
      this.#sender = this.#decoder.decode(this.#senderBytes);
    }
    return this.#sender;
  }
}

/** End of the record at `from` according to its header; Infinity if that is incomplete, -1 if it exceeds the limit. */
function recordEnd(view: DataView, from: number): number {
  if (from + FIXED_RECORD + 4 > view.byteLength) return Infinity;
  const length = view.getUint32(from, true);
  return length > MAX_RECORD_BYTES ? -1 : from + FIXED_RECORD + view.getUint8(from + 4) + length + 4;
}

function isWhole(bytes: Uint8Array, view: DataView, from: number, end: number): boolean {
  if (end < from || !Number.isFinite(view.getFloat64(from + 8, true))) return false;
  return crc32(bytes.subarray(from, end - 4)) === view.getUint32(end - 4, true);
}

/** A cheap check before the checksum. Times of a capture never decrease. */
function mayBegin(bytes: Uint8Array, view: DataView, at: number, newest: number): boolean {
  if (bytes[at + 5] !== 0 || bytes[at + 6] !== 0 || bytes[at + 7] !== 0) return false;
  const time = view.getFloat64(at + 8, true);
  return view.getUint32(at, true) <= MAX_SOUGHT_BYTES && time >= newest && time < MAX_TIME;
}

/** Longest record accepted after damage: limits the cost of failing checksums. */
const MAX_SOUGHT_BYTES = 65_536;
/** Largest number of checksums tried on the available bytes; then the rest of them is skipped. */
const MAX_GUESSES = 512;
/** In the year 5138, microseconds. */
const MAX_TIME = 1e17;
