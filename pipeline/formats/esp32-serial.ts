import { FrameDecoder, type FrameReader, type ReadFault, type ReadFrame } from './frame-decoder.js';
import { frameParts, knownBins, type FramePart } from './adr018-frame.js';
import { DeviceClock, READ_AHEAD_BYTES } from './device-clock.js';
import { FormatError, MAX_RECORD_BYTES, type Cutter, type FileFormat, type Format } from './format.js';
import type { RawBuilder } from './raw-builder.js';

/**
 * Serial log of an ESP32: lines `CSIRAW sequence t_ms rssi bytes hex` among ordinary log lines, as the
 * receiver of hhjh79933-sketch/wifi_csi prints them. The hex is ESP-IDF's buffer: pairs (imaginary, real) of
 * i8 in the order of an FFT, LLTF (128 bytes), then HT-LTF (256 in all) and STBC-HT-LTF (384 in all).
 */
export const esp32Serial: Format = {
  name: 'esp32-serial',
  summary: 'Lines `CSIRAW sequence t_ms rssi bytes hex` of an ESP32 on a serial port.',
  recognise: (record) => isFrame(readLine(record)),
  decoder: (context) => new FrameDecoder(READER, context),
};

/** A file of such lines. Event time is the ESP32's own clock (since it was started), counted from 1970. */
export const esp32SerialLog: FileFormat = {
  name: 'esp32-serial-log',
  summary: 'Serial log of an ESP32 with CSIRAW lines.',
  recognise: (head) =>
    text(head)
      .split('\n')
      .some((line) => PATTERN.test(line.trimEnd())),
  open: () => ({ format: esp32Serial.name, start: 0, origin: 'replay', meta: {}, cutter: new LineCutter() }),
};

/** The log gives no channel: channel 6 is taken, as most examples of ESP-IDF do. */
const ASSUMED_MHZ = 2437;
const MARK = 'CSIRAW ';
const PATTERN = /^CSIRAW (\d{1,10}) (\d{1,10}) (-?\d{1,3}) (\d{1,4}) ([0-9a-fA-F]*)$/;
/** Longest line that can be a measurement: 192 pairs. */
const MAX_LINE_BYTES = 1024;

const text = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

const isFrame = (read: ReadFrame | ReadFault | null): boolean => read !== null && !('fault' in read);

const layouts = new Map<number, readonly FramePart[]>();

function partsOf(bins: number): readonly FramePart[] {
  let parts = layouts.get(bins);
  if (!parts) layouts.set(bins, (parts = frameParts(bins, 1, ASSUMED_MHZ)!));
  return parts;
}

const READER: FrameReader = { format: 'esp32-serial', sequenceBits: 32, read: readLine };

function readLine(record: Uint8Array): ReadFrame | ReadFault | null {
  if (record.length > MAX_LINE_BYTES)
    return { fault: 'oversized', reason: `longer than ${MAX_LINE_BYTES} bytes` };
  const line = text(record).trimEnd();
  if (!line.startsWith(MARK)) return null;
  const match = PATTERN.exec(line);
  if (!match) return { fault: 'truncated', reason: 'not `CSIRAW sequence t_ms rssi bytes hex`' };
  const bytes = Number(match[4]);
  const bins = bytes / 2;
  if (!knownBins(bins) || bins > 192) {
    return { fault: 'subcarriers', reason: `${bytes} bytes: known are 128, 256 and 384` };
  }
  if (match[5]!.length !== 2 * bytes) {
    return { fault: 'truncated', reason: `${match[5]!.length} hex digits, not ${2 * bytes}` };
  }
  const pairs = new Int8Array(Buffer.from(match[5]!, 'hex'));
  const rssi = Number(match[3]);
  return {
    sequence: Number(match[1]) >>> 0,
    rssi: rssi < 0 ? rssi : NaN,
    noise: NaN,
    parts: partsOf(bins).map(({ layout, offsets }) => ({
      layout,
      fill: (values, at) => {
        for (const offset of offsets) {
          values[at++] = pairs[offset + 1]!;
          values[at++] = pairs[offset]!;
        }
      },
    })),
  };
}

/** A line as it is printed. `parts`: for each training field [active subcarrier, (re, im)], whole numbers of -128 to 127. */
export function encodeLine(
  frame: { readonly sequence: number; readonly timeMs: number; readonly rssi: number },
  parts: readonly ArrayLike<number>[],
): string {
  const bins = 64 * parts.length;
  const pairs = new Int8Array(2 * bins);
  partsOf(bins).forEach(({ offsets }, p) => {
    offsets.forEach((offset, i) => {
      pairs[offset + 1] = parts[p]![2 * i]!;
      pairs[offset] = parts[p]![2 * i + 1]!;
    });
  });
  const rssi = Number.isNaN(frame.rssi) ? 0 : frame.rssi;
  return `CSIRAW ${frame.sequence} ${frame.timeMs} ${rssi} ${2 * bins} ${Buffer.from(pairs.buffer).toString('hex')}`;
}

/** Milliseconds since the ESP32 was started; they wrap after 49.7 days. */
const ESP32_CLOCK = { unit: 1000, period: 2 ** 32, confirm: 3 };

/**
 * Cuts a log into its CSIRAW lines; other lines are left out. A line may hold something before its CSIRAW: the prefix
 * of a logger, or a line that lost its end.
 */
class LineCutter implements Cutter {
  readonly #clock = new DeviceClock(ESP32_CLOCK);
  #line = 0;

  cut(bytes: Uint8Array, into: RawBuilder, at: number, last: boolean): number {
    let start = 0;
    while (!into.full && start < bytes.length) {
      const place = `line ${this.#line + 1} (byte ${at + start})`;
      const newline = bytes.indexOf(NEWLINE, start);
      if (newline < 0 && !last) {
        if (bytes.length - start <= MAX_RECORD_BYTES) break;
        throw new FormatError('esp32-serial.line', place, 'a line of over a megabyte: this is no serial log');
      }
      const end = newline < 0 ? bytes.length : newline;
      if (!this.#takeLine(bytes, start, end, into, place, last)) break;
      this.#line++;
      start = end + 1;
    }
    return Math.min(start, bytes.length);
  }

  /** False where more bytes are needed. */
  #takeLine(
    bytes: Uint8Array,
    start: number,
    end: number,
    into: RawBuilder,
    place: string,
    last: boolean,
  ): boolean {
    const mark = lastMark(bytes, start, end);
    if (mark < 0) return true;
    const stamp = stampOf(bytes, mark, end);
    let next: number | null = null;
    if (stamp !== null && this.#clock.asksForNext(stamp)) {
      const follower = nextStamp(bytes, end + 1, last);
      if (follower === undefined) return false;
      next = follower;
    }
    const problem = (name: string, message: string) => {
      into.problem({ code: `esp32-serial.${name}`, place, message });
    };
    if (lastMark(bytes, start, mark) >= 0)
      problem(
        'joined',
        'a CSIRAW line has lost its end: it is left out, the one that follows in this line is read',
      );
    // A line that is damaged elsewhere is for the decoder to refuse, and moves no clock.
    const time = stamp === null ? Math.max(0, into.newest) : this.#clock.at(stamp, next);
    if (time !== null) into.add(time, bytes, mark, end);
    else
      problem('stray', `the time ${stamp} ms does not follow from the lines before it: the line is left out`);
    return true;
  }

  snapshot() {
    return { line: this.#line, clock: this.#clock.snapshot() };
  }

  restore(state: unknown): void {
    const kept = state as ReturnType<LineCutter['snapshot']>;
    this.#line = kept.line;
    this.#clock.restore(kept.clock);
  }
}

const NEWLINE = 0x0a;

/** Where the last `CSIRAW ` of these bytes begins, or -1. */
function lastMark(bytes: Uint8Array, start: number, end: number): number {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).lastIndexOf(
    MARK,
    undefined,
    'latin1',
  );
  return at < 0 ? -1 : start + at;
}

/** The `t_ms` of a whole CSIRAW line; null where the line is damaged. */
function stampOf(bytes: Uint8Array, start: number, end: number): number | null {
  if (end - start > MAX_LINE_BYTES) return null;
  const match = PATTERN.exec(text(bytes.subarray(start, end)).trimEnd());
  if (!match || match[5]!.length !== 2 * Number(match[4])) return null;
  const stamp = Number(match[2]);
  return stamp < ESP32_CLOCK.period ? stamp : null;
}

/** The stamp of the first whole CSIRAW line from `from` on; null where none is near, undefined where more bytes are needed. */
function nextStamp(bytes: Uint8Array, from: number, last: boolean): number | null | undefined {
  const horizon = from + READ_AHEAD_BYTES;
  const within = bytes.subarray(0, horizon);
  for (let start = from; start < within.length;) {
    const newline = within.indexOf(NEWLINE, start);
    if (newline < 0 && !(last && bytes.length <= horizon)) break;
    const end = newline < 0 ? within.length : newline;
    const mark = lastMark(within, start, end);
    const stamp = mark < 0 ? null : stampOf(within, mark, end);
    if (stamp !== null) return stamp;
    start = end + 1;
  }
  return last || bytes.length >= horizon ? null : undefined;
}
