import type { RawBatch } from '../../component/index.js';
import {
  areSameRecords,
  HEAD_BYTES,
  RawBuilder,
  recogniseFile,
  type FileFormat,
  type Format,
  type Problem,
} from '../../formats/index.js';
import { BY_CONTENT } from '../../formats/by-content.js';

/** What a body holds. */
export interface Body {
  /** Kind of file, or `record` for single ones. */
  readonly kind: string;
  readonly batches: readonly RawBatch[];
  /** What was left out of it. */
  readonly problems: readonly Problem[];
}

/** Records of a batch, at most. */
export interface BodySettings {
  readonly format: Format;
  /** Records of a batch, at most. */
  readonly records: number;
  /** Of records that name none. */
  readonly sender: string;
  /** Time of arrival, microseconds. */
  readonly now: number;
}

/**
 * The records of a body: a file of any kind, one record, or several: one a line, or in a JSON array. The newest has the time of arrival, those
 * before it lie before it as the receiver's clock says; a record that states its own time keeps it.
 * @returns null where it is of no format that is read
 * @throws FormatError where it cannot be read
 */
export function readBody(bytes: Uint8Array, settings: BodySettings): Body | null {
  const kind = recogniseFile(bytes.subarray(0, HEAD_BYTES));
  if (kind && isWanted(kind, bytes, settings.format)) return cutFile(kind, bytes, settings);
  const records = recordsIn(bytes, settings.format);
  if (records.length === 0) return null;
  const builder = new RawBuilder(settings.records, 'live');
  const batches: RawBatch[] = [];
  for (const record of records) {
    const stated = settings.format.timeOf?.(record) ?? settings.now;
    if (builder.full) batches.push(builder.take());
    builder.add(Math.min(stated, settings.now), record, 0, record.length, settings.sender);
  }
  batches.push(builder.take());
  return { kind: 'record', batches, problems: [] };
}

function isWanted(kind: FileFormat, bytes: Uint8Array, { name }: Format): boolean {
  return name === BY_CONTENT || areSameRecords(kind.open(bytes.subarray(0, HEAD_BYTES)).format, name);
}

function cutFile(kind: FileFormat, bytes: Uint8Array, { records, sender, now }: BodySettings): Body {
  const { start, cutter } = kind.open(bytes.subarray(0, HEAD_BYTES));
  const builder = new RawBuilder(records, 'live');
  const cut: RawBatch[] = [];
  let at = start;
  for (let full = true; full;) {
    at += cutter.cut(bytes.subarray(at), builder, at, true);
    full = builder.full;
    if (builder.count > 0) cut.push(builder.take());
  }
  const problems = builder.takeProblems();
  const newest = cut.at(-1)?.time.at(-1) ?? 0;
  const batches = cut.map((raw) => ({
    ...raw,
    time: raw.time.map((time) => time - newest + now),
    senders: raw.senders.map((name) => (name === '' ? sender : name)),
  }));
  return { kind: kind.name, batches, problems };
}

/** Single records in a body: itself, the elements of a JSON array, or its lines; none where nothing is recognised. */
function recordsIn(bytes: Uint8Array, format: Format): readonly Uint8Array[] {
  if (format.recognise(bytes)) return [bytes];
  const parts = bytes[0] === OPENING ? elementsOf(bytes) : linesOf(bytes);
  // What is wrong with the others is for the decoder to say.
  return parts.some((part) => format.recognise(part)) ? parts : [];
}

function elementsOf(bytes: Uint8Array): readonly Uint8Array[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return Array.isArray(value) ? value.map((element) => Buffer.from(JSON.stringify(element))) : [];
  } catch {
    // It only looked like one.
    return linesOf(bytes);
  }
}

function linesOf(bytes: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, from);
    const end = newline < 0 ? bytes.length : newline;
    const line = bytes.subarray(from, end);
    from = end + 1;
    if (line.some((byte) => byte > BLANK)) lines.push(line);
  }
  return lines;
}

const NEWLINE = 0x0a;
const BLANK = 0x20;
const OPENING = 0x5b;
