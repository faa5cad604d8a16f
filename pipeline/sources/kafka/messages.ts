import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { Context, RawBatch } from '../../component/index.js';
import { capture, captureRecords } from '../../formats/containers/capture.js';
import { BY_CONTENT } from '../../formats/decoder/by-content.js';
import {
  addLine,
  FormatError,
  formatNamed,
  HEAD_BYTES,
  linesOfMessage,
  MAX_MESSAGE_LINES,
  RawBuilder,
  timesOf,
  timesOfLines,
} from '../../formats/index.js';

/** What messages hold. */
export type Content = 'record' | 'capture';

/** Headers that producers may add; all text. */
const TIME_HEADER = 'csiflow-time';
const SENDER_HEADER = 'csiflow-sender';
const ORIGIN_HEADER = 'csiflow-origin';

/** A message that cannot be read. */
export interface BadMessage {
  /** Bounded in number: it becomes a reason of a metric. */
  readonly reason: string;
  readonly text: string;
  /** What the message has instead of what it should, for the log; such a message is read nevertheless. */
  readonly stated?: string;
}

/** Records of one message at most. */
export const MAX_RECORDS = MAX_MESSAGE_LINES;

/** Time by which messages are merged, microseconds: their header, otherwise the time of their production. */
export const timeOf = (message: KafkaMessage): number => exactOf(message) ?? producedAt(message);

/** The time that the header states, microseconds; null if it states none, or one that cannot be right. */
function exactOf(message: KafkaMessage): number | null {
  const stated = text(message.headers, TIME_HEADER);
  return stated === undefined || !isPlausible(stated, message) ? null : Number(stated);
}

/** A time in other units, such as nanoseconds, would be the newest one for centuries. */
const isPlausible = (stated: string, message: KafkaMessage): boolean =>
  /^\d+(\.\d+)?$/.test(stated) &&
  (producedAt(message) < 0 || Number(stated) <= producedAt(message) + MAX_AHEAD);

/** A stated time may be this much after the production of its message, microseconds: clocks differ. */
const MAX_AHEAD = 86_400e6;

/** Microseconds, exact to a millisecond; negative if it is unknown. */
const producedAt = ({ timestamp }: KafkaMessage): number => Number(timestamp) * 1000;

/** What is wrong with the time that a message states; null if nothing is. */
function badTimeOf(message: KafkaMessage): BadMessage | null {
  const stated = text(message.headers, TIME_HEADER);
  if (stated === undefined || isPlausible(stated, message)) return null;
  return {
    reason: 'implausible_time',
    // Without the time itself, so that the log leaves out repeats.
    text: `its header ${TIME_HEADER} must be microseconds since 1970, at most a day after the production of the message. It is ignored`,
    stated: stated.slice(0, MAX_SHOWN),
  };
}

/** Characters of a header in a message. */
const MAX_SHOWN = 40;

type Origin = RawBatch['origin'];
const ORIGINS: readonly string[] = ['live', 'replay', 'simulated'];

/** The origin of the records, as the message states it. */
export function originOf({ headers }: KafkaMessage, otherwise: Origin): Origin {
  const said = text(headers, ORIGIN_HEADER);
  return said !== undefined && ORIGINS.includes(said) ? (said as Origin) : otherwise;
}

/** Adds the records of a message, see {@link addRecords}; counts and logs what is wrong with it. */
export function readMessage(
  message: KafkaMessage,
  { content, format }: { readonly content: Content; readonly format: string },
  into: RawBuilder,
  { metrics, log }: Pick<Context, 'metrics' | 'log'>,
  from: { readonly topic: string; readonly partition: number },
): readonly BadMessage[] {
  const bad = [badTimeOf(message), addRecords(message, content, format, into)].filter((one) => one !== null);
  for (const { reason, text: why, stated } of bad) {
    const fields = { ...from, offset: message.offset, ...(stated !== undefined && { stated }) };
    if (stated === undefined) metrics.dropped(reason, 1);
    else metrics.count('corrected_times', 1);
    log.warn(
      `a message ${stated === undefined ? 'could not be read' : 'states a wrong time'}: ${why}`,
      fields,
    );
  }
  return bad;
}

/** Adds the records of a message to a batch with space for {@link MAX_RECORDS} more, or returns why it cannot. */
export function addRecords(
  message: KafkaMessage,
  content: Content,
  format: string,
  into: RawBuilder,
): BadMessage | null {
  const { value, key } = message;
  if (value === null) return { reason: 'malformed_empty', text: 'it has no value' };
  if (content === 'capture') return addCapture(value, format, into);
  const sender = text(message.headers, SENDER_HEADER) ?? key?.toString() ?? '';
  const read = formatNamed(format);
  const exact = exactOf(message);
  const statedIn = (record: Uint8Array) => (exact !== null ? null : (read.timeOf?.(record) ?? null));
  const lines = linesOfMessage(value, read);
  if (lines) {
    const times = timesOfLines(lines, statedIn, timeOf(message), into.newest);
    for (const [index, line] of lines.entries()) addLine(into, line, times[index]!, sender);
    return null;
  }
  const [time] = timesOf([exact ?? statedIn(value)], producedAt(message), into.newest);
  into.add(time!, value, 0, value.length, sender);
  return null;
}

/** A capture with its header, or its records alone: all of them, or none. */
function addCapture(value: Buffer, format: string, into: RawBuilder): BadMessage | null {
  const bad = (why: string): BadMessage => ({ reason: 'malformed_capture', text: why });
  const records = new RawBuilder(MAX_RECORDS, 'live');
  try {
    const whole = capture.recognise(value);
    const opened = whole ? capture.open(value.subarray(0, HEAD_BYTES)) : undefined;
    // Records of any format are recognised by content.
    if (opened && format !== BY_CONTENT && opened.format !== format)
      return bad(`it holds records of ${opened.format}, and \`format\` says ${format}`);
    const start = opened?.start ?? 0;
    const rest = value.subarray(start);
    const taken = (opened?.cutter ?? captureRecords()).cut(rest, records, start, true);
    if (taken < rest.length) return bad(`it holds more than ${MAX_RECORDS} records`);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return bad(error.message);
  }
  const [problem] = records.takeProblems();
  if (problem) return bad(`${problem.location}: ${problem.message}`);
  const { count, time, offsets, bytes, sender, senders } = records.take();
  for (let i = 0; i < count; i++)
    into.add(time[i]!, bytes, offsets[i], offsets[i + 1], senders[sender[i]!] ?? '');
  return null;
}

function text(headers: IHeaders | undefined, name: string): string | undefined {
  const value = headers?.[name];
  return typeof value === 'string' || Buffer.isBuffer(value) ? value.toString() : undefined;
}
