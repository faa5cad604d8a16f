import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { loadZstd } from '../base/zstd.js';
import { loadKafka } from './library.js';

/** Largest unpacked batch of records, bytes. By default, brokers accept 1 MiB of packed data at a time. */
const MAX_UNPACKED_BYTES = 128 * 2 ** 20;

/** The interface of a kafkajs codec; `encoder.buffer` holds the records of a batch. */
interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(packed: Buffer): Promise<Buffer>;
}

/** kafkajs ships only GZIP, without a size limit. Replaces it with a limited one, and adds Snappy, LZ4 and ZSTD. */
export async function registerCodecs(): Promise<void> {
  const { CompressionCodecs, CompressionTypes } = await loadKafka();
  const codecs = CompressionCodecs as Record<number, () => Codec>;
  codecs[CompressionTypes.GZIP] = () => zipped;
  codecs[CompressionTypes.Snappy] = () => snappy;
  codecs[CompressionTypes.LZ4] = () => lz4;
  codecs[CompressionTypes.ZSTD] = () => zstd;
}

export const zipped: Codec = {
  compress: ({ buffer }) => promisify(gzip)(buffer),
  decompress: (packed) =>
    promisify<Buffer, object, Buffer>(gunzip)(packed, { maxOutputLength: MAX_UNPACKED_BYTES }),
};

/** Before the blocks of snappy-java's stream: a magic word, its version and the oldest that reads it. */
const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER = Buffer.concat([XERIAL_MAGIC, Buffer.from([0, 0, 0, 1, 0, 0, 0, 1])]);
const XERIAL_BLOCK_BYTES = 32_768;

/**
 * Blocks as Kafka's own clients write them (snappy-java's stream); librdkafka writes one bare block, which is
 * also accepted.
 */
export const snappy: Codec = {
  compress: async ({ buffer }) => {
    const { compress } = await import('snappyjs');
    const parts: Uint8Array[] = [XERIAL_HEADER];
    for (let start = 0; start < buffer.length; start += XERIAL_BLOCK_BYTES) {
      const block = compress(buffer.subarray(start, start + XERIAL_BLOCK_BYTES));
      const length = Buffer.alloc(4);
      length.writeInt32BE(block.length);
      parts.push(length, block);
    }
    return Buffer.concat(parts);
  },
  decompress: async (packed) => {
    const { uncompress } = await import('snappyjs');
    if (!packed.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC))
      return uncompress(packed, MAX_UNPACKED_BYTES);
    const parts: Buffer[] = [];
    let size = 0;
    for (let at = XERIAL_HEADER.length; at < packed.length;) {
      const end = at + 4 + packed.readInt32BE(at);
      if (end > packed.length || end <= at + 4) throw new Error('a block of a Snappy stream is cut off');
      const part = uncompress(packed.subarray(at + 4, end), MAX_UNPACKED_BYTES - size);
      parts.push(part);
      size += part.length;
      at = end;
    }
    return Buffer.concat(parts, size);
  },
};

/** Frames of LZ4 with independent blocks, the only ones that Kafka accepts. */
export const lz4: Codec = {
  compress: async ({ buffer }) => {
    const { compressFrame } = await import('lz4-napi');
    return compressFrame(buffer);
  },
  decompress: async (packed) => {
    if (mostUnpacked(packed) > MAX_UNPACKED_BYTES)
      throw new Error(`an LZ4 frame may hold more than ${MAX_UNPACKED_BYTES} bytes`);
    const { decompressFrame } = await import('lz4-napi');
    return decompressFrame(packed);
  },
};

const LZ4_MAGIC = 0x184d2204;

/** Upper limit of what the blocks of an LZ4 frame can hold, bytes (LZ4 Frame Format 1.6.4). */
function mostUnpacked(packed: Buffer): number {
  if (packed.length < 7 || packed.readUInt32LE(0) !== LZ4_MAGIC) throw new Error('it is not an LZ4 frame');
  const [flags, sizes] = [packed[4]!, packed[5]!];
  const largest = 2 ** (8 + 2 * ((sizes >> 4) & 7));
  const hasChecksums = (flags & 0x10) !== 0;
  let blocks = 0;
  // Magic word, flags, sizes, and a byte that checks them; between them the size of the content, and of a dictionary.
  for (let at = 7 + (flags & 0x08 ? 8 : 0) + (flags & 0x01 ? 4 : 0); at + 4 <= packed.length; blocks++) {
    const length = packed.readUInt32LE(at) & 0x7fff_ffff;
    if (length === 0) break;
    at += 4 + length + (hasChecksums ? 4 : 0);
  }
  return blocks * largest;
}

export const zstd: Codec = {
  compress: async ({ buffer }) => {
    const { compress } = await loadZstd();
    return Buffer.from(compress(buffer, 3));
  },
  decompress: async (packed) => {
    const { decompress } = await loadZstd();
    // Frames of streams do not state their unpacked size.
    for (let size = Math.max(2 ** 20, 8 * packed.length); ; size *= 4) {
      try {
        return Buffer.from(decompress(packed, { defaultHeapSize: Math.min(size, MAX_UNPACKED_BYTES) }));
      } catch (error) {
        if (size >= MAX_UNPACKED_BYTES) throw error;
      }
    }
  },
};
