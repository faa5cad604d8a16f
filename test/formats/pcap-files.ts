/** Options for writing a file. */
interface Options {
  readonly little?: boolean;
  readonly nano?: boolean;
  /** 0 loopback, 1 Ethernet, 105 802.11, 113 Linux cooked, 127 radiotap. */
  readonly linkType?: number;
  /** Types of VLAN tags. */
  readonly tags?: readonly number[];
  /** IP version, 4 by default. */
  readonly ip?: 4 | 6;
  /** Added to the stamps of a pcapng to get times, seconds; without one, none is stated. */
  readonly offset?: number;
  /** Type of the blocks of a pcapng: 6 (enhanced packets) by default, 3 (simple ones), 2 (obsolete ones). */
  readonly block?: 6 | 3 | 2;
  /** To which the datagrams are sent. */
  readonly port?: number;
}

/** Packets are 10 ms apart, from here on, microseconds. */
const START = 1_600_000_000_250_000n;
const time = (index: number): bigint => START + 10_000n * BigInt(index);

/** Link header, IP and UDP, to port 5500 by default; an 802.11 packet is unchanged. */
function packetOf(payload: Uint8Array, options: Options): Buffer {
  const { linkType = 1, port = 5500, tags = [], ip: version = 4 } = options;
  if (linkType === 127 || linkType === 105) return Buffer.from(payload);
  const ip = (LINK_BYTES[linkType] ?? 14) + 4 * tags.length;
  const udp = ip + (version === 4 ? 20 : 40);
  const packet = Buffer.alloc(udp + 8 + payload.length);
  for (const [i, tag] of tags.entries()) packet.writeUInt16BE(tag, ip - 4 * (tags.length - i) - 2);
  packet.writeUInt8(version === 4 ? 0x45 : 0x60, ip);
  if (version === 4) packet.writeUInt16BE(28 + payload.length, ip + 2);
  packet.writeUInt8(17, ip + (version === 4 ? 9 : 6));
  packet.writeUInt16BE(5500, udp);
  packet.writeUInt16BE(port, udp + 2);
  packet.writeUInt16BE(8 + payload.length, udp + 4);
  packet.set(payload, udp + 8);
  return packet;
}

const LINK_BYTES: Readonly<Record<number, number>> = { 0: 4, 113: 16 };

const words = (little: boolean, ...numbers: readonly number[]): Buffer => {
  const out = Buffer.alloc(4 * numbers.length);
  for (const [i, number] of numbers.entries())
    if (little) out.writeUInt32LE(number, 4 * i);
    else out.writeUInt32BE(number, 4 * i);
  return out;
};

/** A pcap file of datagrams. */
export function pcapOf(payloads: readonly Uint8Array[], options: Options = {}): Buffer {
  const { little = true, nano = false, linkType = 1 } = options;
  const version = little ? 0x0004_0002 : 0x0002_0004;
  const header = words(little, nano ? 0xa1b23c4d : 0xa1b2c3d4, version, 0, 0, 65_535, linkType);
  const records = payloads.flatMap((payload, i) => {
    const packet = packetOf(payload, options);
    const fraction = Number(time(i) % 1_000_000n) * (nano ? 1000 : 1);
    return [words(little, Number(time(i) / 1_000_000n), fraction, packet.length, packet.length), packet];
  });
  return Buffer.concat([header, ...records]);
}

/** A pcapng file of datagrams. */
export function pcapngOf(payloads: readonly Uint8Array[], options: Options = {}): Buffer {
  const { little = true, nano = false, linkType = 1, offset, block: type = 6 } = options;
  const block = (type: number, body: Buffer): Buffer => {
    const padded = Buffer.concat([body, Buffer.alloc((4 - (body.length % 4)) % 4)]);
    const length = 12 + padded.length;
    return Buffer.concat([words(little, type, length), padded, words(little, length)]);
  };
  const section = block(
    0x0a0d0d0a,
    words(little, 0x1a2b3c4d, little ? 1 : 0x0001_0000, 0xffffffff, 0xffffffff),
  );
  const link = little ? linkType : linkType << 16;
  const stated = [
    ...(nano ? [Buffer.from(little ? [9, 0, 1, 0, 9, 0, 0, 0] : [0, 9, 0, 1, 9, 0, 0, 0])] : []),
    ...(offset === undefined ? [] : [offsetOption(little, offset)]),
  ];
  const end = stated.length > 0 ? [Buffer.alloc(4)] : [];
  const port = block(1, Buffer.concat([words(little, link, 65_535), ...stated, ...end]));
  const packets = payloads.map((payload, i) => {
    const packet = packetOf(payload, options);
    if (type === 3) return block(type, Buffer.concat([words(little, packet.length), packet]));
    const stamp = (time(i) - 1_000_000n * BigInt(offset ?? 0)) * (nano ? 1000n : 1n);
    const head = words(
      little,
      0,
      Number(stamp >> 32n),
      Number(stamp & 0xffffffffn),
      packet.length,
      packet.length,
    );
    return block(type, Buffer.concat([head, packet]));
  });
  return Buffer.concat([section, port, ...packets]);
}

/** The option if_tsoffset, 64 bits. */
function offsetOption(little: boolean, seconds: number): Buffer {
  const option = Buffer.alloc(12);
  if (little) {
    option.writeUInt32LE(0x0008_000e);
    option.writeBigInt64LE(BigInt(seconds), 4);
  } else {
    option.writeUInt32BE(0x000e_0008);
    option.writeBigInt64BE(BigInt(seconds), 4);
  }
  return option;
}
