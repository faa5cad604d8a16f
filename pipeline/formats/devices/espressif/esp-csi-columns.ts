/** Columns of esp-csi's lines: by the names of a header line, or by their number. */
import { headingIn } from './csi-data-lines.js';
import type { ReadFault } from '../../decoder/frame-decoder.js';

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
/** The oldest console: what is done in front of it is numbered, and has no name. */
const ACTION_COLUMNS = CLASSIC_COLUMNS.toSpliced(2, 0, 'action_id', 'action');
/** With gains in the opposite order to the set of the C5. */
export const CONSOLE_COLUMNS = OLD_CONSOLE_COLUMNS.toSpliced(-2, 0, 'agc_gain', 'fft_gain');

/** Where the columns of a line are, and what they say about the data. */
interface ColumnSet {
  readonly index: ReadonlyMap<string, number>;
  /** Index of the data. */
  readonly data: number;
  /** True for an ESP32-C5, C6 or C61: carriers ascend, and there is only one field. */
  readonly ascending: boolean;
  /** True if carriers without a signal were removed (esp-radar). */
  readonly filtered: boolean;
  /** True if the data may be base64. */
  readonly mayBeBase64: boolean;
}

/** A line's columns by name, and its data as text. */
export interface EspCsiColumns extends Pick<ColumnSet, 'ascending' | 'filtered' | 'mayBeBase64'> {
  readonly column: (name: string) => number;
  readonly mac: string;
  readonly has: (name: string) => boolean;
  readonly data: string;
}

const SETS = new Map(
  [CLASSIC_COLUMNS, C5_COLUMNS, ACTION_COLUMNS, OLD_CONSOLE_COLUMNS, CONSOLE_COLUMNS].map((names) => [
    names.length,
    setOf(names),
  ]),
);

function setOf(names: readonly string[]): ColumnSet {
  const has = (name: string): boolean => names.includes(name);
  const data = names.indexOf('data');
  return {
    index: new Map(names.map((name, i) => [name, i])),
    data: data < 0 ? names.length : data,
    ascending: !has('sig_mode') && has('fft_gain'),
    filtered: has('target') || has('action'),
    mayBeBase64: has('target') && has('fft_gain'),
  };
}

const MARK = 'type,';
/** Other names of columns, in some examples and versions; `taget` is the spelling of esp-radar. */
const SYNONYMS: Readonly<Record<string, string>> = {
  seq: 'id',
  sequence: 'id',
  taget: 'target',
  taget_seq: 'target_seq',
  rx_format: 'rx_state',
  first_word_invalid: 'first_word',
};
/** Columns without which a line cannot be read. */
const NECESSARY = ['mac', 'channel', 'local_timestamp', 'len', 'first_word'];

/** The header line in this text, from its column `type`; null if there is none. */
export const espHeadingIn = (text: string): string | null => headingIn(text, 'data');

export const isEspHeading = (text: string): boolean => text.startsWith(MARK) && espHeadingIn(text) === text;

/** The columns of header lines: each line of data asks for those of its own. */
const seen = new Map<string, ColumnSet | ReadFault>();
const MAX_SEEN = 64;

/** The columns that a header line names, or its fault. */
export function columnsNamed(heading: string): ColumnSet | ReadFault {
  let columns = seen.get(heading);
  if (!columns) {
    if (seen.size >= MAX_SEEN) seen.clear();
    seen.set(heading, (columns = named(heading)));
  }
  return columns;
}

function named(heading: string): ColumnSet | ReadFault {
  const names = heading.split(',').map((name) => SYNONYMS[name.trim()] ?? name.trim());
  const missing = NECESSARY.filter((name) => !names.includes(name));
  if (missing.length === 0) return setOf(names);
  const columns = missing.map((name) => `\`${name}\``).join(', ');
  return { fault: 'header', reason: `its header line names no column ${columns}` };
}

/** The columns of a line. @param heading the header line before it; without one, their number decides */
export function splitEspLine(line: string, heading: string | null): EspCsiColumns | ReadFault {
  const opening = line.indexOf('[');
  const closing = line.indexOf(']', opening);
  if (opening >= 0 && closing < 0) return { fault: 'truncated', reason: 'its data has no closing bracket' };
  const before = (opening < 0 ? line : line.slice(0, opening)).split(',');
  const set = heading === null ? setOfSize(before, opening < 0) : columnsNamed(heading);
  if ('fault' in set) return set;
  const at = opening < 0 ? set.data : before.length - 1;
  if (at !== set.data)
    return { fault: 'columns', reason: `${at} columns before the data: its header names ${set.data}` };
  const after = opening < 0 ? [] : line.slice(closing + 1).split(',');
  // Between the brackets' quotes and the next comma there is nothing.
  const fields = opening < 0 ? before : [...before.slice(0, at), '', ...after.slice(1)];
  const data = opening < 0 ? (before[at] ?? '') : line.slice(opening + 1, closing);
  const field = (name: string): string => fields[set.index.get(name) ?? -1] ?? '?';
  return {
    ...{ ascending: set.ascending, filtered: set.filtered, mayBeBase64: set.mayBeBase64 },
    data,
    mac: field('mac').trim().toLowerCase(),
    has: (name) => set.index.has(name),
    column: (name) => Number(field(name)),
  };
}

/** The set with as many columns as precede the data. Without a bracket, base64: the data is one of them. */
function setOfSize(before: readonly string[], isBare: boolean): ColumnSet | ReadFault {
  const count = isBare ? Math.min(before.length, CONSOLE_COLUMNS.length) : before.length - 1;
  return (
    SETS.get(count) ?? {
      fault: 'columns',
      reason: `${count} columns before the data: supported are ${[...SETS.keys()].join(', ')}, or others with a header line`,
    }
  );
}
