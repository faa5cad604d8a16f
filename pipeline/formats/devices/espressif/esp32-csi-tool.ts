/**
 * StevenMHernandez/ESP32-CSI-Tool: lines `CSI_DATA,<role>,...,[...]` on a serial port or in a CSV. Columns and bytes:
 * docs/formats/espressif.md.
 */
import { espFields, type EspField } from './esp-carriers.js';
import { csiDataLine, csiDataLog, numbersOfLine } from './csi-data-lines.js';
import { espParts, espStamp, parseNumbers, placeField, type EspNumbers } from './esp-values.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import type { Format } from '../../contract/format.js';

/** One line; frames belong to the link whose `sender` is the transmitter's MAC address, or `*`. */
export const esp32CsiTool: Format = frameFormat(
  { format: 'esp32-csi-tool', sequenceBits: 32, read: readLine },
  'ESP32-CSI-Tool: lines `CSI_DATA,<role>,...` of an ESP32.',
);

export const esp32CsiToolLog = csiDataLog(
  esp32CsiTool,
  { name: 'esp32-csi-tool-log', summary: 'CSV or serial log of the ESP32-CSI-Tool.' },
  (text) => {
    const line = splitLine(text);
    if (!line || line.data === null) return null;
    return espStamp(Number(line.fields[AT.get('local_timestamp')!]));
  },
);

const COLUMNS = (
  'type role mac rssi rate sig_mode mcs bandwidth smoothing not_sounding aggregation stbc fec_coding sgi noise_floor ' +
  'ampdu_cnt channel secondary_channel local_timestamp ant sig_len rx_state real_time_set real_timestamp len'
).split(' ');
const AT = new Map(COLUMNS.map((name, i) => [name, i]));

/** The columns before the data, and the data; undefined for lines of another kind. */
function splitLine(text: string): { fields: readonly string[]; data: string | null } | undefined {
  const opening = text.indexOf('[');
  const fields = (opening < 0 ? text : text.slice(0, opening)).split(',');
  // The role distinguishes it from esp-csi, which has a number there.
  if (!/^[A-Z]+$/.test(fields[1] ?? '')) return undefined;
  const closing = text.indexOf(']', opening);
  return {
    fields: fields.slice(0, -1),
    data: opening < 0 || closing < 0 ? null : text.slice(opening + 1, closing),
  };
}

function readLine(record: Uint8Array): ReadFrame | ReadFault | null {
  const text = csiDataLine(record);
  if (typeof text !== 'string') return text;
  const line = splitLine(text);
  if (!line) return null;
  const { fields, data } = line;
  if (data === null) return { fault: 'truncated', reason: 'its data has no brackets around it' };
  if (fields.length !== COLUMNS.length)
    return { fault: 'columns', reason: `${fields.length} columns before the data, not ${COLUMNS.length}` };
  const column = (name: string): number => Number(fields[AT.get(name)!]);
  const mac = fields[AT.get('mac')!]!.toLowerCase();
  const numbers = numbersOfLine({ column, mac }, REQUIRED, () => parseNumbers(data));
  if ('fault' in numbers) return numbers;
  // `len` is that of the frame: by default, the tool prints only the LLTF.
  const length = column('len');
  const halves = numbers.length === length / 2;
  if (halves && numbers.every((value) => value >= 0))
    return { fault: 'amplitude', reason: 'its data contains amplitudes: build the tool to print raw CSI' };
  const carriers = fieldsOf(column, numbers);
  if (!carriers)
    return { fault: 'carriers', reason: `${numbers.length} numbers: no frame of an ESP32 has this number` };
  const [level, noise] = [column('rssi'), column('noise_floor')];
  return {
    sequence: null,
    sender: mac,
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
  for (const { field, values } of parts) placeField(numbers, field, values);
  const all: Readonly<Record<string, number | string>> = {
    role: 'STA',
    len: 2 * pairs,
    ...fields,
    type: 'CSI_DATA',
  };
  return `${COLUMNS.map((name) => all[name] ?? 0).join(',')},[${numbers.join(' ')} ]`;
}
