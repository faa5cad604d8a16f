/**
 * Espressif's esp-csi: lines `CSI_DATA,...,"[...]"` of its examples on a serial port (`csi_recv`,
 * `csi_recv_router`, `esp-radar/console_test`), among other log lines. The number of columns before the data
 * identifies the set. Columns and bytes: docs/formats/espressif.md.
 */
import { LLTF_12_BIT, espFields, type EspField } from './esp-carriers.js';
import { csiDataLine, csiDataLog, numbersOfLine } from './csi-data-lines.js';
import { espParts, espStamp, exceedsByte, parseNumbers, placeField, type EspNumbers } from './esp-values.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import type { Format } from '../../contract/format.js';

/** One line; frames belong to the link whose `sender` is the transmitter's MAC address, or `*`. */
export const espCsi: Format = frameFormat(
  { format: 'esp-csi', sequenceBits: 32, mayCountByTwo: true, read: readLine },
  "Espressif's esp-csi: lines `CSI_DATA,...` of an ESP32 (all chips and sets of columns).",
);

export const espCsiLog = csiDataLog(
  espCsi,
  { name: 'esp-csi-log', summary: "Serial log or CSV of Espressif's esp-csi (`CSI_DATA` lines)." },
  (text) => {
    const line = splitLine(text);
    return 'fault' in line ? null : espStamp(line.column('local_timestamp'));
  },
);

/** Columns before the data, of each set. */
export const CLASSIC_COLUMNS = (
  'type id mac rssi rate sig_mode mcs bandwidth smoothing not_sounding aggregation stbc fec_coding sgi ' +
  'noise_floor ampdu_cnt channel secondary_channel local_timestamp ant sig_len rx_state len first_word'
).split(' ');
export const C5_COLUMNS =
  'type id mac rssi rate noise_floor fft_gain agc_gain channel local_timestamp sig_len rx_state len first_word'.split(
    ' ',
  );
const OLD_CONSOLE_COLUMNS = (
  'type id timestamp target_seq target mac rssi rate sig_mode mcs bandwidth smoothing not_sounding aggregation ' +
  'stbc fec_coding sgi noise_floor ampdu_cnt channel secondary_channel local_timestamp ant sig_len rx_state len first_word'
).split(' ');
/** With gains in the opposite order to the set of the C5. */
export const CONSOLE_COLUMNS = OLD_CONSOLE_COLUMNS.toSpliced(-2, 0, 'agc_gain', 'fft_gain');

const SETS = new Map(
  [CLASSIC_COLUMNS, C5_COLUMNS, OLD_CONSOLE_COLUMNS, CONSOLE_COLUMNS].map((names) => [
    names.length,
    { names, index: new Map(names.map((name, i) => [name, i])) },
  ]),
);

/** A line's columns by name, and its data as text; only a text if it has none. */
interface Line {
  readonly column: (name: string) => number;
  readonly mac: string;
  readonly has: (name: string) => boolean;
  readonly data: string;
  readonly names: readonly string[];
}

function splitLine(line: string): Line | ReadFault {
  const opening = line.indexOf('[');
  const head = (opening < 0 ? line : line.slice(0, opening)).split(',');
  // Without a bracket, base64: the data is a column like the others.
  const fields = head.slice(0, opening < 0 ? CONSOLE_COLUMNS.length : -1);
  const set = SETS.get(fields.length);
  if (!set)
    return {
      fault: 'columns',
      reason: `${fields.length} columns before the data: supported are ${[...SETS.keys()].join(', ')}`,
    };
  const closing = line.indexOf(']', opening);
  if (opening >= 0 && closing < 0) return { fault: 'truncated', reason: 'its data has no closing bracket' };
  const data = opening < 0 ? (head[CONSOLE_COLUMNS.length] ?? '') : line.slice(opening + 1, closing);
  const { names, index } = set;
  return {
    names,
    data,
    mac: fields[index.get('mac')!]!.toLowerCase(),
    has: (name) => index.has(name),
    column: (name) => Number(fields[index.get(name)!]),
  };
}

function readLine(record: Uint8Array): ReadFrame | ReadFault | null {
  const text = csiDataLine(record);
  if (typeof text !== 'string') return text;
  const line = splitLine(text);
  if ('fault' in line) return line;
  const parse = line.names === CONSOLE_COLUMNS ? numbersOf : parseNumbers;
  const numbers = numbersOfLine(line, REQUIRED.filter(line.has), () => parse(line.data));
  if ('fault' in numbers) return numbers;
  const length = line.column('len');
  if (numbers.length !== length)
    return { fault: 'count', reason: `${numbers.length} numbers, but len is ${length}` };
  return readNumbers(line, numbers);
}

/** Columns in use. */
const REQUIRED = [
  ...['id', 'rssi', 'noise_floor', 'channel', 'local_timestamp', 'len', 'first_word'],
  ...['sig_mode', 'bandwidth', 'stbc', 'secondary_channel', 'agc_gain', 'fft_gain'],
];

function readNumbers(line: Line, numbers: EspNumbers): ReadFrame | ReadFault {
  const twelve = twelveBit(numbers);
  const values = twelve ?? numbers;
  const fields = twelve ? LLTF_12_BIT : fieldsOf(line, values);
  if (!fields)
    return { fault: 'carriers', reason: `${numbers.length} numbers: no frame of an ESP32 has this number` };
  const level = line.column('rssi');
  const noise = line.column('noise_floor');
  const reading = {
    channel: line.column('channel'),
    secondary: optional(line, 'secondary_channel'),
    firstWordInvalid: line.column('first_word') === 1,
    realFirst: twelve !== null,
  };
  return {
    sequence: line.column('id') >>> 0,
    sender: line.mac,
    rssi: level < 0 ? level : NaN,
    // A signed byte that the C5's examples print without its sign.
    noise: noise > 127 ? noise - 256 : noise < 0 ? noise : NaN,
    deviceTime: line.column('local_timestamp') >>> 0,
    bits: twelve ? 12 : exceedsByte(values) ? 16 : 8,
    ...(line.has('agc_gain') && {
      agc: line.column('agc_gain') & 0xff,
      fftGain: ((line.column('fft_gain') << 24) >> 24) / 4,
    }),
    parts: espParts(values, fields, reading),
  };
}

const optional = (line: Line, name: string): number | null => (line.has(name) ? line.column(name) : null);

function fieldsOf(line: Line, numbers: EspNumbers): readonly EspField[] | undefined {
  if (numbers.length % 2 !== 0) return undefined;
  const flag = (name: string, at: number): boolean | null =>
    line.has(name) ? line.column(name) >= at : null;
  return espFields(
    {
      pairs: numbers.length / 2,
      ascending: line.names === C5_COLUMNS,
      secondary: optional(line, 'secondary_channel'),
      wide: flag('bandwidth', 1),
      stbc: flag('stbc', 1),
      ht: flag('sig_mode', 1),
      filtered: line.names === CONSOLE_COLUMNS || line.names === OLD_CONSOLE_COLUMNS,
    },
    (pair) => numbers[2 * pair] === 0 && numbers[2 * pair + 1] === 0,
  );
}

/** The numbers of esp-radar's data: in brackets, or the bytes in base64. */
function numbersOf(data: string): EspNumbers | null {
  const numbers = parseNumbers(data);
  if (numbers) return numbers;
  return /^[A-Za-z\d+/]+={0,2}$/.test(data) ? new Int8Array(Buffer.from(data, 'base64')) : null;
}

/**
 * The words of a 12-bit LLTF (C5, C61): 52 combined numbers, or 106 bytes in which the upper half of every
 * second one is empty. Null for others. The order within a pair is not documented;
 * according to the vendor and pyespargos, the real part is first.
 */
function twelveBit(numbers: EspNumbers): Int16Array | null {
  if (numbers.length === 52) return Int16Array.from(numbers);
  if (numbers.length !== 106) return null;
  for (let i = 1; i < 106; i += 2) if (numbers[i]! < 0 || numbers[i]! > 15) return null;
  return Int16Array.from(
    { length: 52 },
    (_, i) => (((numbers[2 * i]! & 0xff) | (numbers[2 * i + 1]! << 8)) << 20) >> 20,
  );
}

/** A line as printed by an example of esp-csi. */
export interface EspCsiLine {
  /** {@link CLASSIC_COLUMNS}, {@link C5_COLUMNS} or {@link CONSOLE_COLUMNS}. */
  readonly columns: readonly string[];
  /** By the column's name; 0 if missing. */
  readonly fields: Readonly<Record<string, number | string>>;
  /** Pairs of the whole buffer. */
  readonly pairs: number;
  readonly parts: readonly { readonly field: EspField; readonly values: ArrayLike<number> }[];
}

/** The inverse of the decoder. */
export function encodeEspCsi({ columns, fields, pairs, parts }: EspCsiLine): string {
  const numbers = new Int16Array(2 * pairs);
  for (const { field, values } of parts) placeField(numbers, field, values);
  const all: Readonly<Record<string, number | string>> = { ...fields, type: 'CSI_DATA', len: 2 * pairs };
  return `${columns.map((name) => all[name] ?? 0).join(',')},"[${numbers.join(',')}]"`;
}
