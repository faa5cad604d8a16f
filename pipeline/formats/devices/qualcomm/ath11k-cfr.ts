/**
 * Channel frequency responses of Qualcomm's ath11k (Linux): the relay file `cfr_capture0`, or its records,
 * one per datagram. Bytes: docs/formats/ath11k-cfr.md.
 */
import type { CsiLayout } from '../../../model/index.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import { recordingOf, type FileFormat, type Format } from '../../contract/format.js';
import { LayoutCache } from '../../decoder/layout-cache.js';
import { RecordCutter, type RecordKind } from '../../containers/record-cutter.js';
import {
  orderByQuietTones,
  orderText,
  TONE_ORDERS,
  toneOf,
  unknownOrder,
  type ToneOrder,
} from '../../radio/tone-order.js';
import { centreFault } from '../../radio/wifi-channel.js';
import { bandOf, type Band, type BandKind } from '../../radio/wifi-bands.js';
import { viewOf } from '../../../base/view-of.js';

const NAME = 'ath11k-cfr';

/**
 * Frames belong to the link whose `sender` is the peer's MAC address, or `*`. The quiet tones reveal the
 * order of tones.
 */
export const ath11kCfr: Format = cfr(null, true);

/** The same records, for a known order of tones, or with the imaginary part first. */
export const ath11kCfrVariants: readonly Format[] = [
  ...TONE_ORDERS.map((order) => cfr(order, true)),
  ...[null, ...TONE_ORDERS].map((order) => cfr(order, false)),
];

function cfr(order: ToneOrder | null, realFirst: boolean): Format {
  const variant = [...(order === null ? [] : [order]), ...(realFirst ? [] : ['imaginary-first'])];
  const format = [NAME, ...variant].join('-');
  const parts = realFirst ? 'the real part first' : 'the imaginary part first';
  return {
    ...frameFormat(
      { format, sequenceBits: 32, read: (record) => readRecord(record, order, realFirst) },
      `Qualcomm ath11k CFR: ${orderText(order)}, ${parts}.`,
    ),
    recognise: (record) => record.length >= HEADER_BYTES && lengthAt(viewOf(record), 0) === record.length,
    ...(variant.length > 0 && { variantOf: NAME }),
  };
}

/** Event time is the card's own clock, counted from 1970. */
export const ath11kCfrFile: FileFormat = {
  name: 'ath11k-cfr-file',
  summary: 'Relay file (cfr_capture0) of ath11k.',
  recognise: (head) => {
    const view = viewOf(head);
    for (let at = indexOfStart(head, 0); at >= 0; at = indexOfStart(head, at + 1)) {
      const length = at + HEADER_BYTES <= head.length ? lengthAt(view, at) : 0;
      if (length > 0 && at + length <= head.length) return true;
    }
    return false;
  },
  open: recordingOf(ath11kCfr, () => new RecordCutter(RECORDS)),
};

const START = 0xdeadbeaf;
const END = 0xbeafdead;
const VENDOR = 0x8cfdf0;
/** Magic, vendor, versions, length: they precede the metadata. */
const COMMON_BYTES = 16;
const METADATA_BYTES = 92;
const HEADER_BYTES = COMMON_BYTES + METADATA_BYTES;
const MAX_METADATA = 1024;
const DMA_BYTES = 8;
const MAX_CHAINS = 8;
/** Two i16. */
const TONE_BYTES = 4;
/** Tones of a channel of 80 MHz. */
const MAX_TONES = 256;

function indexOfStart(bytes: Uint8Array, from: number): number {
  const start = Buffer.alloc(8);
  start.writeUInt32LE(START);
  start.writeUInt32LE(VENDOR, 4);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(start, from);
}

/** Bytes of the record at `at`; 0 if none begins there, or if its end is available and invalid. */
function lengthAt(view: DataView, at: number): number {
  if (view.getUint32(at, true) !== START || view.getUint32(at + 4, true) !== VENDOR) return 0;
  const metadata = view.getUint32(at + 12, true);
  const data = view.getUint32(at + 40, true);
  if (metadata < METADATA_BYTES || metadata > MAX_METADATA) return 0;
  if (data <= DMA_BYTES || data > DMA_BYTES + MAX_CHAINS * MAX_TONES * TONE_BYTES) return 0;
  const end = at + COMMON_BYTES + metadata + data;
  if (end + 4 <= view.byteLength && view.getUint32(end, true) !== END) return 0;
  return end + 4 - at;
}

const RECORDS: RecordKind = {
  name: NAME,
  headerBytes: HEADER_BYTES,
  lengthAt,
  // Microseconds; they wrap after 71.6 minutes.
  clock: { unit: 1, period: 2 ** 32, confirm: 3 },
  stampAt: (view, at) => view.getUint32(at + 36, true),
};

const PREAMBLES: readonly BandKind[] = ['legacy', 'ht', 'vht'];

/** Data description in the header written by the card's DMA. */
interface Shape {
  readonly band: Band;
  readonly chains: number;
  readonly tones: number;
  /** Start of the values. */
  readonly from: number;
}

function shapeOf(view: DataView): Shape | ReadFault {
  const versions = [view.getUint8(8), view.getUint8(9)];
  if (versions[0] !== 4 || versions[1] !== 1)
    return {
      fault: 'version',
      reason: `metadata ${versions[0]}, data ${versions[1]}: only 4 and 1 are supported`,
    };
  const from = COMMON_BYTES + view.getUint32(12, true) + DMA_BYTES;
  const info = view.getUint16(from - DMA_BYTES + 2, true);
  const [preamble, width] = [PREAMBLES[(info >> 4) & 3], (info >> 12) & 7];
  const band = preamble && width <= 2 ? bandOf(preamble, width) : undefined;
  if (!band)
    return {
      fault: 'kind',
      reason: `preamble ${(info >> 4) & 3} at width ${width}: supported are legacy and VHT at 20 to 80 MHz, HT at 20 and 40`,
    };
  const [chains, tones] = [((info >> 9) & 7) + 1, 64 << width];
  const bytes = view.getUint32(40, true) - DMA_BYTES;
  if (bytes !== chains * tones * TONE_BYTES)
    return { fault: 'length', reason: `${bytes} bytes of values: not ${chains} chains of ${tones} tones` };
  return { band, chains, tones, from };
}

function readRecord(record: Uint8Array, fixed: ToneOrder | null, realFirst: boolean): ReadFrame | ReadFault {
  if (record.length < HEADER_BYTES)
    return { fault: 'truncated', reason: `shorter than its header of ${HEADER_BYTES} bytes` };
  const length = lengthAt(viewOf(record), 0);
  if (length === 0) return { fault: 'header', reason: 'it does not begin or end like a record' };
  if (length > record.length) return { fault: 'truncated', reason: `${record.length} bytes of ${length}` };
  const view = viewOf(record.slice());
  const shape = shapeOf(view);
  if ('fault' in shape) return shape;
  const { band, chains, tones, from } = shape;
  const at = (chain: number, tone: number): number => from + (chain * tones + tone) * TONE_BYTES;
  const power = (tone: number): number => {
    let sum = 0;
    for (let chain = 0; chain < chains; chain++)
      sum += view.getInt16(at(chain, tone), true) ** 2 + view.getInt16(at(chain, tone) + 2, true) ** 2;
    return sum;
  };
  const order = fixed ?? orderByQuietTones(tones, band.subcarriers, power);
  if (order === null) return unknownOrder(NAME);
  const centreMhz = view.getUint16(28, true) || view.getUint16(26, true);
  const frequency = centreFault(centreMhz);
  if (frequency !== undefined) return { fault: 'frequency', reason: frequency };
  const first = realFirst ? 0 : 2;
  return {
    sequence: null,
    sender: Array.from(record.subarray(16, 22), (byte) => byte.toString(16).padStart(2, '0')).join(':'),
    rssi: strongest(Array.from({ length: chains }, (_, chain) => view.getInt32(44 + 4 * chain, true))),
    noise: NaN,
    deviceTime: view.getUint32(36, true),
    agc: record.slice(96, 96 + chains),
    bits: 16,
    parts: [
      {
        layout: layoutOf(band, chains, centreMhz),
        fill: (values, into) => {
          for (let chain = 0; chain < chains; chain++)
            for (const carrier of band.subcarriers) {
              const tone = at(chain, toneOf(order, carrier, tones));
              values[into++] = view.getInt16(tone + first, true);
              values[into++] = view.getInt16(tone + 2 - first, true);
            }
        },
      },
    ],
  };
}

/** dBm of the strongest chain; NaN if none has a valid level. */
function strongest(levels: readonly number[]): number {
  const known = levels.filter((level) => level < 0 && level > -128);
  return known.length > 0 ? Math.max(...known) : NaN;
}

const layouts = new LayoutCache();

function layoutOf(band: Band, rx: number, centreMhz: number): CsiLayout {
  const key = `${band.training} ${band.bandwidthMhz} ${rx} ${centreMhz}`;
  return layouts.of(key, () => ({ ...band, rx, tx: 1, centreMhz }));
}

/** A record, the real part first: the inverse of the decoder. `values`: (re, im) of each chain's carriers. */
export function encodeAth11kCfr(
  frame: {
    readonly mac: Uint8Array;
    readonly kind: BandKind;
    /** 0 to 2: 20 to 80 MHz. */
    readonly width: number;
    readonly mhz: number;
    readonly order: ToneOrder;
    /** Microseconds. */
    readonly clock: number;
    /** dBm, one for each chain. */
    readonly rssi: readonly number[];
    readonly gain: readonly number[];
  },
  values: ArrayLike<number>,
): Uint8Array {
  const { width, order, rssi } = frame;
  const [chains, tones] = [rssi.length, 64 << width];
  const { subcarriers } = bandOf(frame.kind, width)!;
  const data = DMA_BYTES + chains * tones * TONE_BYTES;
  const out = new Uint8Array(HEADER_BYTES + data + 4);
  const view = viewOf(out);
  view.setUint32(0, START, true);
  view.setUint32(4, VENDOR, true);
  out.set([4, 1, 0, 2], 8);
  view.setUint32(12, METADATA_BYTES, true);
  out.set(frame.mac, 16);
  out.set([1, width, width], 22);
  view.setUint16(26, frame.mhz, true);
  view.setUint16(28, frame.mhz, true);
  out.set([width === 0 ? 0 : 1, 0, 0, chains], 32);
  view.setUint32(36, frame.clock, true);
  view.setUint32(40, data, true);
  for (const [chain, level] of rssi.entries()) view.setInt32(44 + 4 * chain, level, true);
  out.set(frame.gain, 96);
  const info = (PREAMBLES.indexOf(frame.kind) << 4) | ((chains - 1) << 9) | (width << 12) | 0x8001;
  view.setUint16(HEADER_BYTES + 2, info, true);
  for (let i = 0; i < chains * subcarriers.length; i++) {
    const [chain, carrier] = [Math.floor(i / subcarriers.length), subcarriers[i % subcarriers.length]!];
    const at = HEADER_BYTES + DMA_BYTES + (chain * tones + toneOf(order, carrier, tones)) * TONE_BYTES;
    view.setInt16(at, values[2 * i]!, true);
    view.setInt16(at + 2, values[2 * i + 1]!, true);
  }
  view.setUint32(out.length - 4, END, true);
  return out;
}
