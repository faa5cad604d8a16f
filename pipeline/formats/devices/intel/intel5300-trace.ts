/**
 * What the MATLAB function `read_bf_file` of the Linux 802.11n CSI Tool returns, saved by `save`: cells, or an array, of
 * structures. Its fields: `read_bf_file.m` and `read_bfee.c`; docs/formats/intel5300.md.
 */
import { DeviceClock } from '../../containers/device-clock.js';
import type { Structure, Table, TableArray } from '../../tables/arrays.js';
import type { TableRecords } from '../../tables/table-frames.js';
import { encodeMeasurement, GROUPS, intel5300 } from './intel5300.js';
import { CARD_CLOCK } from './intel5300-log.js';

/** Without these, a structure is something else. `perm`, `bfee_count` and `rate` are optional. */
const FIELDS = ['timestamp_low', 'Nrx', 'Ntx', 'rssi_a', 'rssi_b', 'rssi_c', 'noise', 'agc', 'csi'] as const;

const isMeasurement = (structure: Structure): boolean => FIELDS.every((field) => structure.has(field));

/**
 * The measurements of the first such variable of a file, as records of the tool's log; null if there is none. Event time
 * is the card's own clock, counted from 1970, as in a log.
 */
export function intelTrace({ structures }: Table): TableRecords | null {
  for (const list of structures?.values() ?? []) if (list.some(isMeasurement)) return recordsOf(list);
  return null;
}

function recordsOf(list: readonly Structure[]): TableRecords {
  const times = timesOf(list);
  return {
    count: list.length,
    format: intel5300.name,
    time: (frame) => times[frame]!,
    sender: () => '',
    // A record is an entry of the log without its length.
    record: (frame) => encoded(list[frame]!, frame).subarray(2),
  };
}

/** The time of each measurement, or why it is skipped. */
function timesOf(list: readonly Structure[]): readonly (number | string)[] {
  const clock = new DeviceClock(CARD_CLOCK);
  const faults = list.map(faultOf);
  const stampOf = (frame: number): number => numberIn(list[frame]!, 'timestamp_low');
  return faults.map((fault, frame) => {
    if (fault !== null) return fault;
    const stamp = stampOf(frame);
    const next = clock.asksForNext(stamp) ? faults.indexOf(null, frame + 1) : -1;
    const time = clock.at(stamp, next < 0 ? null : stampOf(next));
    return time ?? `the card's time ${stamp} us does not follow from the measurements before it`;
  });
}

const numberIn = (structure: Structure, field: string): number => structure.get(field)?.re[0] ?? NaN;

/** Why a structure is no measurement; null if it is one. */
function faultOf(structure: Structure): string | null {
  const missing = FIELDS.filter((field) => !structure.has(field));
  if (missing.length === FIELDS.length) return 'it is empty, or no structure';
  if (missing.length > 0) return `it does not have the field \`${missing[0]!}\``;
  for (const [field, [least, most]] of Object.entries(RANGES)) {
    const value = structure.has(field) ? numberIn(structure, field) : least;
    if (!Number.isInteger(value) || value < least || value > most)
      return `\`${field}\` is ${value}, not a whole number from ${least} to ${most}`;
  }
  const csi = structure.get('csi')!;
  const wanted = `${numberIn(structure, 'Ntx')},${numberIn(structure, 'Nrx')},${GROUPS}`;
  if (csi.shape.join() !== wanted)
    return `\`csi\` is ${csi.shape.join(' x ')}, not Ntx x Nrx x 30 (${wanted.replaceAll(',', ' x ')})`;
  if (![csi.re, csi.im ?? []].every((part) => part.every(isByte)))
    return '`csi` is not as `read_bf_file` returns it (whole numbers from -128 to 127): if it was scaled, describe it with `table`';
  return null;
}

const RANGES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  timestamp_low: [0, 2 ** 32 - 1],
  Nrx: [1, 3],
  Ntx: [1, 3],
  rssi_a: [0, 255],
  rssi_b: [0, 255],
  rssi_c: [0, 255],
  noise: [-128, 127],
  agc: [0, 255],
  bfee_count: [0, 65_535],
  rate: [0, 65_535],
};

const isByte = (value: number): boolean => Number.isInteger(value) && value >= -128 && value <= 127;

function encoded(structure: Structure, frame: number): Uint8Array {
  const of = (field: string, otherwise = NaN): number =>
    structure.has(field) ? numberIn(structure, field) : otherwise;
  return encodeMeasurement(
    {
      timestamp: of('timestamp_low'),
      // Without numbers, losses are unknown.
      count: of('bfee_count', frame & 0xffff),
      rx: of('Nrx'),
      tx: of('Ntx'),
      rssi: [of('rssi_a'), of('rssi_b'), of('rssi_c')],
      noise: of('noise'),
      agc: of('agc'),
      antennaSelection: selectionOf(structure.get('perm')),
      rate: of('rate', 0),
    },
    valuesOf(structure.get('csi')!),
  );
}

/** The byte that MATLAB's permutation was computed from: two bits per RF chain. */
function selectionOf(perm: TableArray | undefined): number {
  const chains = [0, 1, 2].map((chain) => (perm?.re[chain] ?? chain + 1) - 1);
  return chains.every((connector) => [0, 1, 2, 3].includes(connector))
    ? chains.reduce((bits, connector, chain) => bits | (connector << (2 * chain)), 0)
    : 0b100100;
}

/** [rx, tx, group, (re, im)] from MATLAB's [tx, rx, group]. */
function valuesOf({ shape, strides, re, im }: TableArray): Float64Array {
  const [tx, rx] = [shape[0]!, shape[1]!];
  const values = new Float64Array(rx * tx * GROUPS * 2);
  let to = 0;
  for (let i = 0; i < rx; i++)
    for (let j = 0; j < tx; j++)
      for (let group = 0; group < GROUPS; group++) {
        const from = j * strides[0]! + i * strides[1]! + group * strides[2]!;
        values[to++] = re[from]!;
        values[to++] = im?.[from] ?? 0;
      }
  return values;
}
