/**
 * Realtek Ameba (RTL8721Dx, AmebaSmart, AmebaLite): reports of its SDK in a file or datagram, and the log of its
 * example on a serial port. Bytes: docs/formats/realtek.md.
 */
import type { CsiLayout } from '../../../model/index.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import { recordingOf, type FileFormat, type Format } from '../../contract/format.js';
import { LayoutCache } from '../../decoder/layout-cache.js';
import { RecordCutter, type RecordKind } from '../../containers/record-cutter.js';
import { bandOf, type Band, type BandKind } from '../../radio/wifi-bands.js';
import { channelMhz, wideCentreMhz } from '../../radio/wifi-channel.js';
import { viewOf } from '../../../base/view-of.js';

/** Frames belong to the link whose `sender` is the other station's MAC address, or `*`. */
export const realtekCsi: Format = realtek(
  'realtek-csi',
  'Realtek Ameba: a header of 48 bytes and its values, the real part first.',
  true,
);

/** The same bytes, mirrored in phase. */
export const realtekCsiImaginaryFirst: Format = {
  ...realtek('realtek-csi-imaginary-first', 'Realtek Ameba, the imaginary part first.', false),
  variantOf: 'realtek-csi',
};

function realtek(format: string, summary: string, realFirst: boolean): Format {
  const read = (record: Uint8Array) => readRecord(record, realFirst);
  return {
    ...frameFormat({ format, sequenceBits: 32, read }, summary),
    recognise: (record) => record.length >= SHORTEST && lengthAt(viewOf(record), 0) === record.length,
  };
}

/** Event time is the board's own clock (since it was started), counted from 1970. */
export const realtekCsiFile: FileFormat = {
  name: 'realtek-csi-file',
  summary: 'Consecutive reports of a Realtek Ameba.',
  recognise: (head) => {
    const length = head.length < SHORTEST ? 0 : lengthAt(viewOf(head), 0);
    return length > 0 && length <= head.length;
  },
  open: recordingOf(realtekCsi, () => new RecordCutter(REPORTS)),
};

const MAGIC = 0xabcd;
const HEADER_BYTES = 48;
/** For older firmware without a trigger: everything after the address is six bytes earlier. */
const OLD_HEADER_BYTES = 40;
const TRIGGER_BYTES = 6;
const SHORTEST = OLD_HEADER_BYTES;
/** HE with 80 MHz in words of 32 bits. */
const MAX_BODY = 8192;

/** Offsets of the fields after the trigger's address, as if it were present. */
const shiftOf = (headerBytes: number): number => (headerBytes === OLD_HEADER_BYTES ? TRIGGER_BYTES : 0);

/** Bytes of the report at `at`; 0 if none begins there. */
function lengthAt(view: DataView, at: number): number {
  const header = view.getUint8(at + 2);
  if (view.getUint16(at, true) !== MAGIC || (header !== HEADER_BYTES && header !== OLD_HEADER_BYTES))
    return 0;
  const shifted = at - shiftOf(header);
  const body = view.getUint32(shifted + 23, true);
  const [protocol, bits] = [view.getUint8(shifted + 31), view.getUint8(shifted + 34)];
  const each = (view.getUint16(shifted + 32, true) * bits) / 8;
  const fits = each > 0 && body >= each && body <= MAX_BODY && body % each === 0;
  return fits && protocol < KINDS.length && (bits === 16 || bits === 32) ? header + body : 0;
}

const REPORTS: RecordKind = {
  name: 'realtek-csi',
  headerBytes: SHORTEST,
  lengthAt,
  // Microseconds since the board was started, wrapping after 71.6 minutes.
  clock: { unit: 1, period: 2 ** 32, confirm: 3 },
  stampAt: (view, at) => view.getUint32(at + 15 - shiftOf(view.getUint8(at + 2)), true),
};

const KINDS: readonly BandKind[] = ['legacy', 'ht', 'vht', 'he'];

function readRecord(record: Uint8Array, realFirst: boolean): ReadFrame | ReadFault {
  if (record.length < SHORTEST)
    return { fault: 'truncated', reason: `shorter than its header of ${SHORTEST} bytes` };
  const length = lengthAt(viewOf(record), 0);
  if (length === 0)
    return { fault: 'header', reason: 'its header, tones, bits and bytes of CSI do not agree' };
  if (length > record.length) return { fault: 'truncated', reason: `${record.length} bytes of ${length}` };
  const header = record[2]!;
  const view = viewOf(record.slice());
  const at = (offset: number): number => offset - shiftOf(header);
  if (view.getUint8(at(27)) !== 1) return { fault: 'not_valid', reason: 'the board marks it as invalid' };
  const [tones, each] = [view.getUint16(at(32), true), view.getUint8(at(34)) / 8];
  const matrices = (length - header) / (tones * each);
  if (matrices !== 1) return { fault: 'antennas', reason: `${matrices} matrices: their order is unknown` };
  const band = bandOf(KINDS[view.getUint8(at(31))]!, view.getUint8(at(29)));
  if (band?.subcarriers.length !== tones)
    return {
      fault: 'carriers',
      reason: `${tones} tones: supported are ${band?.subcarriers.length ?? 'none'} at its width; the positions in a grouped report are unknown`,
    };
  const mhz = channelMhz(view.getUint8(at(28)));
  if (mhz === undefined) return { fault: 'channel', reason: `channel ${view.getUint8(at(28))} is invalid` };
  const levels = [view.getInt8(at(35)), view.getInt8(at(36))].filter((level) => level < 0);
  return {
    sequence: view.getUint32(at(19), true),
    sender: Array.from(record.subarray(3, 9), (byte) => byte.toString(16).padStart(2, '0')).join(':'),
    rssi: levels.length > 0 ? Math.max(...levels) : NaN,
    noise: NaN,
    deviceTime: view.getUint32(at(15), true),
    bits: 4 * each,
    parts: [
      {
        layout: layoutOf(band, wideCentreMhz(mhz, band.bandwidthMhz)),
        fill: (values, into) => {
          const [half, first] = [each / 2, realFirst ? 0 : each / 2];
          const read = (from: number): number =>
            half === 1 ? view.getInt8(from) : view.getInt16(from, true);
          for (let from = header; from < length; from += each) {
            values[into++] = read(from + first);
            values[into++] = read(from + half - first);
          }
        },
      },
    ],
  };
}

const layouts = new LayoutCache();

function layoutOf(band: Band, centreMhz: number): CsiLayout {
  const key = `${band.training} ${band.bandwidthMhz} ${centreMhz}`;
  return layouts.of(key, () => ({ ...band, rx: 1, tx: 1, centreMhz }));
}

export interface RealtekReport {
  readonly mac: Uint8Array;
  /** Microseconds. */
  readonly clock: number;
  readonly sequence: number;
  readonly channel: number;
  /** 0 to 3: 20 to 160 MHz. */
  readonly width: number;
  /** 0 OFDM, 1 HT, 2 VHT, 3 HE. */
  readonly protocol: number;
  readonly tones: number;
  /** Bits of a tone: both parts. */
  readonly bits: number;
  /** dBm. */
  readonly rssi: number;
  readonly isValid: boolean;
}

/** The header of 48 bytes, followed by `body`. */
export function realtekRecord(report: RealtekReport, body: Uint8Array): Uint8Array {
  const out = new Uint8Array(HEADER_BYTES + body.length);
  const view = viewOf(out);
  view.setUint16(0, MAGIC, true);
  out[2] = HEADER_BYTES;
  out.set(report.mac, 3);
  view.setUint32(15, report.clock, true);
  view.setUint32(19, report.sequence, true);
  view.setUint32(23, body.length, true);
  out.set([report.isValid ? 1 : 0, report.channel, report.width, 0, report.protocol], 27);
  view.setUint16(32, report.tones, true);
  out[34] = report.bits;
  view.setInt8(35, report.rssi);
  out.set([1, 1], 40);
  out.set(body, HEADER_BYTES);
  return out;
}

/** A report: the inverse of the decoder. `values`: (re, im) of each tone. */
export function encodeRealtek(report: Omit<RealtekReport, 'isValid'>, values: ArrayLike<number>): Uint8Array {
  const numbers = Array.from(values);
  const body = report.bits === 16 ? Int8Array.from(numbers) : Int16Array.from(numbers);
  return realtekRecord({ ...report, isValid: true }, new Uint8Array(body.buffer));
}
