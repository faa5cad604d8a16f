import { locationText, type State } from '../../component/index.js';
import { READ_AHEAD_BYTES, type ClockKind } from './device-clock.js';
import { LogClock, type Following, type LineClock, type Timed } from './line-clock.js';
import { StatedClock } from './stated-clock.js';
import { FEED, LineEnds } from './line-ends.js';
import { LongLine } from './long-line.js';
import type { Cutter } from '../contract/format.js';
import type { RawBuilder } from '../contract/raw-builder.js';

/** Log lines that each contain a measurement. */
export interface LineKind {
  /** Prefix of problem codes: `esp-csi`. */
  readonly name: string;
  /** The mark at the start of such a line. The last one in a line counts. */
  readonly mark: string;
  /** Finds where such a line begins, or -1, if that is not at the last mark. */
  readonly beginIn?: (line: Uint8Array) => number;
  /** Longest line that can be a measurement. */
  readonly maxBytes: number;
  /** `stated`: each line states its event time, see {@link StatedClock}. */
  readonly clock: ClockKind | 'stated';
  /** Unit of the clock, for messages: `ms`. */
  readonly unit: string;
  /** The clock's stamp in a complete line after the header line `heading`; null if the line is damaged. */
  readonly stampOf: (line: string, heading: string | null) => number | null;
  /** The header line in a line that is no measurement, from its first column; null if it is none. It becomes a record. */
  readonly headingIn?: (line: string) => string | null;
}

/** The bytes of one call of `cut`, where they begin in the log, and whether none follow. */
interface Chunk {
  readonly bytes: Uint8Array;
  readonly into: RawBuilder;
  readonly at: number;
  readonly last: boolean;
}

/**
 * Cuts a log into its lines of one kind; other lines are skipped. Such a line may have text before its mark:
 * the prefix of a logger, the index of a table, or a line that lost its end.
 */
export class LineCutter implements Cutter {
  readonly #kind: LineKind;
  readonly #clock: LineClock;
  #line = 0;
  /** Ends of lines before the first line feed: the lines of a log without any. */
  #returns = 0;
  /** The newest header line. */
  #heading: string | null = null;
  readonly #longLine: LongLine;

  constructor(kind: LineKind) {
    this.#kind = kind;
    this.#clock = clockOf(kind);
    this.#longLine = new LongLine(`${kind.name}.line`, 'a serial log');
  }

  cut(bytes: Uint8Array, into: RawBuilder, at: number, last: boolean): number {
    const chunk = { bytes, into, at, last };
    const ends = new LineEnds(bytes);
    let start = 0;
    while (!into.full && start < bytes.length) {
      const newline = ends.after(start);
      if (newline < 0 && !last) {
        if (!this.#longLine.holds(bytes.length - start)) break;
        this.#longLine.skip(into, this.#location(at + start));
        return bytes.length;
      }
      const end = newline < 0 ? bytes.length : newline;
      if (end > start && !this.#longLine.isOpen && !this.#takeLine(chunk, start, end)) break;
      this.#longLine.isOpen = false;
      if (bytes[end] === FEED) this.#line++;
      else this.#returns++;
      start = end + 1;
    }
    return Math.min(start, bytes.length);
  }

  /** False if more bytes are needed. */
  #takeLine(chunk: Chunk, start: number, end: number): boolean {
    const { bytes, into, at } = chunk;
    const { name, mark: word, unit } = this.#kind;
    const mark = this.#markIn(bytes, start, end);
    if (mark < 0) return this.#takeHeading(chunk, start, end);
    const stamp = this.#stampOf(bytes, mark, end);
    // The mark may be the name of a column too.
    if (stamp === null && this.#headingIn(bytes, start, end) !== null)
      return this.#takeHeading(chunk, start, end);
    const timed = this.#timeOf(chunk, stamp, start, end);
    if (timed === undefined) return false;
    const problem = (code: string, message: string, isRead = false) => {
      into.problem({
        code: `${name}.${code}`,
        location: this.#location(at + start),
        message,
        ...(isRead && { isRead }),
      });
    };
    if (this.#markIn(bytes, start, mark) >= 0)
      problem(
        'joined',
        `a ${word.replace(/[\s,]+$/, '')} line runs into the next one, without a line break: only the last one in this line is read`,
      );
    const { time } = timed;
    if (timed.problem) problem(timed.problem.code, timed.problem.message, true);
    if (time !== null) {
      into.begins(at + start, 'line', this.#number);
      into.add(time, bytes, mark, end);
    } else
      problem(
        'stray',
        `the time ${stamp} ${unit} does not follow from the lines before it: the line is skipped`,
      );
    return true;
  }

  /** Undefined if more bytes are needed. */
  #timeOf({ bytes, into, last }: Chunk, stamp: number | null, start: number, end: number): Timed | undefined {
    // The decoder rejects lines that are damaged elsewhere, and the clock ignores them.
    if (stamp === null || into.isLive) return { time: Math.max(0, into.newest) };
    const horizon = end + 1 + Math.max(READ_AHEAD_BYTES, LINES_AHEAD * (end - start));
    return this.#clock.take(stamp, this.#following(bytes, end + 1, last, horizon), into.isGrowing);
  }

  /** Number of the current line, from 1, as editors count: by line feeds if the log has any. */
  get #number(): number {
    return 1 + (this.#line > 0 ? this.#line : this.#returns);
  }

  /** Location of the current line, which begins at `byte`. */
  #location(byte: number): string {
    return locationText(byte, 'line', this.#number);
  }

  #headingIn(bytes: Uint8Array, start: number, end: number): string | null {
    const { headingIn } = this.#kind;
    if (!headingIn || end - start > MAX_HEADING_BYTES) return null;
    return headingIn(latin1(bytes.subarray(start, end)));
  }

  /** False if more bytes are needed. */
  #takeHeading({ bytes, into, at, last }: Chunk, start: number, end: number): boolean {
    const heading = this.#headingIn(bytes, start, end);
    if (heading === null) return true;
    this.#heading = heading;
    const time =
      into.newest > 0 || into.isLive ? Math.max(0, into.newest) : this.#firstTime(bytes, end, last);
    if (time === undefined) return false;
    into.begins(at + start, 'line', this.#number);
    into.add(time, Buffer.from(heading, 'latin1'));
    return true;
  }

  /** Event time of the line after a heading, so that a recording begins with it; undefined: more bytes are needed. */
  #firstTime(bytes: Uint8Array, end: number, last: boolean): number | undefined {
    const following = this.#following(bytes, end + 1, last, end + 1 + READ_AHEAD_BYTES);
    const { value: stamp } = following.next();
    if (stamp === undefined) return undefined;
    const clock = clockOf(this.#kind);
    clock.restore(this.#clock.snapshot());
    return stamp === null ? 0 : (clock.take(stamp, NONE, true)?.time ?? 0);
  }

  snapshot() {
    return {
      line: this.#line,
      returns: this.#returns,
      clock: this.#clock.snapshot(),
      heading: this.#heading,
      isTooLong: this.#longLine.isOpen,
    };
  }

  restore(state: State): void {
    const snapshot = state as Omit<
      ReturnType<LineCutter['snapshot']>,
      'returns' | 'heading' | 'isTooLong'
    > & {
      readonly returns?: number;
      readonly heading?: string | null;
      readonly isTooLong?: boolean;
    };
    this.#line = snapshot.line;
    // Checkpoints before 0.5.0 have no heading, those of 0.5.0 no mark of a long line and no `returns`.
    this.#returns = snapshot.returns ?? 0;
    this.#heading = snapshot.heading ?? null;
    this.#longLine.isOpen = snapshot.isTooLong ?? false;
    this.#clock.restore(snapshot.clock);
  }

  /** Position of the mark in these bytes, or -1. */
  #markIn(bytes: Uint8Array, start: number, end: number): number {
    const within = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
    const { mark, beginIn } = this.#kind;
    const at = beginIn?.(within) ?? within.lastIndexOf(mark, undefined, 'latin1');
    return at < 0 ? -1 : start + at;
  }

  #stampOf(bytes: Uint8Array, start: number, end: number): number | null {
    if (end - start > this.#kind.maxBytes) return null;
    return this.#kind.stampOf(latin1(bytes.subarray(start, end)).trimEnd(), this.#heading);
  }

  /** The stamps of the complete lines from `from` to `horizon`. */
  *#following(bytes: Uint8Array, from: number, last: boolean, horizon: number): Following {
    const within = bytes.subarray(0, horizon);
    const ends = new LineEnds(within);
    for (let start = from; start < within.length;) {
      const newline = ends.after(start);
      if (newline < 0 && !(last && bytes.length <= horizon)) break;
      const end = newline < 0 ? within.length : newline;
      const mark = this.#markIn(within, start, end);
      const stamp = mark < 0 ? null : this.#stampOf(within, mark, end);
      if (stamp !== null) yield stamp;
      start = end + 1;
    }
    return last || bytes.length >= horizon ? null : undefined;
  }
}

/** No line is read ahead. */
const NONE: Following = { next: () => ({ done: true, value: null }) };

const clockOf = ({ clock }: LineKind): LineClock =>
  clock === 'stated' ? new StatedClock() : new LogClock(clock);

/** So many lines of the same length can be read ahead, however long they are. */
const LINES_AHEAD = 10;

/** Longest header line. */
const MAX_HEADING_BYTES = 2048;

/** The end of a line in a text. */
export const LINE_END = /[\r\n]/;

/** Lines of a head to examine: some may be damaged. */
const FIRST_LINES = 256;

/**
 * The first lines in the head of a file that may be records or header lines, and are long enough for them. To read every
 * line of 64 KiB could hold the event loop for 170 ms.
 */
export const linesOfHead = (head: Uint8Array, mayBe: (line: string) => boolean): readonly string[] =>
  (latin1(head).match(/[^\r\n]{8,}/g) ?? []).filter(mayBe).slice(0, FIRST_LINES);

/** Bytes as text with one character per byte. */
export const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
