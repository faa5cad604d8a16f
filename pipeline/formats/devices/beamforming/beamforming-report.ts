import { reportCarriers } from './beamforming-carriers.js';
import type { ReadFault } from '../../decoder/frame-decoder.js';
import { readRadiotap, type MonitorFrame } from '../../containers/radiotap.js';

/**
 * A compressed beamforming report (IEEE 802.11-2020, 9.4.1.49; 802.11ax-2021, 9.4.1.65), with its matrix
 * still as angles.
 */
export interface Report {
  readonly kind: 'vht' | 'he';
  /** Rows of the matrix: antennas of the access point. */
  readonly rows: number;
  /** Columns: streams of the station. */
  readonly columns: number;
  /** 0 to 3: 20, 40, 80, 160 MHz. */
  readonly width: number;
  readonly carriers: Int16Array;
  /** Number of the sounding, 0 to 63. */
  readonly token: number;
  readonly bits: AngleBits;
  /** For each carrier, quantised: for each column all phi, then all psi. */
  readonly angles: Uint16Array;
}

export interface AngleBits {
  readonly phi: number;
  readonly psi: number;
}

/** Category of an action frame with reports: its control field and its own description. */
const CATEGORIES = new Map<number, Report['kind'] | 'eht'>([
  [21, 'vht'],
  [30, 'he'],
  [36, 'eht'],
]);
const ACTION = 0xd0;
const ACTION_NO_ACK = 0xe0;
const ENCRYPTED = 0x40;
const HAS_HT_CONTROL = 0x80;
const HEADER_BYTES = 24;

/** Start of the body of an action frame; undefined for other frames, and for encrypted ones. */
function bodyOf(frame: Uint8Array): number | undefined {
  if (frame.length < HEADER_BYTES + 2) return undefined;
  const [type, flags] = [frame[0]!, frame[1]!];
  if ((type !== ACTION && type !== ACTION_NO_ACK) || (flags & ENCRYPTED) !== 0) return undefined;
  return HEADER_BYTES + ((flags & HAS_HT_CONTROL) === 0 ? 0 : 4);
}

/** True for a report frame, complete or not. */
export function isReport(frame: Uint8Array): boolean {
  const body = bodyOf(frame);
  return body !== undefined && CATEGORIES.has(frame[body]!) && frame[body + 1] === 0;
}

const fault = (name: string, reason: string): ReadFault => ({ fault: name, reason });

/** A packet of a card in monitor mode: the card's data, and its report. */
export function readReport(packet: Uint8Array): (Report & { readonly monitor: MonitorFrame }) | ReadFault {
  const monitor = readRadiotap(packet);
  if (!monitor) return fault('radiotap', 'it does not begin with a radiotap header');
  const { frame } = monitor;
  const body = bodyOf(frame);
  if (body === undefined || !isReport(frame))
    return fault('frame', 'its 802.11 frame is not a beamforming report');
  if (!monitor.isSound) return fault('checksum', 'the card reports a wrong checksum');
  const kind = CATEGORIES.get(frame[body]!)!;
  if (kind === 'eht')
    return fault('eht', 'it is a report of 802.11be: only those of 802.11ac and 802.11ax are supported');
  const control = kind === 'vht' ? vhtControl(frame, body + 2) : heControl(frame, body + 2);
  if ('fault' in control) return control;
  const report = readAngles(kind, control, frame.subarray(control.end));
  return 'fault' in report ? report : { ...report, monitor };
}

/** Content of a control field. */
interface Control extends Pick<Report, 'rows' | 'columns' | 'width' | 'token' | 'bits'> {
  readonly grouping: number;
  /** The report for several stations: more data follows the angles. */
  readonly isMulti: boolean;
  /** After the field. */
  readonly end: number;
}

/** By the kind of feedback (one user, several) and the codebook. */
const BITS: readonly (readonly AngleBits[])[] = [
  [
    { psi: 2, phi: 4 },
    { psi: 4, phi: 6 },
  ],
  [
    { psi: 5, phi: 7 },
    { psi: 7, phi: 9 },
  ],
];

function vhtControl(frame: Uint8Array, at: number): Control | ReadFault {
  if (at + 3 > frame.length) return TRUNCATED;
  const bits = frame[at]! | (frame[at + 1]! << 8) | (frame[at + 2]! << 16);
  const isMulti = (bits >> 11) & 1;
  return checked({
    columns: (bits & 7) + 1,
    rows: ((bits >> 3) & 7) + 1,
    width: (bits >> 6) & 3,
    // 3 is reserved.
    grouping: [1, 2, 4, 0][(bits >> 8) & 3]!,
    bits: BITS[isMulti]![(bits >> 10) & 1]!,
    isMulti: isMulti === 1,
    isSegment: ((bits >> 12) & 15) !== 8,
    token: bits >> 18,
    end: at + 3,
  });
}

/** The last resource unit of 26 tones, by width. */
export const LAST_UNIT = [8, 17, 36, 73];

function heControl(frame: Uint8Array, at: number): Control | ReadFault {
  if (at + 5 > frame.length) return TRUNCATED;
  const bits = frame[at]! | (frame[at + 1]! << 8) | (frame[at + 2]! << 16);
  const upper = frame[at + 2]! | (frame[at + 3]! << 8) | (frame[at + 4]! << 16);
  const type = (bits >> 10) & 3;
  if (type > 1) return fault('kind', 'it contains the quality of channels, not angles');
  const width = (bits >> 6) & 3;
  const [first, last] = [upper & 0x7f, (upper >> 7) & 0x7f];
  if (first !== 0 || last !== LAST_UNIT[width])
    return fault('partial', `it covers the resource units ${first} to ${last}, not the whole band`);
  return checked({
    columns: (bits & 7) + 1,
    rows: ((bits >> 3) & 7) + 1,
    width,
    grouping: ((bits >> 8) & 1) === 0 ? 4 : 16,
    bits: BITS[type]![(bits >> 9) & 1]!,
    isMulti: type === 1,
    isSegment: ((bits >> 12) & 15) !== 8,
    token: (upper >> 14) & 0x3f,
    end: at + 5,
  });
}

const TRUNCATED = fault('truncated', 'it ends within its control field');

function checked({ isSegment, ...control }: Control & { readonly isSegment: boolean }): Control | ReadFault {
  const { rows, columns } = control;
  if (isSegment)
    return fault('segment', 'it is one of several segments: only complete reports are supported');
  if (rows < 2 || columns > rows)
    return fault('header', `a matrix of ${rows} rows and ${columns} columns has no angles`);
  return control;
}

/** Columns that have angles. */
const angled = ({ rows, columns }: Pick<Report, 'rows' | 'columns'>): number => Math.min(columns, rows - 1);

/** For each angle of a carrier whether it is a phi. */
export function anglePattern(size: Pick<Report, 'rows' | 'columns'>): readonly boolean[] {
  return Array.from({ length: angled(size) }, (_, column) => {
    const each = size.rows - 1 - column;
    return [...new Array<boolean>(each).fill(true), ...new Array<boolean>(each).fill(false)];
  }).flat();
}

/** The card did not report a checksum. */
const CHECKSUM_BYTES = 4;

function readAngles(
  kind: Report['kind'],
  { rows, columns, width, token, bits, grouping, isMulti }: Control,
  bytes: Uint8Array,
): Report | ReadFault {
  const carriers = reportCarriers(kind, width, grouping);
  if (!carriers) return fault('header', 'its grouping of carriers is reserved');
  const pattern = anglePattern({ rows, columns });
  const perCarrier = (pattern.length / 2) * (bits.phi + bits.psi);
  const length = columns + Math.ceil((carriers.length * perCarrier) / 8);
  const over = bytes.length - length;
  if (over < 0) return fault('truncated', `${bytes.length} bytes of ${length} behind its control field`);
  if (!isMulti && over !== 0 && over !== CHECKSUM_BYTES)
    return fault('length', `${bytes.length} bytes behind its control field, which specifies ${length}`);
  const angles = new Uint16Array(carriers.length * pattern.length);
  let bit = 8 * columns;
  for (let i = 0; i < angles.length; i++) {
    const size = pattern[i % pattern.length]! ? bits.phi : bits.psi;
    const byte = bit >> 3;
    const word = bytes[byte]! | ((bytes[byte + 1] ?? 0) << 8);
    angles[i] = (word >> (bit & 7)) & ((1 << size) - 1);
    bit += size;
  }
  return { kind, rows, columns, width, token, bits, carriers, angles };
}

/**
 * The unitary matrix of every carrier, [column, row, carrier, (re, im)]: with columns as receive and rows as
 * transmit antennas, as in a frame. Its last row is real.
 */
export function steeringMatrices(report: Report): Float64Array {
  const { rows, columns, carriers, bits, angles } = report;
  const each = angles.length / carriers.length;
  const turn = tableOf(bits.phi, (k) => Math.PI * (k / 2 ** (bits.phi - 1) + 1 / 2 ** bits.phi));
  const tilt = tableOf(bits.psi, (k) => Math.PI * (k / 2 ** (bits.psi + 1) + 1 / 2 ** (bits.psi + 2)));
  const out = new Float64Array(columns * rows * carriers.length * 2);
  for (let carrier = 0; carrier < carriers.length; carrier++) {
    for (let column = 0; column < columns; column++) {
      const at = (row: number): number => ((column * rows + row) * carriers.length + carrier) * 2;
      out[at(column)] = 1;
      // From the last rotation to the first; those of later columns do not change this one.
      for (let pivot = Math.min(angled(report) - 1, column); pivot >= 0; pivot--) {
        const first = carrier * each + firstAngle(rows, pivot);
        const count = rows - 1 - pivot;
        for (let row = rows - 1; row > pivot; row--)
          rotate(out, at(pivot), at(row), tilt, angles[first + count + row - pivot - 1]!);
        for (let row = pivot; row < rows - 1; row++) turnBy(out, at(row), turn, angles[first + row - pivot]!);
      }
    }
  }
  return out;
}

/** Angles of the columns before. */
const firstAngle = (rows: number, column: number): number => column * (2 * rows - column - 1);

/** (cos, sin) of each quantised angle. */
const tableOf = (bits: number, angle: (k: number) => number): Float64Array =>
  Float64Array.from({ length: 2 << bits }, (_, i) => (i & 1 ? Math.sin : Math.cos)(angle(i >> 1)));

/** Two rows of a column, by the transpose of a Givens rotation. */
function rotate(out: Float64Array, a: number, b: number, table: Float64Array, angle: number): void {
  const [cos, sin] = [table[2 * angle]!, table[2 * angle + 1]!];
  for (let part = 0; part < 2; part++) {
    const [x, y] = [out[a + part]!, out[b + part]!];
    out[a + part] = cos * x - sin * y;
    out[b + part] = sin * x + cos * y;
  }
}

function turnBy(out: Float64Array, at: number, table: Float64Array, angle: number): void {
  const [cos, sin] = [table[2 * angle]!, table[2 * angle + 1]!];
  const [re, im] = [out[at]!, out[at + 1]!];
  out[at] = cos * re - sin * im;
  out[at + 1] = sin * re + cos * im;
}
