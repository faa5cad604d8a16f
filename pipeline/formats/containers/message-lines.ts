import type { Format } from '../contract/format.js';
import type { RawBuilder } from '../contract/raw-builder.js';
import { FEED, LineEnds, RETURN } from './line-ends.js';

/** A line of a message, without its end. */
export interface MessageLine {
  readonly record: Uint8Array;
  /** Its first byte in the message. */
  readonly at: number;
  /** Counted from 1. */
  readonly line: number;
}

/** Lines of one message, at most. */
export const MAX_MESSAGE_LINES = 16_384;

/**
 * The lines of a message that holds several records, one per line: bridges send many lines of a serial log at once.
 * Null if the message is one record: if it has one line, is not text, or is JSON over several lines; and if no line
 * is of the format, or there are over {@link MAX_MESSAGE_LINES}. Lines without content are left out; one line behind
 * null bytes counts as several lines do, because its record lacks them.
 */
export function linesOfMessage(message: Uint8Array, format: Format): readonly MessageLine[] | null {
  const start = afterNulls(message, 0);
  if (!startsAsText(message, start) || !(start > 0 || hasLines(message))) return null;
  if ((start > 0 || BRACKETS.includes(message[0]!)) && format.recognise(message)) return null;
  const lines: MessageLine[] = [];
  for (const line of linesOf(message)) {
    if (isBlank(line.record)) continue;
    if (lines.push(line) > MAX_MESSAGE_LINES) return null;
  }
  return lines.some(({ record }) => format.recognise(record)) ? lines : null;
}

/**
 * Event times of the lines of a message, see {@link timesOf}.
 * @param statedIn the time that a record states; null if it states none
 */
export const timesOfLines = (
  lines: readonly MessageLine[],
  statedIn: (record: Uint8Array) => number | null,
  otherwise: number,
  newest: number,
): readonly number[] =>
  timesOf(
    lines.map(({ record }) => statedIn(record)),
    otherwise,
    newest,
  );

/**
 * Event times of records that arrived together, microseconds: those that they state. Each of the others follows the
 * record before it by a microsecond, so that each has a time of its own; those before the first stated one begin with it.
 * @param stated null for a record that states none
 * @param otherwise time of the first record if none states one, unless it is at or before `newest`
 * @param newest time of the newest record so far: of two messages of one time, the second follows the first
 */
export function timesOf(
  stated: readonly (number | null)[],
  otherwise: number,
  newest = -Infinity,
): readonly number[] {
  let next = stated.find((time) => time !== null) ?? Math.max(otherwise, newest + 1);
  return stated.map((own) => {
    const time = own ?? next;
    next = time + 1;
    return time;
  });
}

/** Adds such a line at a time, microseconds. Its location is that in its message. */
export function addLine(
  into: RawBuilder,
  { record, at, line }: MessageLine,
  time: number,
  sender: string,
): void {
  into.begins(at, 'line', line);
  into.add(time, record, 0, record.length, sender);
}

/**
 * The lines of a text, which end with a line feed, a carriage return, or both. Null bytes before a line are left out: a
 * serial port receives them while its board starts.
 */
export function* linesOf(bytes: Uint8Array): Generator<MessageLine> {
  const ends = new LineEnds(bytes);
  for (let at = 0, line = 1; at < bytes.length; line++) {
    const found = ends.after(at);
    const end = found < 0 ? bytes.length : found;
    const start = Math.min(afterNulls(bytes, at), end);
    yield { record: bytes.subarray(start, end), at: start, line };
    at = end + (bytes[end] === RETURN && bytes[end + 1] === FEED ? 2 : 1);
  }
}

/** True if there is content behind the end of a line. */
function hasLines(bytes: Uint8Array): boolean {
  const first = new LineEnds(bytes).after(0);
  return first >= 0 && !isBlank(bytes.subarray(first));
}

/** A quick look, at each datagram, that most binary records fail: they have small numbers in their first bytes. */
function startsAsText(bytes: Uint8Array, start: number): boolean {
  const end = Math.min(start + START_BYTES, bytes.length);
  for (let at = start; at < end; at++) if (bytes[at]! < BLANK && !CONTROLS.includes(bytes[at]!)) return false;
  return true;
}

/** Position of the first byte at or behind `from` that is not null. */
function afterNulls(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0) at++;
  return at;
}

const isBlank = (bytes: Uint8Array): boolean => !bytes.some((byte) => byte > BLANK);

const BLANK = 0x20;
/** Control characters of texts: tab, ends of lines, and the escape before a colour. */
const CONTROLS = [0x09, FEED, RETURN, 0x1b];
/** What an object and a list of JSON begin with. */
const BRACKETS = [0x7b, 0x5b];
const START_BYTES = 16;
