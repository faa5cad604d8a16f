import { viewOf } from '../../../base/view-of.js';

/**
 * The frames of PicoScenes: a header, segments with names and versions, and the packet. Bytes:
 * docs/formats/picoscenes.md.
 */

export const MAGIC = 0x20150315;
/** Length, magic, version, number of segments. */
export const HEADER_BYTES = 11;
const MAX_FRAME = 1_048_576;

/** Bytes of the frame at `at`; 0 if none begins there. */
export function frameLength(view: DataView, at: number): number {
  const length = view.getUint32(at, true);
  const version = view.getUint16(at + 8, true);
  const fits = view.getUint32(at + 4, true) === MAGIC && (version === 1 || version === 2);
  return fits && length > HEADER_BYTES - 4 && length <= MAX_FRAME ? 4 + length : 0;
}

export interface Segment {
  readonly name: string;
  readonly version: number;
  readonly body: DataView;
}

export interface PicoFrame {
  readonly segments: readonly Segment[];
  /** The packet, starting with its 802.11 header; empty if the frame has none. */
  readonly packet: Uint8Array;
}

/** Null if segments extend beyond the frame. */
export function openFrame(record: Uint8Array): PicoFrame | null {
  const view = viewOf(record);
  if (record.length < HEADER_BYTES || frameLength(view, 0) !== record.length) return null;
  const hasPackets = view.getUint16(8, true) === 2;
  let at = HEADER_BYTES + (hasPackets ? 2 : 0);
  const segments: Segment[] = [];
  for (let left = view.getUint8(10); left > 0; left--) {
    if (at + 5 > record.length) return null;
    const end = at + 4 + view.getUint32(at, true);
    const from = at + 5 + view.getUint8(at + 4);
    if (from + 2 > end || end > record.length) return null;
    // Some writers terminate the name with a zero.
    const name = Buffer.from(record.subarray(at + 5, from))
      .toString('latin1')
      .replace(/\0$/, '');
    const body = new DataView(record.buffer, record.byteOffset + from + 2, end - from - 2);
    segments.push({ name, version: view.getUint16(from, true), body });
    at = end;
  }
  // The first of several packets is preceded by its length.
  const start = hasPackets ? Math.min(at + 4, record.length) : at;
  return { segments, packet: record.subarray(start) };
}

/** Clear to send, acknowledgement, and a control frame that wraps another one: IEEE 802.11-2020, 9.3.1. */
const WITHOUT_TRANSMITTER = [0xc4, 0xd4, 0x74];

/** The 802.11 address of the packet's transmitter; '' if its kind has none, or the frame has no packet. */
export function transmitterOf(packet: Uint8Array): string {
  if (packet.length < 16 || WITHOUT_TRANSMITTER.includes(packet[0]! & 0xfc)) return '';
  return Array.from(packet.subarray(10, 16), (byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** Content of `RxSBasic`. */
export interface Basic {
  readonly device: number;
  /** Time of the card's clock, microseconds; 0 if it has none. */
  readonly clock: number;
  /** Time of the host, microseconds since 1970; 0 before version 4. */
  readonly hostTime: number;
  /** dBm, NaN if unknown. */
  readonly rssi: number;
  readonly noise: number;
}

/** Offsets of noise and level, by version; f32 in version 6. */
const LEVELS = [0, 21, 23, 27, 35, 37, 37];
const UNKNOWN_LEVEL = -128;

/** Null for an unknown version, or a truncated body. */
export function readBasic({ version, body }: Segment): Basic | null {
  const levels = LEVELS[version];
  if (levels === undefined || levels === 0 || body.byteLength < levels + (version === 6 ? 8 : 2)) return null;
  const read = (at: number): number => (version === 6 ? body.getFloat32(at, true) : body.getInt8(at));
  const noise = read(levels);
  const level = read(levels + (version === 6 ? 4 : 1));
  const isRelative = version < 3;
  return {
    device: body.getUint16(0, true),
    clock: Number(body.getBigUint64(2, true)),
    hostTime: version < 4 ? 0 : Number(body.getBigUint64(10, true) / 1000n),
    noise: noise <= UNKNOWN_LEVEL || noise >= 0 ? NaN : noise,
    rssi: isRelative ? level + noise : level <= UNKNOWN_LEVEL || level >= 0 ? NaN : level,
  };
}

/** Lengths of the optional fields of `ExtraInfo`, by bit, up to the gain (bit 19). */
const EXTRA_BYTES = [2, 8, 6, 6, 4, 1, 20, 1, 1, 1, 8, 4, 4, 2, 1, 1, 2, 1, 1];
const GAIN_BIT = 19;
/** Fields that are twice as long if the field of bit 1 is 2. */
const TIME_BITS = [11, 12];

/** The gain of `ExtraInfo`; undefined if it has none. */
export function readGain({ body }: Segment): number | undefined {
  if (body.byteLength < 4 || ((body.getUint32(0, true) >> GAIN_BIT) & 1) === 0) return undefined;
  const features = body.getUint32(0, true);
  let at = 4;
  let isLong = false;
  for (const [bit, bytes] of EXTRA_BYTES.entries()) {
    if (((features >> bit) & 1) === 0) continue;
    if (bit === 1) isLong = at + 8 <= body.byteLength && body.getBigUint64(at, true) === 2n;
    at += isLong && TIME_BITS.includes(bit) ? 8 : bytes;
  }
  return at < body.byteLength ? body.getUint8(at) : undefined;
}

/** The header of a `CSI` segment, and the values after it. */
export interface CsiSegment {
  readonly device: number;
  /** 0 legacy, 1 HT, 2 VHT, 3 HE, 4 HE for several users. */
  readonly packetFormat: number;
  readonly bandwidthMhz: number;
  readonly centreMhz: number;
  readonly tones: number;
  readonly streams: number;
  readonly rx: number;
  readonly count: number;
  readonly antennas: number;
  readonly values: Uint8Array;
}

const MAX_HEADER = [3, 4, 6, 35, 37, 40, 42, 45];
/** Offsets of {@link CsiSegment}'s fields by version: format, width, frequency, tones, streams, count, antennas, length. */
const CSI_HEADERS: Readonly<Record<number, readonly number[]>> = {
  1: [2, 3, 5, 25, 27, -1, 30, 31],
  2: [2, 3, 5, 25, 27, -1, 30, 33],
  3: [2, 3, 5, 25, 27, 30, 32, 35],
  4: [3, 4, 6, 26, 28, 31, 33, 36],
  5: MAX_HEADER,
  6: MAX_HEADER,
  7: MAX_HEADER,
};

/** Returns a text with the reason if the segment cannot be read. */
export function readCsi({ version, body }: Segment): CsiSegment | string {
  const offsets = CSI_HEADERS[version];
  if (!offsets) return `CSI of version ${version}: 1 to 7 are supported`;
  const [format, width, frequency, tones, streams, count, antennas, length] = offsets as [
    ...[number, number, number, number, number, number, number, number],
  ];
  const from = length + 4;
  if (body.byteLength < from) return `${body.byteLength} bytes are less than its header of ${from}`;
  const bytes = body.getUint32(length, true);
  if (body.byteLength < from + bytes) return `truncated: ${body.byteLength - from} bytes of ${bytes}`;
  return {
    device: body.getUint16(0, true),
    packetFormat: body.getInt8(format),
    bandwidthMhz: body.getUint16(width, true),
    centreMhz: Math.round(Number(body.getBigUint64(frequency, true)) / 1e6),
    tones: body.getUint16(tones, true),
    streams: body.getUint8(streams),
    rx: body.getUint8(streams + 1),
    count: count < 0 ? 1 : body.getUint16(count, true),
    antennas: body.getUint8(antennas),
    values: new Uint8Array(body.buffer, body.byteOffset + from, bytes),
  };
}
