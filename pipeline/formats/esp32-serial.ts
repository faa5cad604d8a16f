import { FrameDecoder, type FrameReader, type ReadFault, type ReadFrame } from './frame-decoder.js';
import { frameParts, knownBins, type FramePart } from './adr018-frame.js';
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

const MS_PERIOD = 2 ** 32;

/**
 * Cuts a log into its CSIRAW lines; other lines are left out. The ESP32's 32-bit millisecond clock wraps after
 * 49.7 days; a clock that goes back otherwise (a restart within the log) goes on from the last time.
 */
class LineCutter implements Cutter {
  #line = 0;
  /** Last t_ms of the log, and what is added to it. */
  #last = 0;
  #offset = 0;

  cut(bytes: Uint8Array, into: RawBuilder, at: number, last: boolean): number {
    let start = 0;
    while (!into.full && start < bytes.length) {
      const newline = bytes.indexOf(0x0a, start);
      if (newline < 0 && !last) {
        if (bytes.length - start <= MAX_RECORD_BYTES) break;
        const place = `line ${this.#line + 1} (byte ${at + start})`;
        throw new FormatError('esp32-serial.line', place, 'a line of over a megabyte: this is no serial log');
      }
      const end = newline < 0 ? bytes.length : newline;
      this.#line++;
      const line = text(bytes.subarray(start, Math.min(end, start + MAX_LINE_BYTES + 1))).trimEnd();
      if (line.startsWith(MARK)) {
        const time = Number(line.split(' ', 3)[2]);
        if (Number.isSafeInteger(time) && time >= 0) into.add(this.#unwrap(time) * 1000, bytes, start, end);
        else {
          into.problem({
            code: 'esp32-serial.time',
            place: `line ${this.#line} (byte ${at + start})`,
            message: 'the third word is not a time in milliseconds; the line was left out',
          });
        }
      }
      start = end + 1;
    }
    return Math.min(start, bytes.length);
  }

  #unwrap(time: number): number {
    if (time < this.#last) {
      const wrapped = this.#last - time > MS_PERIOD / 2;
      this.#offset += wrapped ? MS_PERIOD : this.#last - time;
    }
    this.#last = time;
    return time + this.#offset;
  }

  snapshot() {
    return { line: this.#line, last: this.#last, offset: this.#offset };
  }

  restore(state: unknown): void {
    const kept = state as ReturnType<LineCutter['snapshot']>;
    this.#line = kept.line;
    this.#last = kept.last;
    this.#offset = kept.offset;
  }
}
