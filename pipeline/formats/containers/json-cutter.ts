import type { State } from '../../component/index.js';
import { DeviceClock, type ClockKind } from './device-clock.js';
import { MAX_RECORD_BYTES, type Cutter } from '../contract/format.js';
import { latin1 } from './line-cutter.js';
import type { RawBuilder } from '../contract/raw-builder.js';

/** JSON values that each contain a measurement, anywhere in a text and with any line breaks. */
export interface ValueKind {
  /** Prefix of problem codes: `onewifi`. */
  readonly name: string;
  /**
   * The start of such a value, from its bracket on; a global expression that matches at most `longestStart`
   * characters.
   */
  readonly begins: RegExp;
  readonly longestStart: number;
  readonly clock: ClockKind;
  /** The clock's stamp in a complete value; null if it is damaged. */
  readonly stampOf: (text: string) => number | null;
}

/** Cuts such values out of a text and skips everything between them. */
export class JsonCutter implements Cutter {
  readonly #kind: ValueKind;
  readonly #clock: DeviceClock;

  constructor(kind: ValueKind) {
    this.#kind = kind;
    this.#clock = new DeviceClock(kind.clock);
  }

  cut(bytes: Uint8Array, into: RawBuilder, at: number, last: boolean): number {
    const { begins, longestStart } = this.#kind;
    const text = latin1(bytes);
    let from = 0;
    while (!into.full) {
      begins.lastIndex = from;
      const found = begins.exec(text);
      // The rest may be the beginning of one.
      if (!found) return last ? bytes.length : Math.max(from, bytes.length - longestStart);
      const start = found.index;
      begins.lastIndex = start + 1;
      const next = begins.exec(text)?.index ?? -1;
      const end = endOf(text, start, next < 0 ? text.length : next);
      const isWhole = end > 0 && end - start <= MAX_RECORD_BYTES;
      if (end === 0 && next < 0 && !last && bytes.length - start <= MAX_RECORD_BYTES) return start;
      if (isWhole) this.#take(bytes, text, start, end, into, at);
      else this.#report(into, 'damaged', at + start, 'it has no end: the measurement is skipped');
      from = isWhole ? end : start + 1;
    }
    return from;
  }

  snapshot() {
    return this.#clock.snapshot();
  }

  restore(state: State): void {
    this.#clock.restore(state as ReturnType<JsonCutter['snapshot']>);
  }

  #take(bytes: Uint8Array, text: string, start: number, end: number, into: RawBuilder, at: number): void {
    const stamp = this.#kind.stampOf(text.slice(start, end));
    // The decoder rejects values that are damaged elsewhere, and the clock ignores them.
    const time = stamp === null ? Math.max(0, into.newest) : this.#clock.at(stamp);
    if (time !== null) {
      into.begins(at + start);
      into.add(time, bytes, start, end);
    } else
      this.#report(
        into,
        'stray',
        at + start,
        `the time ${stamp} does not follow from those before it: it is skipped`,
      );
  }

  #report(into: RawBuilder, code: string, at: number, message: string): void {
    into.problem({ code: `${this.#kind.name}.${code}`, location: `byte ${at}`, message });
  }
}

/** Position after the value that begins at `start`; 0 if it is not closed before `limit`. */
function endOf(text: string, start: number, limit: number): number {
  let depth = 0;
  let isText = false;
  for (let i = start; i < limit; i++) {
    const code = text.charCodeAt(i);
    if (isText) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) isText = true;
    else if (code === 0x5b || code === 0x7b) depth++;
    else if ((code === 0x5d || code === 0x7d) && --depth === 0) return i + 1;
  }
  return 0;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
