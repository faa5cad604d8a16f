import { crc32 } from 'node:zlib';
import { COMPRESSED_HEADER_BYTES, COMPRESSED_MAGIC, decodeCompressed, readDelta } from './adr018-delta.js';

/**
 * Packets that ADR-018 nodes send besides raw CSI on the same port, one per datagram, little-endian; byte 4
 * is the node. These are the senders' own conclusions: csiflow recognises and checks them, counts them by
 * kind, and passes on vitals as that sender's claim.
 */
export type PacketKind =
  'vitals' | 'features' | 'fused_vitals' | 'wasm_events' | 'compressed' | 'feature_state' | 'mesh' | 'sync';

export const PACKET_KINDS: readonly PacketKind[] = [
  'vitals',
  'features',
  'fused_vitals',
  'wasm_events',
  'compressed',
  'feature_state',
  'mesh',
  'sync',
];

/** Why a packet is rejected. */
export type PacketFault = 'unknown_magic' | 'truncated' | 'oversized' | 'checksum' | 'value' | 'runs';

export const MAGIC = {
  vitals: 0xc5110002,
  features: 0xc5110003,
  /** Fused vitals or WASM events: two senders use the same number. */
  collision: 0xc5110004,
  compressed: COMPRESSED_MAGIC,
  feature_state: 0xc5110006,
  mesh: 0xc5118100,
  sync: 0xc511a110,
} as const;

/** Kind of a packet of at least 8 bytes, or its fault. `view` covers exactly the packet. */
export function checkPacket(view: DataView): PacketKind | PacketFault {
  switch (view.getUint32(0, true)) {
    case MAGIC.vitals:
      return sized(view, 32) ?? (vitalsAreNumbers(view) ? 'vitals' : 'value');
    case MAGIC.features:
      return sized(view, 48) ?? 'features';
    case MAGIC.collision:
      return collision(view);
    case MAGIC.compressed:
      return compressed(view);
    case MAGIC.feature_state:
      return sized(view, 60) ?? (checksumFits(view) ? 'feature_state' : 'checksum');
    case MAGIC.mesh:
      return view.byteLength < 20 ? 'truncated' : checksumFits(view) ? 'mesh' : 'checksum';
    case MAGIC.sync:
      return sized(view, 32) ?? 'sync';
    default:
      return 'unknown_magic';
  }
}

/**
 * Bytes 4.. decide; if both are possible (48 bytes: 8 events, or a breathing rate of 0.08 per minute), it is
 * the former.
 */
function collision(view: DataView): PacketKind | PacketFault {
  const count = view.getUint16(6, true);
  if (view.byteLength === 8 + 5 * count) return 'wasm_events';
  return sized(view, 48) ?? 'fused_vitals';
}

function compressed(view: DataView): PacketKind | PacketFault {
  if (view.byteLength < COMPRESSED_HEADER_BYTES) return 'truncated';
  const fault = sized(view, COMPRESSED_HEADER_BYTES + view.getUint16(8, true));
  const { payload, rawBytes } = decodeCompressed(view);
  return fault ?? (readDelta(payload, rawBytes) ? 'compressed' : 'runs');
}

const sized = (view: DataView, bytes: number): PacketFault | undefined =>
  view.byteLength === bytes ? undefined : view.byteLength < bytes ? 'truncated' : 'oversized';

/** The last four bytes are the CRC-32 (IEEE 802.3) of all previous bytes. */
function checksumFits(view: DataView): boolean {
  const end = view.byteLength - 4;
  return crc32(new Uint8Array(view.buffer, view.byteOffset, end)) === view.getUint32(end, true);
}

const vitalsAreNumbers = (view: DataView): boolean =>
  Number.isFinite(view.getFloat32(16, true)) && Number.isFinite(view.getFloat32(20, true));

/** A node's report about people near it, once per second. */
export interface Vitals {
  readonly node: number;
  readonly presence: boolean;
  readonly fall: boolean;
  readonly moving: boolean;
  /** 0 if it found none. */
  readonly breathingBpm: number;
  /** 0 if it found none. */
  readonly heartBpm: number;
  /** dBm; NaN if unknown, sent as 0. */
  readonly rssi: number;
  /** Wrong in the firmware: half of the evaluated subcarriers. */
  readonly persons: number;
  readonly motion: number;
  readonly presenceScore: number;
  /** The sender's clock. */
  readonly milliseconds: number;
}

/** Fields of a packet that {@link checkPacket} identified as vitals. */
export function decodeVitals(view: DataView): Vitals {
  const flags = view.getUint8(5);
  return {
    node: view.getUint8(4),
    presence: (flags & 1) !== 0,
    fall: (flags & 2) !== 0,
    moving: (flags & 4) !== 0,
    breathingBpm: view.getUint16(6, true) / 100,
    heartBpm: view.getUint32(8, true) / 10_000,
    rssi: view.getInt8(12) || NaN,
    persons: view.getUint8(13),
    motion: view.getFloat32(16, true),
    presenceScore: view.getFloat32(20, true),
    milliseconds: view.getUint32(24, true),
  };
}

export function encodeVitals(vitals: Vitals): Uint8Array {
  const { bytes, view } = packet(MAGIC.vitals, vitals.node, 32);
  view.setUint8(5, Number(vitals.presence) | (Number(vitals.fall) << 1) | (Number(vitals.moving) << 2));
  view.setUint16(6, Math.round(vitals.breathingBpm * 100), true);
  view.setUint32(8, Math.round(vitals.heartBpm * 10_000), true);
  view.setInt8(12, Number.isNaN(vitals.rssi) ? 0 : vitals.rssi);
  view.setUint8(13, vitals.persons);
  view.setFloat32(16, vitals.motion, true);
  view.setFloat32(20, vitals.presenceScore, true);
  view.setUint32(24, vitals.milliseconds, true);
  return bytes;
}

/** Eight inputs of a node's own model. */
export interface Features {
  readonly node: number;
  readonly sequence: number;
  /** The sender's clock. */
  readonly microseconds: bigint;
  readonly values: readonly number[];
}

export const decodeFeatures = (view: DataView): Features => ({
  node: view.getUint8(4),
  sequence: view.getUint16(6, true),
  microseconds: view.getBigInt64(8, true),
  values: Array.from({ length: 8 }, (_, i) => view.getFloat32(16 + 4 * i, true)),
});

export function encodeFeatures(features: Features): Uint8Array {
  const { bytes, view } = packet(MAGIC.features, features.node, 48);
  view.setUint16(6, features.sequence, true);
  view.setBigInt64(8, features.microseconds, true);
  for (let i = 0; i < 8; i++) view.setFloat32(16 + 4 * i, features.values[i] ?? 0, true);
  return bytes;
}

/** Report of a WebAssembly module on a node. */
export interface WasmEvents {
  readonly node: number;
  readonly module: number;
  readonly events: readonly { readonly type: number; readonly value: number }[];
}

export const decodeWasmEvents = (view: DataView): WasmEvents => ({
  node: view.getUint8(4),
  module: view.getUint8(5),
  events: Array.from({ length: view.getUint16(6, true) }, (_, i) => ({
    type: view.getUint8(8 + 5 * i),
    value: view.getFloat32(9 + 5 * i, true),
  })),
});

export function encodeWasmEvents({ node, module, events }: WasmEvents): Uint8Array {
  const { bytes, view } = packet(MAGIC.collision, node, 8 + 5 * events.length);
  view.setUint8(5, module);
  view.setUint16(6, events.length, true);
  for (const [i, { type, value }] of events.entries()) {
    view.setUint8(8 + 5 * i, type);
    view.setFloat32(9 + 5 * i, value, true);
  }
  return bytes;
}

/** A node's own clock compared with that of its mesh (ADR-110). */
export interface Sync {
  readonly node: number;
  readonly isLeader: boolean;
  /** False if the node has not heard the leader for too long. */
  readonly isValid: boolean;
  readonly isSmoothed: boolean;
  /** Its own clock, microseconds, and that of the mesh at the same moment. */
  readonly local: number;
  readonly epoch: number;
  /** Number of the newest frame that it sent. */
  readonly sequence: number;
}

export function decodeSync(view: DataView): Sync {
  const flags = view.getUint8(6);
  return {
    node: view.getUint8(4),
    isLeader: (flags & 1) !== 0,
    isValid: (flags & 2) !== 0,
    isSmoothed: (flags & 4) !== 0,
    local: Number(view.getBigUint64(8, true)),
    epoch: Number(view.getBigUint64(16, true)),
    sequence: view.getUint32(24, true),
  };
}

export function encodeSync(sync: Sync): Uint8Array {
  const { bytes, view } = packet(MAGIC.sync, sync.node, 32);
  const flags = Number(sync.isLeader) | (Number(sync.isValid) << 1) | (Number(sync.isSmoothed) << 2);
  bytes.set([1, flags], 5);
  view.setBigUint64(8, BigInt(sync.local), true);
  view.setBigUint64(16, BigInt(sync.epoch), true);
  view.setUint32(24, sync.sequence, true);
  return bytes;
}

/** A node's own summary of its sensing. */
export interface FeatureState {
  readonly node: number;
  readonly mode: number;
  readonly sequence: number;
  /** The sender's clock. */
  readonly microseconds: bigint;
  readonly values: readonly number[];
  readonly flags: number;
}

export const decodeFeatureState = (view: DataView): FeatureState => ({
  node: view.getUint8(4),
  mode: view.getUint8(5),
  sequence: view.getUint16(6, true),
  microseconds: view.getBigUint64(8, true),
  values: Array.from({ length: 9 }, (_, i) => view.getFloat32(16 + 4 * i, true)),
  flags: view.getUint16(52, true),
});

export function encodeFeatureState(state: FeatureState): Uint8Array {
  const { bytes, view } = packet(MAGIC.feature_state, state.node, 60);
  view.setUint8(5, state.mode);
  view.setUint16(6, state.sequence, true);
  view.setBigUint64(8, state.microseconds, true);
  for (let i = 0; i < 9; i++) view.setFloat32(16 + 4 * i, state.values[i] ?? 0, true);
  view.setUint16(52, state.flags, true);
  view.setUint32(56, crc32(bytes.subarray(0, 56)), true);
  return bytes;
}

/** Header (bytes 4 to 15) and payload of a mesh packet, unchanged. */
export function encodeMesh(header: Uint8Array, payload: Uint8Array): Uint8Array {
  const { bytes, view } = packet(MAGIC.mesh, header[0] ?? 0, 20 + payload.length);
  bytes.set(header.subarray(0, 12), 4);
  bytes.set(payload, 16);
  view.setUint32(16 + payload.length, crc32(bytes.subarray(0, 16 + payload.length)), true);
  return bytes;
}

function packet(magic: number, node: number, length: number): { bytes: Uint8Array; view: DataView } {
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, magic, true);
  view.setUint8(4, node);
  return { bytes, view };
}
