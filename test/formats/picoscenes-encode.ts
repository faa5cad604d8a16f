import { MAGIC } from '../../pipeline/formats/devices/picoscenes/picoscenes-frame.js';

/** Header of a frame. */
export interface WrittenFrame {
  /** 0x5300, 0x9300, 0x2000, 0x2100. */
  readonly device: number;
  /** Microseconds since 1970. */
  readonly hostTime: number;
  /** Time of the card's clock, microseconds. */
  readonly clock: number;
  /** 0 legacy, 1 HT, 2 VHT, 3 HE. */
  readonly packetFormat: number;
  readonly bandwidthMhz: number;
  readonly mhz: number;
  readonly tones: number;
  readonly rx: number;
  readonly tx: number;
  /** dBm. */
  readonly rssi: number;
  readonly noise: number;
  readonly gain: number;
  /** Antennas of an Intel 5300. */
  readonly antennas?: number;
  readonly transmitter: Uint8Array;
  /** The wrapping clock of an AX200 or AX210, in its segment `MVMExtra`: 320 ticks per microsecond. */
  readonly ticks?: number;
}

const GAIN = 1 << 19;

/** A frame: the inverse of the decoder, with segments of version 4. `values` in the device's packing. */
export function encodePicoscenes(frame: WrittenFrame, values: Uint8Array): Uint8Array {
  const packet = Buffer.alloc(24);
  packet.set([0x08, 0x00], 0);
  packet.set(frame.transmitter, 10);
  const segments = [
    segmentOf('RxSBasic', 4, basicOf(frame)),
    segmentOf('ExtraInfo', 1, extraOf(frame)),
    ...(frame.ticks === undefined ? [] : [segmentOf('MVMExtra', 1, axOf(frame.ticks))]),
    segmentOf('CSI', 4, csiOf(frame, values)),
  ];
  const header = Buffer.alloc(11);
  const length = segments.reduce((sum, { length: bytes }) => sum + bytes, 7 + packet.length);
  header.writeUInt32LE(length, 0);
  header.writeUInt32LE(MAGIC, 4);
  header.writeUInt16LE(1, 8);
  header.writeUInt8(segments.length, 10);
  return Uint8Array.from(Buffer.concat([header, ...segments, packet]));
}

function segmentOf(name: string, version: number, body: Uint8Array): Buffer {
  const header = Buffer.alloc(5 + name.length + 2);
  header.writeUInt32LE(1 + name.length + 2 + body.length, 0);
  header.writeUInt8(name.length, 4);
  header.write(name, 5, 'latin1');
  header.writeUInt16LE(version, 5 + name.length);
  return Buffer.concat([header, body]);
}

/** Intel's header of 272 bytes, after its length. */
function axOf(ticks: number): Buffer {
  const body = Buffer.alloc(2 + 272);
  body.writeUInt16LE(272, 0);
  body.writeUInt32LE(ticks, 2 + 8);
  return body;
}

function basicOf({ device, clock, hostTime, mhz, bandwidthMhz, ...rest }: WrittenFrame): Buffer {
  const body = Buffer.alloc(40);
  body.writeUInt16LE(device, 0);
  body.writeBigUInt64LE(BigInt(clock), 2);
  body.writeBigUInt64LE(BigInt(hostTime) * 1000n, 10);
  body.writeUInt16LE(Math.min(mhz, 0xffff), 18);
  body.writeUInt16LE(Math.min(mhz, 0xffff), 20);
  body.writeUInt16LE(bandwidthMhz, 22);
  body.writeInt8(rest.packetFormat, 24);
  body.set([rest.tx, 0, rest.rx, 1, 0], 30);
  body.writeInt8(rest.noise, 35);
  body.writeInt8(rest.rssi, 36);
  return body;
}

function extraOf({ gain }: WrittenFrame): Buffer {
  const body = Buffer.alloc(5);
  body.writeUInt32LE(GAIN, 0);
  body.writeUInt8(gain, 4);
  return body;
}

function csiOf(frame: WrittenFrame, values: Uint8Array): Buffer {
  const header = Buffer.alloc(40);
  header.writeUInt16LE(frame.device, 0);
  header.writeInt8(frame.packetFormat, 3);
  header.writeUInt16LE(frame.bandwidthMhz, 4);
  header.writeBigUInt64LE(BigInt(frame.mhz) * 1_000_000n, 6);
  header.writeUInt16LE(frame.tones, 26);
  header.set([frame.tx, frame.rx, 0], 28);
  header.writeUInt16LE(1, 31);
  header.writeUInt8(frame.antennas ?? 0, 33);
  header.writeUInt32LE(values.length, 36);
  return Buffer.concat([header, values]);
}
