/**
 * The structures of RDK's Wi-Fi HAL as stored and sent by OneWifi, little-endian. Bytes:
 * docs/formats/onewifi.md.
 */
import type { ReadFault } from '../../decoder/frame-decoder.js';
import type { OneWifiInfo, OneWifiMatrix } from './onewifi-frame.js';
import { viewOf } from '../../../base/view-of.js';

export interface BinaryStation {
  readonly mac: string;
  readonly info: OneWifiInfo;
  readonly matrix: OneWifiMatrix;
}

/** Routers are built for this number of antennas and streams, which determines the length of a structure. */
interface Build {
  readonly antennas: number;
  readonly streams: number;
  readonly infoBytes: number;
  readonly matrixBytes: number;
  readonly evmBytes: number;
}

const MAX_TONES = 256;
const PILOTS = 26;
const MAC_BYTES = 6;
const BUILDS: readonly Build[] = [
  { antennas: 4, streams: 1, infoBytes: 56 },
  { antennas: 8, streams: 4, infoBytes: 72 },
].map((build) => ({
  ...build,
  matrixBytes: MAX_TONES * build.antennas * build.streams * 4,
  evmBytes: PILOTS * build.antennas * build.streams,
}));

const align = (at: number, to: number): number => Math.ceil(at / to) * to;

/** `wifi_frame_info_t` at `at`, aligned by the compiler; null if its numbers are impossible. */
function infoAt(view: DataView, at: number, build: Build): OneWifiInfo | null {
  const [rx, tx] = [view.getUint8(at + 2), view.getUint8(at + 3)];
  if (rx < 1 || rx > build.antennas || tx < 1 || tx > build.streams) return null;
  const levels = Array.from({ length: build.antennas }, (_, i) => view.getInt32(at + 4 + 4 * i, true));
  const behind = 4 + 4 * build.antennas;
  const numbers = align(behind + 6, 4);
  const info = {
    ...{ mode: view.getUint8(at), rx, tx },
    mask: view.getUint16(at + behind, true),
    width: view.getUint16(at + behind + 4, true),
    carriers: view.getUint32(at + numbers, true),
    decimation: view.getUint8(at + numbers + 4),
    channel: view.getUint32(at + numbers + 8, true),
    timestamp: Number(view.getBigUint64(at + align(numbers + 16, 8), true)),
  };
  const fits =
    info.carriers >= 1 &&
    info.carriers <= MAX_TONES &&
    info.channel >= 1 &&
    info.channel <= 233 &&
    levels.every((level) => level >= -128 && level <= 255) &&
    [20, 40, 80, 160].includes(info.width) &&
    Number.isSafeInteger(info.timestamp);
  return fits ? { ...info, rssi: levels.slice(0, info.rx) } : null;
}

function stationAt(bytes: Uint8Array, macAt: number, at: number, build: Build): BinaryStation | null {
  const view = viewOf(bytes);
  const info = infoAt(view, at, build);
  if (!info) return null;
  const values = at + build.infoBytes;
  const matrix: OneWifiMatrix = (antenna, stream, tone, part) =>
    // One u32: the real part is its upper half.
    view.getInt16(
      values + 4 * ((tone * build.antennas + antenna) * build.streams + stream) + (part === 0 ? 2 : 0),
      true,
    );
  const mac = bytes.subarray(macAt, macAt + MAC_BYTES);
  return { mac: Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join(':'), info, matrix };
}

const dumpBytes = ({ infoBytes, matrixBytes }: Build): number => MAC_BYTES + infoBytes + matrixBytes;

interface Entry {
  readonly build: Build;
  readonly info: OneWifiInfo;
}

/** The entry of CSI.bin at `at` (address, frame_info, matrix); undefined if none begins there. */
function entryAt(bytes: Uint8Array, at: number): Entry | undefined {
  const view = viewOf(bytes);
  for (const build of BUILDS) {
    const isThere = at + MAC_BYTES + build.infoBytes <= bytes.length;
    const info = isThere ? infoAt(view, at + MAC_BYTES, build) : null;
    if (info) return { build, info };
  }
  return undefined;
}

/** Its bytes, or 0. */
export function dumpLength(bytes: Uint8Array, at: number): number {
  const entry = entryAt(bytes, at);
  return entry ? dumpBytes(entry.build) : 0;
}

/** Its time, milliseconds. */
export const dumpTime = (bytes: Uint8Array, at: number): number => entryAt(bytes, at)?.info.timestamp ?? 0;

/** The entry at the start of `bytes`, which may share its memory; null if there is none. */
export function readDump(bytes: Uint8Array): BinaryStation | null {
  const build = entryAt(bytes, 0)?.build;
  return build ? stationAt(bytes.slice(0, dumpBytes(build)), 0, MAC_BYTES, build) : null;
}

/** Label and length; between them and the number of clients is the time, with 4 or 8 bytes. */
const EVENT_BYTES = 8;

/** The stations of an event. */
export function readEvent(record: Uint8Array): BinaryStation[] | ReadFault {
  // A Buffer's own slice would share its memory.
  const bytes = new Uint8Array(record);
  for (const timeBytes of [8, 4]) {
    const stations = clientsOf(bytes, EVENT_BYTES + timeBytes);
    if (stations) return stations;
  }
  return {
    fault: 'event',
    reason: `${record.length} bytes: its clients and their data do not add up to that`,
  };
}

function clientsOf(bytes: Uint8Array, from: number): BinaryStation[] | null {
  const view = viewOf(bytes);
  if (from + 4 > bytes.length) return null;
  const count = view.getUint32(from, true);
  const stations: BinaryStation[] = [];
  let at = from + 4;
  while (stations.length < count && at + MAC_BYTES + 4 <= bytes.length) {
    const length = view.getUint32(at + MAC_BYTES, true);
    const data = at + MAC_BYTES + 4;
    const build = BUILDS.find(
      ({ infoBytes, matrixBytes, evmBytes }) => length === align(infoBytes + matrixBytes + evmBytes, 8),
    );
    if (!build || data + length > bytes.length) return null;
    const station = stationAt(bytes, at, data, build);
    if (!station) return null;
    stations.push(station);
    at = data + length;
  }
  return count > 0 && stations.length === count && at === bytes.length ? stations : null;
}

/** An entry of CSI.bin: the inverse of the decoder. */
export function encodeOneWifiDump({ mac, info, matrix }: BinaryStation, antennas: 4 | 8 = 4): Uint8Array {
  const build = BUILDS.find((one) => one.antennas === antennas)!;
  const out = new Uint8Array(dumpBytes(build));
  const view = new DataView(out.buffer);
  out.set(mac.split(':').map((byte) => parseInt(byte, 16)));
  const at = MAC_BYTES;
  out.set([info.mode, 7, info.rx, info.tx], at);
  for (const [i, level] of info.rssi.entries()) view.setInt32(at + 4 + 4 * i, level, true);
  const behind = at + 4 + 4 * antennas;
  for (const [i, value] of [info.mask, info.width, info.width].entries())
    view.setUint16(behind + 2 * i, value, true);
  const numbers = at + align(10 + 4 * antennas, 4);
  view.setUint32(numbers, info.carriers, true);
  view.setUint8(numbers + 4, info.decimation);
  view.setUint32(numbers + 8, info.channel, true);
  view.setBigUint64(at + build.infoBytes - 8, BigInt(info.timestamp), true);
  for (let tone = 0; tone < info.carriers; tone++)
    for (let antenna = 0; antenna < info.rx; antenna++)
      for (let stream = 0; stream < info.tx; stream++) {
        const cell = at + build.infoBytes + 4 * ((tone * antennas + antenna) * build.streams + stream);
        view.setInt16(cell, matrix(antenna, stream, tone, 1), true);
        view.setInt16(cell + 2, matrix(antenna, stream, tone, 0), true);
      }
  return out;
}

/**
 * The event for some stations, with a time of 8 bytes: the entries of CSI.bin, each with its length and its
 * EVM.
 */
export function encodeOneWifiEvent(
  seconds: number,
  stations: readonly BinaryStation[],
  antennas: 4 | 8 = 4,
): Uint8Array {
  const build = BUILDS.find((one) => one.antennas === antennas)!;
  const clients = stations.map((station) => {
    const dump = encodeOneWifiDump(station, antennas);
    const data = Buffer.alloc(align(build.infoBytes + build.matrixBytes + build.evmBytes, 8));
    data.set(dump.subarray(MAC_BYTES));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(data.length);
    return Buffer.concat([dump.subarray(0, MAC_BYTES), length, data]);
  });
  const head = Buffer.alloc(EVENT_BYTES + 12);
  head.write('CSI\0', 'latin1');
  head.writeUInt32LE(head.length + clients.reduce((sum, { length }) => sum + length, 0), 4);
  head.writeBigUInt64LE(BigInt(seconds), EVENT_BYTES);
  head.writeUInt32LE(stations.length, EVENT_BYTES + 8);
  return Buffer.concat([head, ...clients]);
}
