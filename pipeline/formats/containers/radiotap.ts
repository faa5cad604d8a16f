import type { Packet } from './pcap-blocks.js';
import { viewOf } from '../../base/view-of.js';

/** Metadata of a packet from a card in monitor mode (radiotap.org), and the 802.11 frame after it. */
export interface MonitorFrame {
  /** The card's clock at the first bit of the frame, microseconds; NaN if unknown. */
  readonly clock: number;
  /** Middle of the 20 MHz channel to which the card is tuned; undefined if not stated. */
  readonly mhz: number | undefined;
  /** dBm, NaN if unknown. */
  readonly rssi: number;
  readonly noise: number;
  /** Without the checksum, if the card reports one. */
  readonly frame: Uint8Array;
  /** False if the card reports a wrong checksum for the frame. */
  readonly isSound: boolean;
}

/** Link type of an interface's packets. */
const RADIOTAP = 127;

export const isMonitored = ({ linkType }: Packet): boolean => linkType === RADIOTAP;

/** The fields up to the last one in use, by bit: size and alignment, bytes. */
const FIELDS = [
  { name: 'clock', size: 8, align: 8 },
  { name: 'flags', size: 1, align: 1 },
  { name: 'rate', size: 1, align: 1 },
  { name: 'channel', size: 4, align: 2 },
  { name: 'hopping', size: 2, align: 2 },
  { name: 'rssi', size: 1, align: 1 },
  { name: 'noise', size: 1, align: 1 },
] as const;

const HAS_CHECKSUM = 0x10;
const BAD_CHECKSUM = 0x40;
const MORE_WORDS = 0x8000_0000;

/** Null if the bytes do not begin with a complete radiotap header. */
export function readRadiotap(bytes: Uint8Array): MonitorFrame | null {
  if (bytes.length < 8 || bytes[0] !== 0) return null;
  const view = viewOf(bytes);
  const length = view.getUint16(2, true);
  if (length < 8 || length > bytes.length) return null;
  const present = view.getUint32(4, true);
  let at = 8;
  for (let word = present; (word & MORE_WORDS) !== 0; at += 4) {
    if (at + 4 > length) return null;
    word = view.getUint32(at, true);
  }
  const found: Partial<Record<(typeof FIELDS)[number]['name'], number>> = {};
  for (const [bit, { name, size, align }] of FIELDS.entries()) {
    if (((present >> bit) & 1) === 0) continue;
    at = Math.ceil(at / align) * align;
    if (at + size > length) return null;
    found[name] = at;
    at += size;
  }
  const { clock, flags: flagsAt, channel, rssi, noise } = found;
  const flags = flagsAt === undefined ? 0 : view.getUint8(flagsAt);
  const checksum = (flags & HAS_CHECKSUM) === 0 ? 0 : 4;
  return {
    clock: clock === undefined ? NaN : Number(view.getBigUint64(clock, true)),
    mhz: channel === undefined ? undefined : view.getUint16(channel, true),
    rssi: rssi === undefined ? NaN : view.getInt8(rssi),
    noise: noise === undefined ? NaN : view.getInt8(noise),
    frame: bytes.subarray(length, Math.max(length, bytes.length - checksum)),
    isSound: (flags & BAD_CHECKSUM) === 0,
  };
}
