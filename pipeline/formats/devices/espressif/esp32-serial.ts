import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import { frameParts, knownBins, type FramePart } from '../adr018/adr018-frame.js';
import { recordingOf, type FileFormat, type Format } from '../../contract/format.js';
import { latin1, LineCutter, type LineKind } from '../../containers/line-cutter.js';

/**
 * Serial log of an ESP32: lines `CSIRAW sequence t_ms rssi bytes hex` among ordinary log lines, as printed by
 * the receiver of hhjh79933-sketch/wifi_csi. The hex is ESP-IDF's buffer: pairs (imaginary, real) of i8 in
 * the order of an FFT, LLTF (128 bytes), then HT-LTF (256 in total) and STBC-HT-LTF (384 in total).
 */
export const esp32Serial: Format = frameFormat(
  { format: 'esp32-serial', sequenceBits: 32, read: readLine },
  'Lines `CSIRAW sequence t_ms rssi bytes hex` of an ESP32 on a serial port.',
);

/** A file of such lines. Event time is the ESP32's own clock (since it was started), counted from 1970. */
export const esp32SerialLog: FileFormat = {
  name: 'esp32-serial-log',
  summary: 'Serial log of an ESP32 with CSIRAW lines.',
  recognise: (head) =>
    latin1(head)
      .split('\n')
      .some((line) => PATTERN.test(line.trimEnd())),
  open: recordingOf(esp32Serial, () => new LineCutter(LINES)),
};

/** The log does not state the channel. Channel 6 is assumed, as in most examples of ESP-IDF. */
const ASSUMED_MHZ = 2437;
const MARK = 'CSIRAW ';
const PATTERN = /^CSIRAW (\d{1,10}) (\d{1,10}) (-?\d{1,3}) (\d{1,4}) ([0-9a-fA-F]*)$/;
/** Longest line that can be a measurement: 192 pairs. */
const MAX_LINE_BYTES = 1024;

const layouts = new Map<number, readonly FramePart[]>();

function partsOf(bins: number): readonly FramePart[] {
  let parts = layouts.get(bins);
  if (!parts) layouts.set(bins, (parts = frameParts(bins, 1, ASSUMED_MHZ)!));
  return parts;
}

function readLine(record: Uint8Array): ReadFrame | ReadFault | null {
  if (record.length > MAX_LINE_BYTES)
    return { fault: 'oversized', reason: `longer than ${MAX_LINE_BYTES} bytes` };
  const line = latin1(record).trimEnd();
  if (!line.startsWith(MARK)) return null;
  const match = PATTERN.exec(line);
  if (!match) return { fault: 'truncated', reason: 'not `CSIRAW sequence t_ms rssi bytes hex`' };
  const bytes = Number(match[4]);
  const bins = bytes / 2;
  if (!knownBins(bins) || bins > 192) {
    return { fault: 'subcarriers', reason: `${bytes} bytes: supported are 128, 256 and 384` };
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
    deviceTime: Number(match[2]) * 1000,
    bits: 8,
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

/**
 * A line as printed. `parts`: for each training field [active subcarrier, (re, im)], whole numbers from -128
 * to 127.
 */
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

const LINES: LineKind = {
  name: 'esp32-serial',
  mark: MARK,
  maxBytes: MAX_LINE_BYTES,
  // Milliseconds since the ESP32 was started, wrapping after 49.7 days.
  clock: { unit: 1000, period: 2 ** 32, confirm: 3 },
  unit: 'ms',
  stampOf: (line) => {
    const match = PATTERN.exec(line);
    if (!match || match[5]!.length !== 2 * Number(match[4])) return null;
    const stamp = Number(match[2]);
    return stamp < 2 ** 32 ? stamp : null;
  },
};
