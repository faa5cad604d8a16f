import type { RawBatch } from '../../component/index.js';
import {
  areSameRecords,
  FormatError,
  HEAD_BYTES,
  linesOf,
  RawBuilder,
  recogniseFile,
  timesOf,
  type FileFormat,
  type Format,
  type Problem,
} from '../../formats/index.js';
import { BY_CONTENT } from '../../formats/decoder/by-content.js';
import { csiJsonLines } from '../../formats/json/csi-json.js';
import { elementsOf } from './json-array.js';
import { Turns } from './turns.js';

/** The content of a body. */
export interface Body {
  /** Kind of file, or `record` for single ones. */
  readonly kind: string;
  readonly batches: readonly BodyBatch[];
  /** What was skipped. */
  readonly problems: readonly Problem[];
}

export interface BodyBatch {
  readonly raw: RawBatch;
  /** True for each record that states its own time: others have that too. */
  readonly stated: readonly boolean[];
}

export interface BodySettings {
  readonly format: Format;
  /** Records of a batch, at most. */
  readonly records: number;
  /** Sender of records that name none. */
  readonly sender: string;
  /** Time of arrival, microseconds. */
  readonly now: number;
}

/** Single records in a body: all formats are tried on each. */
const MAX_RECORDS = 65_536;
/** After this many unrecognised parts, the rest is not examined. */
const MAX_UNRECOGNISED = 1024;
/** Bytes of a file that are cut into records at a time, where none is longer. */
const PIECE_BYTES = 65_536;

/**
 * The records of a body: a file of any kind, one record, or several: one per line, or in a JSON array. The
 * newest gets the time of arrival; earlier ones are placed before it by the receiver's clock; a record that
 * states its own time keeps it. Yields to other work meanwhile.
 * @returns null if the format is unknown
 * @throws FormatError if it cannot be read
 */
export async function readBody(bytes: Uint8Array, settings: BodySettings): Promise<Body | null> {
  const turns = new Turns();
  const kind = recogniseFile(bytes.subarray(0, HEAD_BYTES));
  // Its lines keep the times that they state.
  const isLines = kind?.name === csiJsonLines.name;
  if (kind && !isLines && isWanted(kind, bytes, settings.format))
    return cutFile(kind, bytes, settings, turns);
  const parts = await recordsIn(bytes, settings.format, turns);
  const stated: (number | null)[] = [];
  for (const { record } of parts) {
    await turns.giveWay();
    stated.push(settings.format.timeOf?.(record) ?? null);
  }
  const batches = await batchesOf(parts, arrivedBy(settings.now, stated), settings, turns);
  return batches.length === 0 ? null : { kind: 'record', batches, problems: [] };
}

/** Event time of a record, microseconds. */
interface Arrived {
  readonly time: number;
  readonly isStated: boolean;
}

async function batchesOf(
  parts: readonly Part[],
  times: readonly Arrived[],
  settings: BodySettings,
  turns: Turns,
): Promise<readonly BodyBatch[]> {
  const builder = new RawBuilder(settings.records, 'live');
  const batches: BodyBatch[] = [];
  let stated: boolean[] = [];
  const take = () => {
    batches.push({ raw: builder.take(inputOf(settings)), stated });
    stated = [];
  };
  for (const [index, { record, at, line }] of parts.entries()) {
    await turns.giveWay();
    if (builder.full) take();
    const { time, isStated } = times[index]!;
    builder.begins(at, line === undefined ? null : 'line', line);
    builder.add(time, record, 0, record.length, settings.sender);
    stated.push(isStated);
  }
  if (builder.count > 0) take();
  return batches;
}

/**
 * Event times of records, none after `now` (microseconds): those that they state, see {@link timesOf}. Each of the
 * others has a time of its own too.
 */
function arrivedBy(now: number, stated: readonly (number | null)[]): readonly Arrived[] {
  const first = now - stated.length + 1;
  return timesOf(stated, first).map((time, index) => {
    const isStated = time <= now && stated[index] !== null;
    return { time: isStated ? time : Math.min(time, first + index), isStated };
  });
}

/** The input that locations of records in a body refer to. */
const inputOf = ({ sender }: BodySettings): string => `body from ${sender}`;

function isWanted(kind: FileFormat, bytes: Uint8Array, { name }: Format): boolean {
  return name === BY_CONTENT || areSameRecords(kind.open(bytes.subarray(0, HEAD_BYTES)).format, name);
}

async function cutFile(
  kind: FileFormat,
  bytes: Uint8Array,
  settings: BodySettings,
  turns: Turns,
): Promise<Body> {
  const { records, sender, now } = settings;
  const { start, cutter } = kind.open(bytes.subarray(0, HEAD_BYTES));
  const builder = new RawBuilder(records, 'live');
  const cut: RawBatch[] = [];
  for (let at = start, size = PIECE_BYTES, more = true; more;) {
    await turns.giveWay();
    const isLast = at + size >= bytes.length;
    const used = cutter.cut(bytes.subarray(at, at + size), builder, at, isLast);
    at += used;
    // A record may be longer than the piece.
    size = used === 0 && !builder.full ? 2 * size : PIECE_BYTES;
    more = builder.full || !isLast;
    if (builder.full || (!more && builder.count > 0)) cut.push(builder.take(inputOf(settings)));
  }
  const problems = builder.takeProblems();
  const newest = cut.at(-1)?.time.at(-1) ?? 0;
  const batches: BodyBatch[] = [];
  for (const raw of cut) {
    await turns.giveWay();
    const time = raw.time.map((time) => time - newest + now);
    const senders = raw.senders.map((name) => (name === '' ? sender : name));
    batches.push({ raw: { ...raw, time, senders }, stated: new Array<boolean>(raw.count).fill(false) });
  }
  return { kind: kind.name, batches, problems };
}

/** A record and where it begins in its body, in bytes. */
interface Part {
  readonly record: Uint8Array;
  readonly at: number;
  /** Number of its line, from 1; undefined if the records are no lines. */
  readonly line?: number;
}

/** Single records in a body: itself, the elements of a JSON array, or its lines; none if nothing is recognised. */
async function recordsIn(bytes: Uint8Array, format: Format, turns: Turns): Promise<readonly Part[]> {
  if (bytes.length === 0) return [];
  if (format.recognise(bytes)) return [{ record: bytes, at: 0 }];
  const elements = bytes[0] === OPENING ? await elementsOf(bytes, turns) : null;
  const records: Part[] = [];
  let isKnown = false;
  for (const part of elements ? partsAt(bytes, elements) : linesOf(bytes)) {
    // A promise for each of millions of empty lines would take most of the time.
    if (turns.isOver) await turns.giveWay();
    if (!part.record.some((byte) => byte > BLANK)) continue;
    const record = elements ? compact(part.record) : part.record;
    records.push({ ...part, record });
    // The decoder reports what is wrong with the others.
    isKnown ||= format.recognise(record);
    if (!isKnown && records.length > MAX_UNRECOGNISED) return [];
    if (records.length > MAX_RECORDS)
      throw new FormatError(
        'http.records',
        `record ${MAX_RECORDS + 1}`,
        `a body has ${MAX_RECORDS} records at most: send fewer in one request`,
      );
  }
  return isKnown ? records : [];
}

function* partsAt(bytes: Uint8Array, ends: readonly number[]): Generator<Part> {
  for (let index = 0; index < ends.length; index += 2) {
    const end = ends[index + 1]!;
    let at = ends[index]!;
    while (at < end && bytes[at]! <= BLANK) at++;
    yield { record: bytes.subarray(at, end), at };
  }
}

/** The record without whitespace between its values, as formats expect it. */
function compact(element: Uint8Array): Uint8Array {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(element).toString())));
  } catch {
    // The decoder reports what is wrong with it.
    return element;
  }
}

const BLANK = 0x20;
const OPENING = 0x5b;
