import { CONTRADICTION } from '../espressif/esp-lltf-bits.js';
import { knownBins } from './adr018-fields.js';
import { CSI_HEADER_BYTES, CSI_MAGIC, FLAG_TIMESTAMP, isChannelCentre } from './adr018-frame.js';
import { checkPacket, PACKET_KINDS, type PacketFault, type PacketKind } from './adr018-packets.js';
import { viewOf } from '../../../base/view-of.js';

const FRAME_FAULTS = ['antennas', 'subcarriers', 'frequency', 'bits'] as const;
export type FrameFault = (typeof FRAME_FAULTS)[number] | 'truncated' | 'oversized';
/** Every reason to reject a datagram. */
export const FAULTS: readonly (FrameFault | PacketFault)[] = [
  'unknown_magic',
  'truncated',
  'oversized',
  ...FRAME_FAULTS,
  'checksum',
  'value',
  'runs',
];
export type Fault = (typeof FAULTS)[number];
export const FAULT_TEXT: Readonly<Record<Fault, string>> = {
  unknown_magic:
    'it does not start with an ADR-018 magic number; another program may be sending to this port',
  truncated: 'it is shorter than its header states',
  oversized: 'it is longer than its header states',
  antennas: 'byte 5 (antennas) is not 1 to 4',
  subcarriers: 'bytes 6 and 7 (bins) are not a number that an ESP32 sends (53 to 306)',
  frequency: 'bytes 8 to 11 (MHz) are not the centre of a Wi-Fi channel',
  bits: CONTRADICTION.reason,
  checksum: 'its CRC-32 does not match',
  value: 'a number in it is not finite',
  runs: 'the runs of its payload do not add up to the length in bytes 6 and 7',
};

/** True if `record` is a packet without a fault. */
export function recognise(record: Uint8Array): boolean {
  if (record.length < 8) return false;
  const view = viewOf(record);
  if (view.getUint32(0, true) === CSI_MAGIC) return typeof checkFrame(view) === 'number';
  return isKind(checkPacket(view));
}

/** True if `record` starts with a magic number of the format: 0xC51100, then the kind of packet. */
export const hasSignature = (record: Uint8Array): boolean =>
  record.length >= 4 && (viewOf(record).getUint32(0, true) & 0xffffff00) >>> 0 === 0xc5110000;

/** Offset of the first pair of a raw frame, or its fault. */
export function checkFrame(view: DataView): number | FrameFault {
  if (view.byteLength < CSI_HEADER_BYTES) return 'truncated';
  const antennas = view.getUint8(5);
  const bins = view.getUint16(6, true);
  const mhz = view.getUint32(8, true);
  if (antennas < 1 || antennas > 4) return 'antennas';
  if (!knownBins(bins)) return 'subcarriers';
  if (mhz !== 0 && !isChannelCentre(mhz)) return 'frequency';
  const pairs = antennas * bins * 2;
  const start = startOf(view.getUint8(19), view.byteLength, pairs);
  const end = start + pairs;
  return view.byteLength === end ? start : view.byteLength < end ? 'truncated' : 'oversized';
}

/**
 * Offset of the first pair. Two programs use one bit: a fork for a timestamp, the newer firmware for frames whose
 * first word it has set to 0. The length tells them apart.
 */
export const startOf = (flags: number, length: number, pairs: number): number =>
  CSI_HEADER_BYTES + ((flags & FLAG_TIMESTAMP) !== 0 && length !== CSI_HEADER_BYTES + pairs ? 8 : 0);

export const isKind = (word: PacketKind | PacketFault): word is PacketKind =>
  (PACKET_KINDS as readonly string[]).includes(word);
