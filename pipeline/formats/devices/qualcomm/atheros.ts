/**
 * Atheros CSI Tool (Y. Xie, Z. Li, M. Li, "Precise power delay profiling with commodity Wi-Fi", MobiCom 2015), both byte
 * orders. Bytes: docs/formats/atheros.md.
 */
import type { CsiLayout } from '../../../model/index.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import { recordingOf, type FileFormat, type Format } from '../../contract/format.js';
import { centreFault } from '../../radio/wifi-channel.js';
import { LayoutCache } from '../../decoder/layout-cache.js';
import { RecordCutter, type RecordKind } from '../../containers/record-cutter.js';
import { viewOf } from '../../../base/view-of.js';

/** One entry of a log without its length. The tool names no transmitter: use a link with `*`. */
export const atheros: Format = frameFormat(
  { format: 'atheros', sequenceBits: 32, read: readEntry },
  'Atheros CSI Tool (AR9580, QCA9558 and others of ath9k).',
);

/** Event time is the card's own clock, counted from 1970. */
export const atherosLog: FileFormat = {
  name: 'atheros-log',
  summary: 'Log (.dat) of the Atheros CSI Tool, of either byte order.',
  recognise: (head) => {
    if (head.length < 2 + HEADER_BYTES) return false;
    const length = lengthAt(viewOf(head), 0);
    return length > 0 && length <= head.length && atheros.recognise(head.subarray(2, length));
  },
  open: recordingOf(atheros, () => new RecordCutter(ENTRIES)),
};

/** Header of an entry, after its length. */
const HEADER_BYTES = 25;
const BITS = 10;
/** dBm of the card's reference level (ath9k). */
const LEVEL_FLOOR = -95;

export const tenBitBytes = (tones: number, rx: number, tx: number): number =>
  Math.ceil((tones * rx * tx * 2 * BITS) / 8);

/** True if the numbers of an entry's header agree in this byte order. */
function agrees(view: DataView, at: number, little: boolean): boolean {
  const tones = view.getUint8(at + 16);
  const rx = view.getUint8(at + 17);
  const tx = view.getUint8(at + 18);
  if (!HT_CARRIERS.has(tones) || rx < 1 || rx > 3 || tx < 1 || tx > 3) return false;
  return view.getUint16(at + 8, little) === tenBitBytes(tones, rx, tx);
}

/** An entry with a payload but no measurement. */
const isEmpty = (view: DataView, at: number, little: boolean): boolean =>
  view.getUint16(at + 8, little) === 0 && view.getUint8(at + 16) === 0;

/** Bytes of the entry at `at` with its length; 0 if its length does not agree with the data after it. */
function lengthAt(view: DataView, at: number): number {
  return lengthIn(view, at, true) || lengthIn(view, at, false);
}

function lengthIn(view: DataView, at: number, little: boolean): number {
  if (!agrees(view, at + 2, little) && !isEmpty(view, at + 2, little)) return 0;
  const length = view.getUint16(at, little);
  const parts = HEADER_BYTES + view.getUint16(at + 10, little) + view.getUint16(at + 25, little);
  return length === parts ? 2 + length : 0;
}

function readEntry(record: Uint8Array): ReadFrame | ReadFault | null {
  if (record.length < HEADER_BYTES)
    return { fault: 'truncated', reason: 'shorter than its header of 25 bytes' };
  const view = viewOf(record);
  const little = agrees(view, 0, true) ? true : agrees(view, 0, false) ? false : undefined;
  if (little === undefined) {
    if (isEmpty(view, 0, true)) return null;
    return {
      fault: 'header',
      reason: 'its tones, antennas and bytes of CSI do not agree in either byte order',
    };
  }
  const tones = view.getUint8(16);
  const rx = view.getUint8(17);
  const tx = view.getUint8(18);
  const length = tenBitBytes(tones, rx, tx);
  if (record.length < HEADER_BYTES + length)
    return { fault: 'truncated', reason: `${record.length} bytes of ${HEADER_BYTES + length}` };
  if (view.getUint8(12) !== 0)
    return { fault: 'phy_error', reason: `the card reported error ${view.getUint8(12)}` };
  const frequency = centreFault(view.getUint16(10, little));
  if (frequency !== undefined) return { fault: 'frequency', reason: frequency };
  const level = view.getUint8(19);
  const noise = view.getInt8(13);
  const body = record.subarray(HEADER_BYTES, HEADER_BYTES + length);
  return {
    sequence: null,
    rssi: level === UNKNOWN_LEVEL ? NaN : level + LEVEL_FLOOR,
    noise: noise < 0 ? noise : NaN,
    deviceTime: clockAt(view, 0, little),
    bits: BITS,
    antennas: CONNECTORS[rx - 1]!,
    parts: [
      {
        layout: layoutOf(tones, rx, tx, view.getUint16(10, little)),
        fill: (values, at) => {
          unpackTenBits(body, tones, rx, tx, values, at);
        },
      },
    ],
  };
}

const UNKNOWN_LEVEL = 128;
const CONNECTORS = [[0], [0, 1], [0, 1, 2]];

/** A u64 as a number: reading it as a bigint takes longer. */
const clockAt = (view: DataView, at: number, little: boolean): number =>
  view.getUint32(little ? at + 4 : at, little) * 2 ** 32 + view.getUint32(little ? at : at + 4, little);

/** Bits, the lowest of a byte first: imaginary and real part of each tone, stream, antenna; the last varies fastest. */
export function unpackTenBits(
  body: Uint8Array,
  tones: number,
  rx: number,
  tx: number,
  values: Float32Array,
  at: number,
): void {
  const toneBits = rx * tx * 2 * BITS;
  let to = at;
  for (let i = 0; i < rx; i++)
    for (let j = 0; j < tx; j++) {
      let bit = (j * rx + i) * 2 * BITS;
      for (let tone = 0; tone < tones; tone++, bit += toneBits) {
        const first = bit >> 3;
        // 20 bits begin at a byte or in its middle: three bytes contain them.
        const word = (body[first]! | (body[first + 1]! << 8) | (body[first + 2]! << 16)) >> (bit & 7);
        values[to++] = (word << (32 - 2 * BITS)) >> (32 - BITS);
        values[to++] = (word << (32 - BITS)) >> (32 - BITS);
      }
    }
}

const sides = (inner: number, outer: number): readonly number[] =>
  Array.from({ length: 2 * outer + 1 }, (_, i) => i - outer).filter((carrier) => Math.abs(carrier) >= inner);

/** IEEE 802.11-2020 19.3.9.3.3: carriers of HT20 and HT40. */
export const HT_CARRIERS = new Map([
  [56, sides(1, 28)],
  [114, sides(2, 58)],
]);

const layouts = new LayoutCache();

function layoutOf(tones: number, rx: number, tx: number, centreMhz: number): CsiLayout {
  const key = ((tones * 4 + rx) * 4 + tx) * 65_536 + centreMhz;
  const bandwidthMhz = tones === 56 ? 20 : 40;
  const subcarriers = HT_CARRIERS.get(tones)!;
  return layouts.of(key, () => ({ rx, tx, subcarriers, bandwidthMhz, centreMhz, training: 'ht-ltf' }));
}

/** Little-endian if the entry at `at` is. */
const isLittle = (view: DataView, at: number): boolean => agrees(view, at + 2, true);

const ENTRIES: RecordKind = {
  name: 'atheros',
  headerBytes: 2 + HEADER_BYTES,
  lengthAt,
  clock: { unit: 1, confirm: 3 },
  stampAt: (view, at) => clockAt(view, at + 2, isLittle(view, at)),
  skip: 2,
};

/** An entry with its length: the inverse of the decoder. `values` are whole numbers of -512 to 511. */
export function encodeAtheros(
  frame: {
    readonly little: boolean;
    readonly timestamp: number;
    readonly mhz: number;
    readonly tones: 56 | 114;
    readonly rx: number;
    readonly tx: number;
    /** dBm. */
    readonly rssi: number;
    readonly noise: number;
    readonly payload?: Uint8Array;
  },
  values: ArrayLike<number>,
): Uint8Array {
  const { little, tones, rx, tx, payload = new Uint8Array(0) } = frame;
  const length = tenBitBytes(tones, rx, tx);
  const out = new Uint8Array(2 + HEADER_BYTES + length + payload.length);
  const view = viewOf(out);
  view.setUint16(0, out.length - 2, little);
  view.setBigUint64(2, BigInt(frame.timestamp), little);
  view.setUint16(10, length, little);
  view.setUint16(12, frame.mhz, little);
  view.setInt8(15, frame.noise);
  out.set([0, tones === 56 ? 0 : 1, tones, rx, tx, frame.rssi - LEVEL_FLOOR], 16);
  view.setUint16(25, payload.length, little);
  out.set(payload, 2 + HEADER_BYTES + length);
  const body = out.subarray(2 + HEADER_BYTES);
  let bit = 0;
  const put = (value: number): void => {
    for (let i = 0; i < BITS; i++, bit++) body[bit >> 3]! |= ((value >> i) & 1) << (bit & 7);
  };
  for (let tone = 0; tone < tones; tone++)
    for (let j = 0; j < tx; j++)
      for (let i = 0; i < rx; i++) {
        const from = ((i * tx + j) * tones + tone) * 2;
        put(values[from + 1]!);
        put(values[from]!);
      }
  return out;
}
