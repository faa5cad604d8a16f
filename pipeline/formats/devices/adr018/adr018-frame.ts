import { csiLayout, type CsiLayout } from '../../../model/index.js';
import { LLTF_12_BIT, type EspField } from '../espressif/esp-carriers.js';
import { knownBins, sentFields } from './adr018-fields.js';
import { fillField } from '../espressif/esp-values.js';

/**
 * ADR-018 raw CSI, one datagram per frame, little-endian (docs/adr/ADR-018 and ADR-110 of ruvnet/RuView, its
 * `csi_collector.c`, ESP-IDF's "Wi-Fi Channel State Information"):
 *
 * `0 u32 magic 0xC5110001 | 4 u8 node | 5 u8 antennas | 6 u16 bins | 8 u32 MHz | 12 u32 sequence | 16 i8 RSSI
 * | 17 i8 noise | 18 u8 PPDU | 19 u8 flags | 20 (u64 timestamp) | antennas * bins * (i8, i8)`.
 *
 * The pairs are (imaginary, real), in the order of the chip's buffer: that of an FFT (bins 0, 1, ... and then the
 * negative ones), or ascending. The bins belong to one to three consecutive training fields, which differ in gain and in
 * active subcarriers, so each becomes a block with a separate layout. Bytes 18 and 19 are 0 in older firmware.
 */
export const CSI_MAGIC = 0xc5110001;
export const CSI_HEADER_BYTES = 20;

/** Byte 19: the header is followed by a u64 timestamp of the sender's own clock. */
export const FLAG_TIMESTAMP = 0x20;
const FLAG_STBC = 0x04;

/** Part of a frame that becomes a frame of one layout. */
export interface FramePart {
  readonly layout: CsiLayout;
  /** Offset of each active subcarrier's pair, in bytes from the first pair of an antenna; ascending subcarriers. */
  readonly offsets: Uint16Array;
  /** The first of them, whose values are turned by 90 degrees: the lower half of 40 MHz, see {@link fillField}. */
  readonly turned: number;
}

/** The parts of frames with these fields. */
export const partsOf = (fields: readonly EspField[], antennas: number, mhz: number): readonly FramePart[] =>
  fields.map(({ training, bandwidthMhz, subcarriers, pairs }) => ({
    layout: csiLayout({ rx: antennas, tx: 1, subcarriers, bandwidthMhz, centreMhz: mhz, training }),
    offsets: pairs.map((pair) => (fields === LLTF_12_BIT ? 4 : 2) * pair),
    turned: bandwidthMhz === 40 ? subcarriers.filter((carrier) => carrier < 0).length : 0,
  }));

/** The parts of a frame of `bins` bins, or undefined if no frame has that many. @param ascending order of the bins */
export function frameParts(
  bins: number,
  antennas: number,
  mhz: number,
  ascending = false,
): readonly FramePart[] | undefined {
  const fields = knownBins(bins) ? sentFields(bins, ascending) : undefined;
  return fields && partsOf(fields, antennas, mhz);
}

/** True for the centre of a channel of the 2.4, 5 or 6 GHz band. */
export const isChannelCentre = (mhz: number): boolean =>
  mhz === 2484 ||
  (mhz >= 2412 && mhz <= 2472 && (mhz - 2412) % 5 === 0) ||
  (mhz >= 4900 && mhz <= 5900 && mhz % 5 === 0) ||
  (mhz >= 5925 && mhz <= 7125 && mhz % 5 === 0);

/** A frame in its transmitted form. */
export interface Adr018Frame {
  readonly node: number;
  readonly antennas?: number;
  /** See {@link knownBins}. */
  readonly bins: number;
  /** 0 if the sender does not know it. */
  readonly mhz: number;
  readonly sequence: number;
  /** dBm; NaN if unknown, sent as 0. */
  readonly rssi: number;
  readonly noise: number;
  /** 0 HT, 1 HE-SU, 2 HE-MU, 3 HE-TB, 255 unknown. Default 1 for 256 bins, otherwise 0. */
  readonly ppdu?: number;
  /** Order of the bins: ascending, or that of an FFT (default). */
  readonly ascending?: boolean;
  /** The fields, if others than {@link sentFields}. */
  readonly fields?: readonly EspField[];
  /** The sender's own clock. */
  readonly timestamp?: bigint;
  /** For each training field [antenna, active subcarrier, (re, im)], whole numbers from -128 to 127. */
  readonly parts: readonly ArrayLike<number>[];
}

/** The datagram of a frame. @throws RangeError if the parts do not fit the bins. */
export function encodeFrame(frame: Adr018Frame): Uint8Array {
  const { antennas = 1, bins } = frame;
  const fields = frame.fields ?? sentFields(bins, frame.ascending ?? false);
  if (fields?.length !== frame.parts.length) {
    throw new RangeError(
      `${bins} bins have ${fields?.length ?? 'no'} training fields, but the frame has ${frame.parts.length}`,
    );
  }
  const pairs = new Int8Array(antennas * bins * 2);
  for (const [p, field] of fields.entries()) {
    const values = frame.parts[p]!;
    const size = 2 * field.pairs.length;
    if (values.length !== antennas * size) {
      throw new RangeError(`part ${p} has ${values.length} numbers, not ${antennas * size}`);
    }
    for (let antenna = 0; antenna < antennas; antenna++) {
      const own = Array.from({ length: size }, (_, i) => values[antenna * size + i]!);
      fillField(pairs.subarray(antenna * bins * 2), field, own);
    }
  }
  return encodePairs({ ...frame, antennas }, pairs);
}

/** The datagram of a frame whose pairs are already in their transmitted form. */
export function encodePairs(frame: Omit<Adr018Frame, 'parts'>, pairs: Int8Array | Uint8Array): Uint8Array {
  const { antennas = 1, bins, timestamp } = frame;
  const start = CSI_HEADER_BYTES + (timestamp === undefined ? 0 : 8);
  const bytes = new Uint8Array(start + pairs.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CSI_MAGIC, true);
  view.setUint8(4, frame.node);
  view.setUint8(5, antennas);
  view.setUint16(6, bins, true);
  view.setUint32(8, frame.mhz, true);
  view.setUint32(12, frame.sequence, true);
  view.setInt8(16, Number.isNaN(frame.rssi) ? 0 : frame.rssi);
  view.setInt8(17, Number.isNaN(frame.noise) ? 0 : frame.noise);
  view.setUint8(18, frame.ppdu ?? (bins === 256 ? 1 : 0));
  view.setUint8(19, (bins === 192 ? FLAG_STBC : 0) | (timestamp === undefined ? 0 : FLAG_TIMESTAMP));
  if (timestamp !== undefined) view.setBigUint64(20, timestamp, true);
  bytes.set(new Uint8Array(pairs.buffer, pairs.byteOffset, pairs.length), start);
  return bytes;
}
