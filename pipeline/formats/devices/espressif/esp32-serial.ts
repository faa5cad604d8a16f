import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import { espFields, type EspField } from './esp-carriers.js';
import { UNKNOWN, unknownBuffer } from './esp-unknown.js';
import { espParts, fillField } from './esp-values.js';
import { recordingOf, type FileFormat, type Format } from '../../contract/format.js';
import { latin1, LineCutter, linesOfHead, type LineKind } from '../../containers/line-cutter.js';

/**
 * Serial log of an ESP32: lines `CSIRAW sequence t_ms rssi bytes hex` among ordinary log lines, as printed by
 * the receiver of hhjh79933-sketch/wifi_csi. The hex is ESP-IDF's buffer: pairs (imaginary, real) of i8, such as
 * LLTF (128 bytes), then HT-LTF (256 in total) and STBC-HT-LTF (384 in total).
 */
export const esp32Serial: Format = frameFormat(
  { format: 'esp32-serial', sequenceBits: 32, read: readLine },
  'Lines `CSIRAW sequence t_ms rssi bytes hex` of an ESP32 on a serial port.',
  (record) => latin1(record.subarray(0, MARK.length)) === MARK,
);

/** A file of such lines. Event time is the ESP32's own clock (since it was started), counted from 1970. */
export const esp32SerialLog: FileFormat = {
  name: 'esp32-serial-log',
  summary: 'Serial log of an ESP32 with CSIRAW lines.',
  recognise: (head) => linesOfHead(head, (line) => PATTERN.test(line.trimEnd())).length > 0,
  open: recordingOf(esp32Serial, () => new LineCutter(LINES)),
};

const MARK = 'CSIRAW ';
const PATTERN = /^CSIRAW (\d{1,10}) (\d{1,10}) (-?\d{1,3}) (\d{1,4}) ([0-9a-fA-F]*)$/;
/** Longest line that can be a measurement has 306 pairs. */
const MAX_LINE_BYTES = 1536;

function readLine(record: Uint8Array): ReadFrame | ReadFault | null {
  if (record.length > MAX_LINE_BYTES)
    return { fault: 'oversized', reason: `longer than ${MAX_LINE_BYTES} bytes` };
  const line = latin1(record).trimEnd();
  if (!line.startsWith(MARK)) return null;
  const match = PATTERN.exec(line);
  if (!match) return { fault: 'truncated', reason: 'not `CSIRAW sequence t_ms rssi bytes hex`' };
  const bytes = Number(match[4]);
  if (match[5]!.length !== 2 * bytes) {
    return { fault: 'truncated', reason: `${match[5]!.length} hex digits, not ${2 * bytes}` };
  }
  const buffer = bufferOf(new Int8Array(Buffer.from(match[5]!, 'hex')));
  if (!buffer) return { fault: 'carriers', reason: `${bytes} bytes: no frame of an ESP32 has this number` };
  const rssi = Number(match[3]);
  return {
    sequence: Number(match[1]) >>> 0,
    rssi: rssi < 0 ? rssi : NaN,
    noise: NaN,
    deviceTime: Number(match[2]) * 1000,
    ...buffer,
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
  SENT.get(bins)!.forEach((field, p) => {
    fillField(pairs, field, parts[p]!);
  });
  const rssi = Number.isNaN(frame.rssi) ? 0 : frame.rssi;
  return `CSIRAW ${frame.sequence} ${frame.timeMs} ${rssi} ${2 * bins} ${Buffer.from(pairs.buffer).toString('hex')}`;
}

/**
 * Buffers of one to three fields of 64 pairs are always those of an ESP32 on a channel without a second one beside it,
 * whatever their zeros say: the weights of detect-falls were trained on lines that were read so.
 */
function bufferOf(bytes: Int8Array): Pick<ReadFrame, 'parts' | 'bits'> | undefined {
  const fields = SENT.get(bytes.length / 2);
  if (!fields) return unknownBuffer(bytes);
  return { bits: 8, parts: espParts(bytes, fields, { channel: 0, secondary: 0, firstWordInvalid: false }) };
}

/** The fields of an ESP32 on a channel without a second one beside it, by their pairs. */
const SENT: ReadonlyMap<number, readonly EspField[]> = new Map(
  [64, 128, 192].map((pairs) => [
    pairs,
    espFields({ ...UNKNOWN, pairs, secondary: 0, ht: false, wide: false }, () => false)!,
  ]),
);

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
