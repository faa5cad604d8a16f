/** Options for writing a file. */
interface Options {
  readonly little?: boolean;
  readonly nano?: boolean;
  /** 1 Ethernet, 105 802.11, 113 Linux cooked, 127 radiotap. */
  readonly linkType?: number;
  /** To which the datagrams are sent. */
  readonly port?: number;
}

/** Packets are 10 ms apart, from here on, microseconds. */
const START = 1_600_000_000_250_000n;
const time = (index: number): bigint => START + 10_000n * BigInt(index);

/** Ethernet or cooked header, IPv4 and UDP, to port 5500 by default; an 802.11 packet is unchanged. */
function packetOf(payload: Uint8Array, { linkType = 1, port = 5500 }: Options): Buffer {
  if (linkType === 127 || linkType === 105) return Buffer.from(payload);
  const link = linkType === 113 ? 16 : 14;
  const packet = Buffer.alloc(link + 28 + payload.length);
  packet.writeUInt8(0x45, link);
  packet.writeUInt16BE(28 + payload.length, link + 2);
  packet.writeUInt8(17, link + 9);
  packet.writeUInt16BE(5500, link + 20);
  packet.writeUInt16BE(port, link + 22);
  packet.writeUInt16BE(8 + payload.length, link + 24);
  packet.set(payload, link + 28);
  return packet;
}

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
  const { little = true, nano = false, linkType = 1 } = options;
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
  const resolution = Buffer.from(little ? [9, 0, 1, 0, 9, 0, 0, 0] : [0, 9, 0, 1, 9, 0, 0, 0]);
  const port = block(
    1,
    Buffer.concat([words(little, link, 65_535), ...(nano ? [resolution, Buffer.alloc(4)] : [])]),
  );
  const packets = payloads.map((payload, i) => {
    const packet = packetOf(payload, options);
    const stamp = time(i) * (nano ? 1000n : 1n);
    const head = words(
      little,
      0,
      Number(stamp >> 32n),
      Number(stamp & 0xffffffffn),
      packet.length,
      packet.length,
    );
    return block(6, Buffer.concat([head, packet]));
  });
  return Buffer.concat([section, port, ...packets]);
}
