/**
 * Espressif's esp-csi: lines `CSI_DATA,...,"[...]"` of its examples on a serial port (`csi_recv`,
 * `csi_recv_router`, `esp-radar/console_test`), among other log lines. The number of columns before the data
 * identifies the set. Columns and bytes: docs/formats/espressif.md.
 */
import { LLTF_12_BIT, espFields, type EspField } from './esp-carriers.js';
import { FirstWords } from './first-words.js';
import { Headings } from './headings.js';
import { csiDataLine, csiDataLog, hasMark, headingOf, numbersOfLine } from './csi-data-lines.js';
import {
  columnsNamed,
  espHeadingIn,
  isEspHeading,
  splitEspLine,
  type EspCsiColumns,
} from './esp-csi-columns.js';
import { espParts, espStamp, exceedsByte, parseNumbers, fillField, type EspNumbers } from './esp-values.js';
import { LLTF_NUMBERS, LLTF_WORDS, LltfBits } from './esp-lltf-bits.js';
import {
  frameFormat,
  type FrameReader,
  type ReadFault,
  type ReadFrame,
} from '../../decoder/frame-decoder.js';
import type { Format } from '../../contract/format.js';
import { hostOf } from '../../../model/index.js';

/** One line; frames belong to the link whose `sender` is the transmitter's MAC address, or `*`. */
export const espCsi: Format = espressif(
  'esp-csi',
  "Espressif's esp-csi: lines `CSI_DATA,...` of an ESP32 (all chips and sets of columns).",
  true,
);

/** The same lines with the other reading of a 12-bit LLTF, which only mirrors its phase. */
export const espCsiImaginaryFirst: Format = {
  ...espressif(
    'esp-csi-imaginary-first',
    "Espressif's esp-csi, the imaginary part of a 12-bit LLTF (C5, C61) first, like its own viewer.",
    false,
  ),
  variantOf: 'esp-csi',
};

function espressif(name: string, summary: string, realFirst: boolean): Format {
  const format = frameFormat(
    () => lineReader(name, realFirst),
    summary,
    (record) => hasMark(record, false),
  );
  return {
    ...format,
    recognise: (record) => headingOf(record, 'data') !== null || format.recognise(record),
  };
}

export const espCsiLog = csiDataLog(
  espCsi,
  { name: 'esp-csi-log', summary: "Serial log or CSV of Espressif's esp-csi (`CSI_DATA` lines)." },
  (text, heading) => {
    const line = splitEspLine(text, heading);
    return 'fault' in line ? null : espStamp(line.column('local_timestamp'));
  },
  {
    headingIn: espHeadingIn,
    // With a header, they are of no other program: what is wrong with it is reported for each line.
    recognise: (lines) => {
      const [headings, others] = [lines.filter(isEspHeading), lines.filter((line) => !isEspHeading(line))];
      return others.length > 0 && (headings.length > 0 || others.some(isReadable));
    },
  },
);

const isReadable = (line: string): boolean => espCsi.recognise(Buffer.from(line, 'latin1'));

/**
 * Reads lines; a header line names the columns of those after it from the same sender.
 * @param realFirst order of the parts of a 12-bit pair
 */
function lineReader(format: string, realFirst: boolean): FrameReader {
  const headings = new Headings();
  const bits = new LltfBits();
  const firstWords = new FirstWords();
  return {
    ...{ format, sequenceBits: 32, mayCountByTwo: true },
    read(record, _time, from) {
      const found = headingOf(record, 'data');
      if (found !== null) {
        headings.see(from, found);
        const columns = columnsNamed(found);
        return 'fault' in columns ? columns : null;
      }
      const text = csiDataLine(record);
      if (typeof text !== 'string') return text;
      const line = headings.split(from, (heading) => splitEspLine(text, heading));
      if ('fault' in line) return line;
      // Receivers of one transmitter may be different chips.
      const sender = from === '' ? line.mac : `${hostOf(from)} ${line.mac}`;
      return readLine(line, realFirst, {
        wordsOf: (numbers) => bits.wordsOf(sender, numbers),
        isWithoutFirst: (isFlagged) => firstWords.areInvalid(sender, isFlagged),
      });
    },
    snapshot: () => ({ ...headings.snapshot(), bits: bits.snapshot(), firstWords: firstWords.snapshot() }),
    restore: (state) => {
      const saved = state as ReaderState;
      headings.restore(saved);
      if (saved.bits) bits.restore(saved.bits);
      if (saved.firstWords) firstWords.restore(saved.firstWords);
    },
  };
}

type ReaderState = ReturnType<Headings['snapshot']> & {
  /** Absent in checkpoints of 0.4.0 and before. */
  readonly bits?: ReturnType<LltfBits['snapshot']>;
  /** Absent in checkpoints of 0.5.0 and before. */
  readonly firstWords?: ReturnType<FirstWords['snapshot']>;
};

/** What the earlier lines of its sender say about a line. */
interface Earlier {
  /** The words of a buffer with 12 bits: see {@link LltfBits}. */
  readonly wordsOf: (numbers: EspNumbers) => Int16Array | ReadFault | null;
  /** Whether the carriers of the first word are left out: see {@link FirstWords}. */
  readonly isWithoutFirst: (isFlagged: boolean) => boolean;
}

function readLine(line: EspCsiColumns, realFirst: boolean, earlier: Earlier): ReadFrame | ReadFault {
  const parse = line.mayBeBase64 ? numbersOf : parseNumbers;
  const numbers = numbersOfLine(line, REQUIRED.filter(line.has), () => parse(line.data));
  if ('fault' in numbers) return numbers;
  const length = line.column('len');
  if (numbers.length !== length)
    return { fault: 'count', reason: `${numbers.length} numbers, but len is ${length}` };
  return readNumbers(line, numbers, realFirst, earlier);
}

/** Columns in use. */
const REQUIRED = [
  ...['id', 'rssi', 'noise_floor', 'channel', 'local_timestamp', 'len', 'first_word'],
  ...['sig_mode', 'bandwidth', 'stbc', 'secondary_channel', 'agc_gain', 'fft_gain'],
];

function readNumbers(
  line: EspCsiColumns,
  numbers: EspNumbers,
  realFirst: boolean,
  { wordsOf, isWithoutFirst }: Earlier,
): ReadFrame | ReadFault {
  const fault = emptyFault(line, numbers);
  if (fault) return fault;
  const twelve = wordsOf(numbers);
  if (twelve && 'fault' in twelve) return twelve;
  const values = twelve ?? numbers;
  const fields = twelve ? LLTF_12_BIT : fieldsOf(line, values);
  if (!fields)
    return { fault: 'carriers', reason: `${numbers.length} numbers: no frame of an ESP32 has this number` };
  const level = optional(line, 'rssi') ?? NaN;
  const noise = optional(line, 'noise_floor') ?? NaN;
  const reading = {
    channel: line.column('channel'),
    secondary: optional(line, 'secondary_channel'),
    firstWordInvalid: isWithoutFirst(line.column('first_word') === 1),
    realFirst: twelve !== null && realFirst,
  };
  return {
    sequence: line.has('id') ? line.column('id') >>> 0 : null,
    sender: line.mac,
    rssi: level < 0 ? level : NaN,
    // A signed byte that the C5's examples print without its sign.
    noise: noise > 127 ? noise - 256 : noise < 0 ? noise : NaN,
    deviceTime: line.column('local_timestamp') >>> 0,
    bits: twelve ? 12 : exceedsByte(values) ? 16 : 8,
    ...(line.has('agc_gain') && { agc: line.column('agc_gain') & 0xff }),
    ...(line.has('fft_gain') && { fftGain: ((line.column('fft_gain') << 24) >> 24) / 4 }),
    parts: espParts(values, fields, reading),
  };
}

const optional = (line: EspCsiColumns, name: string): number | null =>
  line.has(name) ? line.column(name) : null;

function fieldsOf(
  line: EspCsiColumns,
  numbers: EspNumbers,
  isZero = (pair: number) => numbers[2 * pair] === 0 && numbers[2 * pair + 1] === 0,
): readonly EspField[] | undefined {
  if (numbers.length % 2 !== 0) return undefined;
  const flag = (name: string, at: number): boolean | null =>
    line.has(name) ? line.column(name) >= at : null;
  return espFields(
    {
      pairs: numbers.length / 2,
      ascending: line.ascending,
      secondary: optional(line, 'secondary_channel'),
      wide: flag('bandwidth', 1),
      stbc: flag('stbc', 1),
      ht: flag('sig_mode', 1),
      filtered: line.filtered,
    },
    isZero,
  );
}

/** The fault of a buffer of zeros whose kind would be concluded from its zeros. */
function emptyFault(line: EspCsiColumns, numbers: EspNumbers): ReadFault | undefined {
  if (numbers.some((number) => number !== 0)) return undefined;
  let decides = numbers.length === LLTF_NUMBERS || numbers.length === LLTF_WORDS;
  fieldsOf(line, numbers, () => (decides = true));
  if (!decides) return undefined;
  return {
    fault: 'zeros',
    reason: `all its ${numbers.length} numbers are 0: the chip measured nothing, and the layout is unknown`,
  };
}

/** The numbers of esp-radar's data: in brackets, or the bytes in base64. */
function numbersOf(data: string): EspNumbers | null {
  const numbers = parseNumbers(data);
  if (numbers) return numbers;
  return /^[A-Za-z\d+/]+={0,2}$/.test(data) ? new Int8Array(Buffer.from(data, 'base64')) : null;
}

/** A line as printed by an example of esp-csi. */
export interface EspCsiLine {
  /** `CLASSIC_COLUMNS`, `C5_COLUMNS` or `CONSOLE_COLUMNS`, or others with a header line. */
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
  for (const { field, values } of parts) fillField(numbers, field, values);
  const all: Readonly<Record<string, number | string>> = { ...fields, type: 'CSI_DATA', len: 2 * pairs };
  return `${columns.map((name) => all[name] ?? 0).join(',')},"[${numbers.join(',')}]"`;
}
