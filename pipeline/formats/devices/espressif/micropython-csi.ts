/**
 * MicroPython's `WLAN.csi_read()`: a list of 22 values, which a script prints or sends as JSON, one per line
 * or datagram. Its fields: docs/formats/espressif.md.
 */
import { espFields, LLTF_12_BIT, type EspField } from './esp-carriers.js';
import { wordsOfFrame } from './esp-lltf-bits.js';
import { ESP_CLOCK, espParts, espStamp, fillField } from './esp-values.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import { recordingOf, type FileFormat, type Format } from '../../contract/format.js';
import { latin1, LineCutter, linesOfHead, type LineKind } from '../../containers/line-cutter.js';
import { errorText } from '../../../base/error-text.js';

/** Frames belong to the link whose `sender` is the transmitter's MAC address, or `*`. */
export const micropythonCsi: Format = frameFormat(
  { format: 'micropython-csi', sequenceBits: 32, read: readList },
  'MicroPython: the list of `WLAN.csi_read()` as JSON, one per line or datagram.',
);

/** A file of such lines. Event time is the ESP32's own clock (since it was started), counted from 1970. */
export const micropythonCsiLog: FileFormat = {
  name: 'micropython-csi-log',
  summary: "Lines of JSON with the list of MicroPython's `csi_read()`.",
  recognise: (head) =>
    linesOfHead(head, (line) => line.startsWith(MARK)).some((line) =>
      micropythonCsi.recognise(Buffer.from(line, 'latin1')),
    ),
  open: recordingOf(micropythonCsi, () => new LineCutter(LINES)),
};

const MARK = '[';
const FIELDS = 22;
/** 512 numbers, and the same amount again for the other fields. */
const MAX_LINE_BYTES = 8192;

/** Null if the bytes are not a JSON array of 22. */
function parseList(text: string): readonly unknown[] | ReadFault | null {
  if (!text.startsWith(MARK)) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: 'truncated', reason: errorText(error) };
  }
  return Array.isArray(value) && value.length === FIELDS ? value : null;
}

function readList(record: Uint8Array): ReadFrame | ReadFault | null {
  if (record.length > MAX_LINE_BYTES)
    return { fault: 'oversized', reason: `longer than ${MAX_LINE_BYTES} bytes` };
  const list = parseList(latin1(record).trimEnd());
  if (list === null || 'fault' in list) return list;
  const numbers = [0, 1, 4, 7, 9, 13, 16, 18].map((at) => list[at]);
  if (!numbers.every(Number.isInteger))
    return { fault: 'value', reason: 'one of its fields is not a whole number' };
  const [rssi, channel, stamp, mode, width, stbc, noise, secondary] = numbers as number[] as [
    ...[number, number, number, number],
    ...[number, number, number, number],
  ];
  const mac = macOf(list[2]);
  if (mac === null) return { fault: 'value', reason: 'field 2 is not a MAC address' };
  const pairs = bytesOf(list[5]);
  if (pairs === null) return { fault: 'value', reason: 'field 5 is neither a list of bytes nor base64' };
  const words = wordsOfFrame(pairs);
  const fields = words ? LLTF_12_BIT : fieldsOf(pairs, { mode, width, stbc, secondary });
  if (!fields)
    return { fault: 'carriers', reason: `${pairs.length} bytes: no frame of an ESP32 has this number` };
  return {
    sequence: null,
    sender: mac,
    rssi: rssi < 0 ? rssi : NaN,
    noise: noise < 0 ? noise : NaN,
    deviceTime: stamp >>> 0,
    bits: words ? 12 : 8,
    parts: espParts(words ?? pairs, fields, {
      ...{ channel, secondary },
      firstWordInvalid: false,
      realFirst: words !== null,
    }),
  };
}

/** Chips without a field report 0, so 0 counts as unknown. */
function fieldsOf(
  pairs: Int8Array,
  said: { readonly mode: number; readonly width: number; readonly stbc: number; readonly secondary: number },
): readonly EspField[] | undefined {
  if (pairs.length % 2 !== 0) return undefined;
  return espFields(
    {
      pairs: pairs.length / 2,
      ascending: pairs.length === 512,
      secondary: said.secondary === 0 ? null : said.secondary,
      wide: said.width === 1 ? true : null,
      stbc: said.stbc === 1 ? true : null,
      ht: said.mode > 0 ? true : null,
      filtered: false,
    },
    (pair) => pairs[2 * pair] === 0 && pairs[2 * pair + 1] === 0,
  );
}

/** Bytes as a list of signed or unsigned numbers, or as base64; null for anything else. */
function bytesOf(value: unknown): Int8Array | null {
  if (typeof value === 'string')
    return /^[A-Za-z\d+/]+={0,2}$/.test(value) ? new Int8Array(Buffer.from(value, 'base64')) : null;
  if (!Array.isArray(value) || !value.every((byte) => Number.isInteger(byte) && byte >= -128 && byte <= 255))
    return null;
  return Int8Array.from(value as number[]);
}

/** An address in lower case, from its text, its hexadecimal digits, or its six bytes. */
function macOf(value: unknown): string | null {
  const bytes = Array.isArray(value) ? bytesOf(value) : null;
  const digits =
    typeof value === 'string'
      ? value.replaceAll(/[:-]/g, '').toLowerCase()
      : Buffer.from(bytes ?? []).toString('hex');
  return /^[\da-f]{12}$/.test(digits) ? digits.match(/../g)!.join(':') : null;
}

const LINES: LineKind = {
  name: 'micropython-csi',
  mark: MARK,
  beginIn: (line) => Buffer.from(line.buffer, line.byteOffset, line.length).indexOf(MARK, 0, 'latin1'),
  maxBytes: MAX_LINE_BYTES,
  clock: ESP_CLOCK,
  unit: 'us',
  stampOf: (line) => {
    const list = parseList(line);
    return list === null || 'fault' in list ? null : espStamp(list[4] as number);
  },
};

/** The inverse of the decoder. */
export function encodeMicropythonCsi(
  fields: Readonly<Record<number, unknown>>,
  pairs: number,
  parts: readonly { readonly field: EspField; readonly values: ArrayLike<number> }[],
): string {
  const numbers = new Int8Array(2 * pairs);
  for (const { field, values } of parts) fillField(numbers, field, values);
  const all: Readonly<Record<number, unknown>> = { 2: '1a0000000000', ...fields, 5: [...numbers] };
  return JSON.stringify(Array.from({ length: FIELDS }, (_, at) => all[at] ?? 0));
}
