import { csiLayout, type CsiLayout, type TrainingField } from '../../../model/index.js';

/**
 * ADR-018 raw CSI, one datagram per frame, little-endian (docs/adr/ADR-018 and ADR-110 of ruvnet/RuView, its
 * `csi_collector.c`, ESP-IDF's "Wi-Fi Channel State Information"):
 *
 * `0 u32 magic 0xC5110001 | 4 u8 node | 5 u8 antennas | 6 u16 bins | 8 u32 MHz | 12 u32 sequence | 16 i8 RSSI
 * | 17 i8 noise | 18 u8 PPDU | 19 u8 flags | 20 (u64 timestamp) | antennas * bins * (i8, i8)`.
 *
 * The pairs are (imaginary, real), in the order of the chip's buffer: that of an FFT (bins 0, 1, ... and then the
 * negative ones), or ascending ({@link isAscending}). The bins belong to one to three consecutive training fields, which differ in gain and in active subcarriers, so
 * each becomes a block with a separate layout. Bytes 18 and 19 are 0 in older firmware.
 */
export const CSI_MAGIC = 0xc5110001;
export const CSI_HEADER_BYTES = 20;

/** Byte 19: the header is followed by a u64 timestamp of the sender's own clock. */
export const FLAG_TIMESTAMP = 0x20;
const FLAG_STBC = 0x04;

/** Subcarriers with a signal; the others carry only noise. IEEE 802.11-2020 19.3.9.3.3, 21.3.7; 802.11ax 27.3.10. */
const band = (edge: number, inner = 1): readonly number[] =>
  Array.from({ length: 2 * (edge - inner + 1) }, (_, i) =>
    i <= edge - inner ? i - edge : i - edge + 2 * inner - 1,
  );

interface Field {
  readonly training: TrainingField;
  /** Bins of the whole field, active or not. */
  readonly bins: number;
  readonly active: readonly number[];
}

const LLTF: Field = { training: 'lltf', bins: 64, active: band(26) };
const HT_LTF: Field = { training: 'ht-ltf', bins: 64, active: band(28) };
const STBC: Field = { training: 'stbc-ht-ltf', bins: 64, active: band(28) };
const HE_LTF: Field = { training: 'he-ltf', bins: 256, active: band(122, 2) };
/** Of a C5: ascending, without the carriers beyond the edges. */
const C5_HT_LTF: Field = { training: 'ht-ltf', bins: 57, active: band(28) };
const C5_HE_LTF: Field = { training: 'he-ltf', bins: 245, active: band(122, 2) };

/** The training fields of a frame, by its number of bins. */
const FIELDS = new Map<number, readonly Field[]>([
  [64, [LLTF]],
  [128, [LLTF, HT_LTF]],
  [192, [LLTF, HT_LTF, STBC]],
  [256, [HE_LTF]],
  [57, [C5_HT_LTF]],
  [245, [C5_HE_LTF]],
]);

/** Part of a frame that becomes a frame of one layout. */
export interface FramePart {
  readonly layout: CsiLayout;
  /** Offset of each active subcarrier's pair, in bytes from the first pair of an antenna; ascending subcarriers. */
  readonly offsets: Uint16Array;
}

/**
 * True if the first field of the pairs at `start` ascends, carriers -32 to 31: the buffers of a C5 and C6, and those of
 * other chips whose channel has a second one beside it, are in that order. There, the guard carriers at both ends are
 * 0, and the carrier below the middle is not; in the order of an FFT, it is the other way round.
 */
export function isAscending(bytes: Uint8Array, start: number, bins: number): boolean {
  if (bins % 2 !== 0) return true;
  // The first two pairs may be missing in either order.
  for (let at = start + 4; at < start + 12; at++) if (bytes[at] !== 0) return false;
  const fieldBins = bins === HE_LTF.bins ? bins : LLTF.bins;
  const end = start + 2 * fieldBins;
  for (let at = end - 6; at < end; at++) if (bytes[at] !== 0) return false;
  const middle = start + fieldBins;
  return bytes[middle - 4] !== 0 || bytes[middle - 3] !== 0;
}

/** The parts of a frame of `bins` bins, or undefined if no frame has that many. @param ascending order of the bins */
export function frameParts(
  bins: number,
  antennas: number,
  mhz: number,
  ascending = bins % 2 !== 0,
): readonly FramePart[] | undefined {
  let first = 0;
  return FIELDS.get(bins)?.map((field) => {
    const start = first;
    first += field.bins;
    const { training, active } = field;
    const layout = csiLayout({
      rx: antennas,
      tx: 1,
      subcarriers: active,
      bandwidthMhz: 20,
      centreMhz: mhz,
      training,
    });
    const offsets = Uint16Array.from(
      active,
      (index) =>
        2 * (start + (ascending ? index + (field.bins >> 1) : index < 0 ? index + field.bins : index)),
    );
    return { layout, offsets };
  });
}

export const knownBins = (bins: number): boolean => FIELDS.has(bins);

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
  /** 57, 64, 128, 192, 245 or 256. */
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
  /** The sender's own clock. */
  readonly timestamp?: bigint;
  /** For each training field [antenna, active subcarrier, (re, im)], whole numbers from -128 to 127. */
  readonly parts: readonly ArrayLike<number>[];
}

/** The datagram of a frame. @throws RangeError if the parts do not fit the bins. */
export function encodeFrame(frame: Adr018Frame): Uint8Array {
  const { antennas = 1, bins } = frame;
  const layouts = frameParts(bins, antennas, frame.mhz, frame.ascending);
  if (layouts?.length !== frame.parts.length) {
    throw new RangeError(
      `${bins} bins have ${layouts?.length ?? 'no'} training fields, but the frame has ${frame.parts.length}`,
    );
  }
  const pairs = new Int8Array(antennas * bins * 2);
  for (const [p, { offsets }] of layouts.entries()) {
    const values = frame.parts[p]!;
    if (values.length !== antennas * offsets.length * 2) {
      throw new RangeError(`part ${p} has ${values.length} numbers, not ${antennas * offsets.length * 2}`);
    }
    for (let antenna = 0, from = 0; antenna < antennas; antenna++) {
      for (const offset of offsets) {
        const to = antenna * bins * 2 + offset;
        pairs[to + 1] = values[from++]!;
        pairs[to] = values[from++]!;
      }
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
