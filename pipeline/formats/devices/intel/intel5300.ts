/**
 * Linux 802.11n CSI Tool, Intel 5300 (D. Halperin et al., "Tool release: gathering 802.11n traces with
 * channel state information", CCR 2011; its `read_bfee.c`, `read_bf_file.m`, `get_scaled_csi.m`).
 *
 * A record is u8 code 0xBB and a body. Body, little-endian: u32 timestamp us, u16 count, 2 reserved, u8 nRx,
 * nTx, rssi a, b, c, i8 noise, u8 agc, u8 antenna selection, u16 length, u16 rate, then for each of 30
 * subcarrier groups 3 bits to skip and (i8 re, i8 im) per stream, the transmit index fastest, not aligned to
 * bytes.
 */
import { endianness } from 'node:os';
import { csiLayout, type CsiLayout } from '../../../model/index.js';
import {
  FrameDecoder,
  type FrameReader,
  type ReadFault,
  type ReadFrame,
} from '../../decoder/frame-decoder.js';
import type { Format } from '../../contract/format.js';
import { ASSUMED_MHZ, CHANNEL_UNKNOWN } from '../../radio/wifi-channel.js';

/** Frames as measured: whole numbers, in the scale of the card's gain at that moment. */
export const intel5300: Format = intel('intel5300', 'Intel 5300 with the Linux 802.11n CSI Tool.', false);

/** Frames scaled by {@link scaleFactor}: |H|^2 is the signal-to-noise ratio of a subcarrier. */
export const intel5300Scaled: Format = intel(
  'intel5300-scaled',
  'Intel 5300 with the Linux 802.11n CSI Tool, scaled to the noise.',
  true,
);

export const MEASUREMENT = 0xbb;
export const GROUPS = 30;
/** Length of a body before its CSI. */
export const HEADER_BYTES = 20;
/** The driver writes this if the noise is unknown. */
const NOISE_UNKNOWN = -127;

/** Subcarriers of the 30 groups (IEEE 802.11n-2009 table 7-25f: Ng 2 at 20 MHz, Ng 4 at 40 MHz). */
export const SUBCARRIERS_20 = [
  -28, -26, -24, -22, -20, -18, -16, -14, -12, -10, -8, -6, -4, -2, -1, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21,
  23, 25, 27, 28,
];
export const SUBCARRIERS_40 = Array.from({ length: GROUPS }, (_, i) => -58 + 4 * i);

/** One measurement with its bits still packed. */
export interface Measurement {
  /** Time of the card's clock, microseconds; wraps after 71.6 minutes. */
  readonly timestamp: number;
  /** Number of measurements by the driver, modulo 65,536. */
  readonly count: number;
  readonly rx: number;
  readonly tx: number;
  /** For antennas a, b, c, in dB before the gain is subtracted; 0 if there is none. */
  readonly rssi: readonly [number, number, number];
  readonly noise: number;
  readonly agc: number;
  readonly antennaSelection: number;
  readonly rate: number;
  readonly payload: Uint8Array;
}

/** Bytes of the packed CSI: 30 groups of 3 bits and 16 bits per stream. */
export const payloadBytes = (rx: number, tx: number): number => (GROUPS * (rx * tx * 16 + 3) + 7) >> 3;

/** An entry of a file (code and body) as a measurement; otherwise a text with the reason. */
export function parseMeasurement(entry: Uint8Array): Measurement | string {
  if (entry[0] !== MEASUREMENT) return `code 0x${(entry[0] ?? 0).toString(16)} is not a measurement (0xbb)`;
  if (entry.length < 1 + HEADER_BYTES) return `${entry.length} bytes are less than the header of 21`;
  const rx = entry[9]!;
  const tx = entry[10]!;
  if (rx < 1 || rx > 3 || tx < 1 || tx > 3)
    return `${rx} receive and ${tx} transmit antennas: both must be 1 to 3`;
  const length = entry[17]! | (entry[18]! << 8);
  const expected = payloadBytes(rx, tx);
  if (length !== expected)
    return `${rx} x ${tx} antennas need ${expected} bytes of CSI, but the header states ${length}`;
  if (entry.length - 1 < HEADER_BYTES + length) {
    return `truncated: ${entry.length - 1} bytes of ${HEADER_BYTES + length}`;
  }
  // Byte by byte: a DataView for each entry would take longer than all of this.
  return {
    timestamp: (entry[1]! | (entry[2]! << 8) | (entry[3]! << 16) | (entry[4]! << 24)) >>> 0,
    count: entry[5]! | (entry[6]! << 8),
    rx,
    tx,
    rssi: [entry[11]!, entry[12]!, entry[13]!],
    noise: (entry[14]! << 24) >> 24,
    agc: entry[15]!,
    antennaSelection: entry[16]!,
    rate: entry[19]! | (entry[20]! << 8),
    payload: entry.subarray(1 + HEADER_BYTES, 1 + HEADER_BYTES + length),
  };
}

/**
 * Unpacks CSI to `out[at...]`: [rx, tx, group, (re, im)], with receivers in the order of the connectors A, B,
 * C.
 */
export function unpackCsi(
  measurement: Pick<Measurement, 'rx' | 'tx' | 'payload' | 'antennaSelection'>,
  out: Float32Array | Float64Array,
  at = 0,
): void {
  const { rx, tx, payload } = measurement;
  const { order } = antennasOf(measurement.antennaSelection, rx);
  const groupBits = 3 + rx * tx * 16;
  PADDED.set(payload);
  for (let i = 0; i < rx; i++)
    for (let j = 0; j < tx; j++) {
      let bit = 3 + (i * tx + j) * 16;
      const to = (order[i]! * tx + j) * GROUPS;
      for (let group = 0; group < GROUPS; group++, bit += groupBits)
        PAIRS[to + group] = WORDS.getInt32(bit >> 3, true) >> (bit & 7);
    }
  if (IS_BIG_ENDIAN) Buffer.from(UNPACKED.buffer).swap16();
  out.set(STREAMS[rx * tx]!, at);
}

/** Packed CSI with space for a word of four bytes at its last value. */
const PADDED = new Uint8Array(payloadBytes(3, 3) + 4);
const WORDS = new DataView(PADDED.buffer);
/** Where it is unpacked: converting all values at once is faster than writing each as a float. */
const UNPACKED = new Int8Array(9 * GROUPS * 2);
/** Both parts of a value are stored at once; on a big-endian machine they are then swapped. */
const PAIRS = new Int16Array(UNPACKED.buffer);
const IS_BIG_ENDIAN = endianness() === 'BE';
/** Its part for a number of streams. */
const STREAMS = Array.from({ length: 10 }, (_, streams) => UNPACKED.subarray(0, streams * GROUPS * 2));

interface Antennas {
  /**
   * The row for the values of each RF chain: that of its connector. A single antenna keeps its row, and so
   * does a selection that is not a permutation (`read_bf_file.m` warns about it and does the same).
   */
  readonly order: readonly number[];
  /** Connector of each row of the unpacked values; undefined if the selection names one twice. */
  readonly connectors: readonly number[] | undefined;
}

const ROWS = [0, 1, 2];

function readSelection(selection: number, rx: number): Antennas {
  // Connector (0 to 2 for A to C) of each RF chain, with two bits per chain.
  const chains = [selection & 3, (selection >> 2) & 3, (selection >> 4) & 3].slice(0, rx);
  const rows = ROWS.slice(0, rx);
  const differ = new Set(chains).size === rx;
  if (rx > 1 && differ && chains.every((antenna) => antenna < rx)) return { order: chains, connectors: rows };
  return { order: rows, connectors: differ && !chains.includes(3) ? chains : undefined };
}

/** For 1 to 3 antennas, from the six bits of `antenna_sel`. */
const SELECTIONS = [1, 2, 3].map((rx) => Array.from({ length: 64 }, (_, bits) => readSelection(bits, rx)));

const antennasOf = (selection: number, rx: number): Antennas => SELECTIONS[rx - 1]![selection & 63]!;

/** Connector of each row of the unpacked values; undefined if the selection names one twice. */
export const connectors = ({
  antennaSelection,
  rx,
}: Pick<Measurement, 'antennaSelection' | 'rx'>): readonly number[] | undefined =>
  antennasOf(antennaSelection, rx).connectors;

const fromDb = (db: number): number => 10 ** (db / 10);

/** For a level in dB, a byte; 0 stands for no antenna. */
const POWERS = Float64Array.from({ length: 256 }, (_, db) => (db > 0 ? fromDb(db) : 0));

/** Total received power in dBm, NaN if no antenna has any (`get_total_rss.m`). */
function totalRssi({ rssi, agc }: Measurement): number {
  const power = POWERS[rssi[0]]! + POWERS[rssi[1]]! + POWERS[rssi[2]]!;
  return power > 0 ? 10 * Math.log10(power) - 44 - agc : NaN;
}

/** dBm, NaN if unknown to the driver. */
const noiseDbm = ({ noise }: Measurement): number => (noise === NOISE_UNKNOWN ? NaN : noise);

/**
 * Factor that scales unpacked CSI to the noise, so that |H|^2 is the SNR of a subcarrier. Follows
 * `get_scaled_csi.m`, including its assumed noise of -92 dBm if unknown, and its quantisation error of one
 * unit. `power`: sum of |csi|^2 over all unpacked values.
 */
export function scaleFactor(measurement: Measurement, power: number): number {
  const { rx, tx } = measurement;
  const scale = fromDb(totalRssi(measurement)) / (power / GROUPS);
  const thermal = fromDb(measurement.noise === NOISE_UNKNOWN ? -92 : measurement.noise);
  const streams = tx === 2 ? Math.sqrt(2) : tx === 3 ? Math.sqrt(fromDb(4.5)) : 1;
  return Math.sqrt(scale / (thermal + scale * rx * tx)) * streams;
}

/**
 * An entry, preceded by its length: the inverse of {@link parseMeasurement} and {@link unpackCsi}. `values`
 * are whole numbers from -128 to 127.
 */
export function encodeMeasurement(
  fields: Omit<Measurement, 'payload'>,
  values: Float32Array | Float64Array,
  at = 0,
): Uint8Array {
  const { rx, tx } = fields;
  const length = payloadBytes(rx, tx);
  const out = new Uint8Array(2 + 1 + HEADER_BYTES + length);
  const view = new DataView(out.buffer);
  view.setUint16(0, 1 + HEADER_BYTES + length);
  view.setUint8(2, MEASUREMENT);
  view.setUint32(3, fields.timestamp, true);
  view.setUint16(7, fields.count, true);
  out.set([rx, tx, ...fields.rssi], 11);
  view.setInt8(16, fields.noise);
  view.setUint8(17, fields.agc);
  view.setUint8(18, fields.antennaSelection);
  view.setUint16(19, length, true);
  view.setUint16(21, fields.rate, true);
  const payload = out.subarray(3 + HEADER_BYTES);
  const { order } = antennasOf(fields.antennaSelection, rx);
  let bit = 0;
  for (let group = 0; group < GROUPS; group++) {
    bit += 3;
    for (let i = 0; i < rx; i++) {
      for (let j = 0; j < tx; j++, bit += 16) {
        const from = at + ((order[i]! * tx + j) * GROUPS + group) * 2;
        putByte(payload, bit, values[from]!);
        putByte(payload, bit + 8, values[from + 1]!);
      }
    }
  }
  return out;
}

function putByte(bytes: Uint8Array, bit: number, value: number): void {
  const at = bit >> 3;
  const shifted = (value & 0xff) << (bit & 7);
  bytes[at]! |= shifted & 0xff;
  if (shifted > 0xff) bytes[at + 1]! |= shifted >> 8;
}

function intel(name: string, summary: string, scaled: boolean): Format {
  const reader: FrameReader = { format: name, sequenceBits: 16, read: (record) => readEntry(record, scaled) };
  return {
    name,
    summary,
    recognise: (record) => typeof parseMeasurement(record) !== 'string',
    assumes: CHANNEL_UNKNOWN,
    ...(scaled && { variantOf: 'intel5300' }),
    decoder: (context) => new FrameDecoder(reader, context),
  };
}

function readEntry(record: Uint8Array, scaled: boolean): ReadFrame | ReadFault | null {
  if (record.length > 0 && record[0] !== MEASUREMENT) return null;
  const measurement = parseMeasurement(record);
  if (typeof measurement === 'string') return { fault: 'measurement', reason: measurement };
  return {
    sequence: measurement.count,
    rssi: totalRssi(measurement),
    noise: noiseDbm(measurement),
    deviceTime: measurement.timestamp,
    agc: measurement.agc,
    bits: 8,
    antennas: connectors(measurement),
    parts: [
      {
        layout: layoutOf(measurement),
        fill: (values, at) => {
          unpackCsi(measurement, values, at);
          if (scaled)
            scale(measurement, values.subarray(at, at + measurement.rx * measurement.tx * GROUPS * 2));
        },
      },
    ],
  };
}

function scale(measurement: Measurement, values: Float32Array): void {
  const power = values.reduce((sum, value) => sum + value * value, 0);
  if (!(power > 0) || Number.isNaN(totalRssi(measurement))) return;
  const factor = scaleFactor(measurement, power);
  for (let i = 0; i < values.length; i++) values[i]! *= factor;
}

/** `rate`: bit 11 is set for 40 MHz (`rate_n_flags` of Linux's iwlwifi). */
const WIDE = 0x800;
const layouts = new Map<number, CsiLayout>();

function layoutOf({ rx, tx, rate }: Measurement): CsiLayout {
  const wide = (rate & WIDE) !== 0;
  const key = rx * 8 + tx * 2 + Number(wide);
  let layout = layouts.get(key);
  if (!layout) {
    layout = csiLayout({
      rx,
      tx,
      subcarriers: wide ? SUBCARRIERS_40 : SUBCARRIERS_20,
      bandwidthMhz: wide ? 40 : 20,
      centreMhz: ASSUMED_MHZ,
      training: 'ht-ltf',
    });
    layouts.set(key, layout);
  }
  return layout;
}
