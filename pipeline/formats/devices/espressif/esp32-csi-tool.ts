/**
 * StevenMHernandez/ESP32-CSI-Tool: lines `CSI_DATA,<role>,...,[...]` on a serial port or in a CSV. Columns and bytes:
 * docs/formats/espressif.md.
 */
import { espFields, type EspField } from './esp-carriers.js';
import { csiDataLine, csiDataLog, hasMark, headingIn, headingOf, numbersOfLine } from './csi-data-lines.js';
import { Headings } from './headings.js';
import { espParts, espStamp, parseNumbers, fillField, type EspNumbers } from './esp-values.js';
import {
  frameFormat,
  type FrameReader,
  type ReadFault,
  type ReadFrame,
} from '../../decoder/frame-decoder.js';
import type { Format } from '../../contract/format.js';

const lines = frameFormat(lineReader, 'ESP32-CSI-Tool: lines `CSI_DATA,<role>,...` of an ESP32.', (record) =>
  hasMark(record, true),
);

/** One line; frames belong to the link whose `sender` is the transmitter's MAC address, or `*`. */
export const esp32CsiTool: Format = {
  ...lines,
  recognise: (record) => headingOf(record, DATA) !== null || lines.recognise(record),
};

export const esp32CsiToolLog = csiDataLog(
  esp32CsiTool,
  { name: 'esp32-csi-tool-log', summary: 'CSV or serial log of the ESP32-CSI-Tool.' },
  (text, heading) => {
    const line = splitLine(text, heading);
    return 'fault' in line ? null : espStamp(line.column('local_timestamp'));
  },
  {
    headingIn: (text) => headingIn(text, DATA),
    recognise: (log) => {
      const reader = lineReader();
      return log.some((line) => {
        const read = reader.read(Buffer.from(line, 'latin1'), 0, '');
        return read !== null && !('fault' in read);
      });
    },
  },
);

/** Name of the column that holds the numbers. */
const DATA = 'CSI_DATA';
const COLUMNS = (
  'type role mac rssi rate sig_mode mcs bandwidth smoothing not_sounding aggregation stbc fec_coding sgi noise_floor ' +
  'ampdu_cnt channel secondary_channel local_timestamp ant sig_len rx_state real_time_set real_timestamp len'
).split(' ');
/** Columns before the data by their number: of today, and of two older versions. */
const SETS = new Map(
  [
    COLUMNS,
    COLUMNS.filter((name) => name !== 'real_time_set'),
    COLUMNS.filter((name) => !name.startsWith('real_time')),
  ].map((names) => [names.length, names]),
);

/** A line's columns before the data by name, and its data as text. */
interface ToolLine {
  readonly column: (name: string) => number;
  readonly mac: string;
  readonly data: string;
}

/** @param heading the header line before it */
function splitLine(text: string, heading: string | null): ToolLine | ReadFault {
  const opening = text.indexOf('[');
  const fields = (opening < 0 ? text : text.slice(0, opening)).split(',');
  const names = columnsOf(fields.length - 1, heading);
  const other = otherProgram(fields, 'fault' in names ? expectedNames(heading) : names);
  if (other) return other;
  const closing = text.indexOf(']', opening);
  if (opening < 0 || closing < 0) return { fault: 'truncated', reason: 'its data has no brackets around it' };
  if ('fault' in names) return names;
  return {
    column: (name) => Number(fields[names.indexOf(name)]),
    mac: (fields[names.indexOf('mac')] ?? '').toLowerCase(),
    data: text.slice(opening + 1, closing),
  };
}

/** The fault of a line of another program: the role distinguishes it from esp-csi, which has a number there. */
function otherProgram(fields: readonly string[], names: readonly string[]): ReadFault | undefined {
  const at = names.indexOf('role');
  const role = fields[at] ?? '';
  if (at < 0 || /^[A-Z]+$/.test(role)) return undefined;
  return {
    fault: 'role',
    reason: `its column ${at + 1} is ${role === '' ? 'empty' : `\`${role.slice(0, MAX_SHOWN)}\``}, not a role such as STA; a line with a number there is of the format esp-csi`,
  };
}

/** Characters of a wrong column that its fault shows. */
const MAX_SHOWN = 20;

/** Names of so many columns: those of the header line if it names as many, otherwise of the set of that size. */
function columnsOf(count: number, heading: string | null): readonly string[] | ReadFault {
  const named = expectedNames(heading);
  const names = named.length === count ? named : SETS.get(count);
  const lacking = names && ['mac', ...REQUIRED].find((name) => !names.includes(name));
  if (lacking !== undefined)
    return { fault: 'columns', reason: `the header line before it names no column ${lacking}` };
  if (names) return names;
  const sizes = [...SETS.keys()].sort((a, b) => a - b).join(', ');
  return {
    fault: 'columns',
    reason: `${count} columns before the data: supported are ${sizes}, or others with a header line`,
  };
}

const expectedNames = (heading: string | null): readonly string[] =>
  heading === null ? COLUMNS : namesIn(heading);

/** The columns before the data in a header line; `timestamp` is the oldest version's name of the clock. */
function namesIn(heading: string): readonly string[] {
  const names = heading.split(',').map((name) => name.trim());
  return names
    .slice(0, names.indexOf(DATA))
    .map((name) => (name === 'timestamp' && !names.includes('local_timestamp') ? 'local_timestamp' : name));
}

/** Reads lines; a header line names the columns of those after it from the same sender. */
function lineReader(): FrameReader {
  const headings = new Headings();
  return {
    ...{ format: 'esp32-csi-tool', sequenceBits: 32 },
    read(record, _time, from) {
      const found = headingOf(record, DATA);
      if (found === null)
        return readLine(record, (text) => headings.split(from, (heading) => splitLine(text, heading)));
      headings.see(from, found);
      return null;
    },
    snapshot: () => headings.snapshot(),
    restore: (state) => {
      headings.restore(state as ReturnType<Headings['snapshot']>);
    },
  };
}

function readLine(
  record: Uint8Array,
  split: (text: string) => ToolLine | ReadFault,
): ReadFrame | ReadFault | null {
  const text = csiDataLine(record);
  if (typeof text !== 'string') return text;
  const line = split(text);
  if ('fault' in line) return line;
  const numbers = numbersOfLine(line, REQUIRED, () => parseNumbers(line.data));
  if ('fault' in numbers) return numbers;
  // `len` is that of the frame: by default, the tool prints only the LLTF.
  const halves = numbers.length === line.column('len') / 2;
  if (halves && numbers.every((value) => value >= 0))
    return { fault: 'amplitude', reason: 'its data contains amplitudes: build the tool to print raw CSI' };
  const { column } = line;
  const carriers = fieldsOf(column, numbers);
  if (!carriers)
    return { fault: 'carriers', reason: `${numbers.length} numbers: no frame of an ESP32 has this number` };
  const [level, noise] = [column('rssi'), column('noise_floor')];
  return {
    sequence: null,
    sender: line.mac,
    rssi: level < 0 ? level : NaN,
    noise: noise < 0 ? noise : NaN,
    deviceTime: column('local_timestamp') >>> 0,
    bits: 8,
    parts: espParts(numbers, carriers, {
      channel: column('channel'),
      secondary: column('secondary_channel'),
      // The column does not exist here, and the first two pairs of these frames hold garbage.
      firstWordInvalid: true,
    }),
  };
}

const REQUIRED =
  'rssi sig_mode bandwidth stbc noise_floor channel secondary_channel local_timestamp len'.split(' ');

function fieldsOf(column: (name: string) => number, numbers: EspNumbers): readonly EspField[] | undefined {
  if (numbers.length % 2 !== 0) return undefined;
  const all = numbers.length === column('len');
  return espFields(
    {
      pairs: numbers.length / 2,
      ascending: false,
      secondary: column('secondary_channel'),
      wide: column('bandwidth') === 1,
      stbc: column('stbc') === 1,
      // Cut to the LLTF, whatever the frame was.
      ht: all && column('sig_mode') > 0,
      filtered: false,
    },
    (pair) => numbers[2 * pair] === 0 && numbers[2 * pair + 1] === 0,
  );
}

/** A line as printed by the tool: the inverse of the decoder. `fields` by the column's name; 0 if omitted. */
export function encodeCsiToolLine(
  fields: Readonly<Record<string, number | string>>,
  pairs: number,
  parts: readonly { readonly field: EspField; readonly values: ArrayLike<number> }[],
): string {
  const numbers = new Int8Array(2 * pairs);
  for (const { field, values } of parts) fillField(numbers, field, values);
  const all: Readonly<Record<string, number | string>> = {
    role: 'STA',
    len: 2 * pairs,
    ...fields,
    type: 'CSI_DATA',
  };
  return `${COLUMNS.map((name) => all[name] ?? 0).join(',')},[${numbers.join(' ')} ]`;
}
