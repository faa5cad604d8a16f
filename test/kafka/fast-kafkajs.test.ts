import { createRequire } from 'node:module';
import { expect, test, vi } from 'vitest';
import { crc32c } from '../../pipeline/kafka/crc32c.js';
import { loadKafka } from '../../pipeline/kafka/index.js';

const require = createRequire(import.meta.url);

/** What kafkajs writes requests into. */
type Encoder = new () => {
  readonly buffer: Buffer;
  writeInt32(value: number): void;
  writeBuffer(value: Buffer): void;
};

async function encoderOf(): Promise<Encoder> {
  await loadKafka();
  return require('kafkajs/src/protocol/encoder') as Encoder;
}

test('the checksum is that of RFC 3720, for all lengths', () => {
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
  expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
  const bytes = Uint8Array.from({ length: 40 }, (_, i) => (i * i * 37) & 0xff);
  for (let length = 0; length <= bytes.length; length++)
    expect(crc32c(bytes.subarray(0, length))).toBe(bitByBit(bytes.subarray(0, length)));
});

test('kafkajs uses it', async () => {
  await loadKafka();
  expect(require('kafkajs/src/protocol/recordBatch/crc32C')).toBe(crc32c);
});

test('kafkajs writes small and large values as they are', async () => {
  const Encoder = await encoderOf();
  const encoder = new Encoder();
  const parts = [3, 700, 100_000, 5, 300_000, 600].map((size) => Buffer.alloc(size, size % 251));
  for (const part of parts) {
    encoder.writeInt32(part.length);
    encoder.writeBuffer(part);
  }
  const expected = parts.flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(part.length);
    return [length, part];
  });
  expect(encoder.buffer.equals(Buffer.concat(expected))).toBe(true);
});

test('kafkajs does not copy what is written once more for each of many large values', async () => {
  const encoder = new (await encoderOf())();
  const allocated = vi.spyOn(Buffer, 'allocUnsafeSlow');
  const value = Buffer.alloc(100_000);
  for (let count = 0; count < 100; count++) encoder.writeBuffer(value);
  const bytes = allocated.mock.calls.reduce((sum, [size]) => sum + size, 0);
  expect(bytes).toBeLessThan(4 * encoder.buffer.length);
});

function bitByBit(bytes: Uint8Array): number {
  let rest = -1;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0x82f63b78 : rest >>> 1;
  }
  return ~rest >>> 0;
}
