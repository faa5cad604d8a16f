/**
 * FeitCSI (KuskoSoft), Intel AX200, AX210 and others: files, and datagrams of its UDP server. Bytes:
 * docs/formats/feitcsi.md.
 */
import type { CsiLayout } from '../../../model/index.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import type { FileFormat, Format } from '../../contract/format.js';
import { ASSUMED_MHZ, CHANNEL_UNKNOWN } from '../../radio/wifi-channel.js';
import { axBand, fillAx, noBand, RAW, type AxBand } from './intel-ax.js';
import { LayoutCache } from '../../decoder/layout-cache.js';
import { firstRecord, RecordCutter, type RecordKind } from '../../containers/record-cutter.js';
import { viewOf } from '../../../base/view-of.js';

/**
 * A header of 272 bytes and its values, imaginary part first. Frames belong to the link of their source's MAC
 * address, or `*`.
 */
export const feitcsi: Format = feit(
  'feitcsi',
  'FeitCSI (Intel AX200, AX210): a header of 272 bytes and its values.',
  false,
);

/** The same bytes as FeitCSI's own tools interpret them: mirrored in phase. */
export const feitcsiRealFirst: Format = feit(
  'feitcsi-real-first',
  'FeitCSI, the real part first, like its own tools: the phase is mirrored.',
  true,
);

/** Event time is that of the host if the file has it, otherwise the card's own clock, counted from 1970. */
export const feitcsiFile: FileFormat = {
  name: 'feitcsi-file',
  summary: 'File of FeitCSI.',
  recognise: (head) => {
    if (head.length < HEADER_BYTES) return false;
    const length = lengthAt(viewOf(head), 0);
    return length > 0 && length <= head.length && feitcsi.recognise(head.subarray(0, length));
  },
  open: (head) => ({
    format: feitcsi.name,
    start: 0,
    origin: 'replay',
    meta: {},
    cutter: new RecordCutter(isHostTimed(firstRecord(head, CARD_TIMED)) ? HOST_TIMED : CARD_TIMED),
  }),
};

const HEADER_BYTES = 272;
/** Bytes of a value in the output of its tools: two doubles. */
const PROCESSED = 16;

function feit(name: string, summary: string, realFirst: boolean): Format {
  const read = (record: Uint8Array) => readRecord(record, realFirst);
  const format = frameFormat({ format: name, sequenceBits: 32, read }, summary);
  return { ...format, assumes: CHANNEL_UNKNOWN, ...(realFirst && { variantOf: 'feitcsi' }) };
}

/** Bytes of a value; 0 if the numbers of the header at `at` are inconsistent. */
function valueBytes(view: DataView, at: number): number {
  const [rx, tx, tones] = [view.getUint8(at + 46), view.getUint8(at + 47), view.getUint32(at + 52, true)];
  if (rx < 1 || rx > 4 || tx < 1 || tx > 4 || tones < 1 || tones > 4096) return 0;
  const each = view.getUint32(at, true) / (rx * tx * tones);
  return each === RAW || each === PROCESSED ? each : 0;
}

const lengthAt = (view: DataView, at: number): number =>
  valueBytes(view, at) === 0 ? 0 : HEADER_BYTES + view.getUint32(at, true);

function readRecord(record: Uint8Array, realFirst: boolean): ReadFrame | ReadFault {
  if (record.length < HEADER_BYTES)
    return { fault: 'truncated', reason: `shorter than its header of ${HEADER_BYTES} bytes` };
  const view = viewOf(record);
  const each = valueBytes(view, 0);
  if (each === 0) return { fault: 'header', reason: 'its antennas, carriers and bytes of CSI do not agree' };
  if (record.length < HEADER_BYTES + view.getUint32(0, true))
    return {
      fault: 'truncated',
      reason: `${record.length} bytes of ${HEADER_BYTES + view.getUint32(0, true)}`,
    };
  const [rx, tx, tones] = [view.getUint8(46), view.getUint8(47), view.getUint32(52, true)];
  const rate = view.getUint32(92, true);
  const band = axBand((rate >> 8) & 7, (rate >> 11) & 7, tones);
  if (!band) return { fault: 'carriers', reason: noBand((rate >> 8) & 7, tones) };
  const body = record.slice(HEADER_BYTES, HEADER_BYTES + view.getUint32(0, true));
  return {
    sequence: null,
    sender: Array.from(record.subarray(68, 74), (byte) => byte.toString(16).padStart(2, '0')).join(':'),
    rssi: strongest([60, 64].slice(0, rx).map((at) => view.getUint32(at, true))),
    noise: NaN,
    deviceTime: view.getUint32(8, true) * CARD_UNIT,
    bits: each === RAW ? 16 : 0,
    parts: [
      {
        layout: layoutOf(band, rx, tx),
        fill: (values, at) => {
          fillAx(viewOf(body), each, { band, tones, streams: rx * tx, realFirst }, values, at);
        },
      },
    ],
  };
}

/** dBm of the antenna with the strongest signal, from magnitudes; NaN if the card reports none. */
function strongest(magnitudes: readonly number[]): number {
  const known = magnitudes.filter((value) => value > 0 && value < 128);
  return known.length > 0 ? -Math.min(...known) : NaN;
}

const layouts = new LayoutCache();

function layoutOf({ training, bandwidthMhz, subcarriers }: AxBand, rx: number, tx: number): CsiLayout {
  const key = `${training} ${bandwidthMhz} ${rx} ${tx}`;
  return layouts.of(key, () => ({ rx, tx, subcarriers, bandwidthMhz, centreMhz: ASSUMED_MHZ, training }));
}

const isHostTimed = (head: Uint8Array): boolean =>
  head.length >= HEADER_BYTES && viewOf(head).getBigUint64(12, true) > 0n;

/** The card's counter runs at 320 MHz and wraps after 13.4 s. Microseconds. */
const CARD_UNIT = 1 / 320;
const CARD_TIMED: RecordKind = {
  name: 'feitcsi',
  headerBytes: HEADER_BYTES,
  lengthAt,
  clock: { unit: CARD_UNIT, period: 2 ** 32, confirm: 3 },
  stampAt: (view, at) => view.getUint32(at + 8, true),
};
const HOST_TIMED: RecordKind = {
  ...CARD_TIMED,
  clock: { unit: 1, confirm: 3, slack: 1_000_000, absolute: true },
  stampAt: (view, at) => Number(view.getBigUint64(at + 12, true)),
};

/** A record: the inverse of the decoder. `values` are whole numbers of 16 bits. */
export function encodeFeitcsi(
  frame: {
    /** Time of the card's clock, 320 ticks per microsecond. */
    readonly ticks: number;
    readonly rx: number;
    readonly tx: number;
    readonly tones: number;
    /** dBm. */
    readonly rssi: number;
    readonly mac: Uint8Array;
    readonly rate: number;
  },
  values: ArrayLike<number>,
): Uint8Array {
  const { rx, tx, tones } = frame;
  const out = new Uint8Array(HEADER_BYTES + rx * tx * tones * RAW);
  const view = viewOf(out);
  view.setUint32(0, out.length - HEADER_BYTES, true);
  view.setUint32(8, frame.ticks, true);
  out.set([rx, tx], 46);
  view.setUint32(52, tones, true);
  view.setUint32(60, -frame.rssi, true);
  view.setUint32(64, -frame.rssi, true);
  out.set(frame.mac, 68);
  view.setUint32(92, frame.rate, true);
  for (let i = 0; i < rx * tx * tones; i++) {
    view.setInt16(HEADER_BYTES + 4 * i, values[2 * i + 1]!, true);
    view.setInt16(HEADER_BYTES + 4 * i + 2, values[2 * i]!, true);
  }
  return out;
}
