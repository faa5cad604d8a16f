import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { isGzipDamage, unpackedFile } from '../../pipeline/sources/unpacked.js';
import { damaged, openRecording } from '../../pipeline/sources/recording.js';
import { temporaryFolder } from '../support/flow.js';

/** Hardly compressible, so that a byte of the file is about a byte of the content. */
const LINES = Array.from({ length: 1000 }, (_, i) =>
  Array.from({ length: 12 }, (_, k) => (((i * 7919 + k * 104_729) % 99_991) / 7).toFixed(6)).join(','),
);
const CONTENT = Buffer.from(`${LINES.join('\n')}\n`);
const PACKED = gzipSync(CONTENT);

async function unpackedOf(packed: Buffer): Promise<{ readonly bytes: Buffer; readonly error: unknown }> {
  const path = join(temporaryFolder(), 'a.gz');
  writeFileSync(path, packed);
  const parts: Buffer[] = [];
  try {
    for await (const part of unpackedFile(path)) parts.push(part);
  } catch (error) {
    return { bytes: Buffer.concat(parts), error };
  }
  return { bytes: Buffer.concat(parts), error: null };
}

const flipped = (at: number): Buffer => {
  const copy = Buffer.from(PACKED);
  copy[at]! ^= 0xff;
  return copy;
};

test('a whole file is decompressed', async () => {
  const { bytes, error } = await unpackedOf(PACKED);
  expect([bytes.equals(CONTENT), error]).toEqual([true, null]);
});

test.each([
  ['a wrong checksum', flipped(PACKED.length - 6), 1],
  ['a truncated end', PACKED.subarray(0, PACKED.length - 20), 100],
  ['half of it', PACKED.subarray(0, PACKED.length >> 1), CONTENT.length * 0.55],
])('of a file with %s, what comes before is decompressed', async (_, packed, missing) => {
  const { bytes, error } = await unpackedOf(packed);
  expect(isGzipDamage(error)).toBe(true);
  expect(bytes.equals(CONTENT.subarray(0, bytes.length))).toBe(true);
  expect(bytes.length).toBeGreaterThan(CONTENT.length - missing);
});

test('of a file with damage within, the bytes up to it are decompressed', async () => {
  // A block of the reserved type, behind what is stored without compression.
  const before = CONTENT.subarray(0, 3 * 16_384 + 100);
  const stored = gzipSync(before, { level: 0 });
  // A member of its own decompresses to much more than its bytes.
  const zeros = gzipSync(Buffer.alloc(200_000));
  const bad = Buffer.from([...gzipSync('').subarray(0, 10), 0x07]);
  const { bytes, error } = await unpackedOf(Buffer.concat([stored, zeros, bad, PACKED]));
  expect(isGzipDamage(error)).toBe(true);
  expect(bytes.equals(Buffer.concat([before, Buffer.alloc(200_000)]))).toBe(true);
});

/** Ends within the last number of a line, so that the line has all its numbers. */
async function truncatedInLastNumber(): Promise<Buffer> {
  for (let size = PACKED.length >> 1; ; size--) {
    const packed = PACKED.subarray(0, size);
    const last = (await unpackedOf(packed)).bytes.toString().split('\n').at(-1)!.split(',');
    if (last.length === 12 && /\d$/.test(last.at(-1)!)) return packed;
  }
}

test('a table in a truncated file has the rows before its end, and where that is', async () => {
  const path = join(temporaryFolder(), 'a.csv.gz');
  const packed = await truncatedInLastNumber();
  writeFileSync(path, packed);
  const { bytes } = await unpackedOf(packed);
  const recording = await openRecording(path, 'auto', { rate_hz: 100 });
  const batches = [];
  for await (const batch of recording.batches(1000)) batches.push(batch);
  const whole = bytes.toString().split('\n').length - 1;
  // The last line may lack digits of its last number.
  expect(batches[0]!.raw.count).toBe(whole);
  expect(batches[0]!.problems[0]).toEqual({
    code: 'table.unread',
    location: `byte ${bytes.length}`,
    message: 'not read: the gzip data is damaged or truncated from here',
  });
});

test('a table whose checksum is wrong is refused: any of its values may be', async () => {
  const path = join(temporaryFolder(), 'a.csv.gz');
  writeFileSync(path, flipped(PACKED.length - 6));
  await expect(openRecording(path, 'auto', { rate_hz: 100 })).rejects.toThrow(
    /a\.csv\.gz: its checksum is wrong, so any value may be/,
  );
});

test('of a recording whose checksum is wrong, no byte is said to be whole', async () => {
  const { error } = await unpackedOf(flipped(PACKED.length - 6));
  expect(damaged(error, 'a.pcap.gz', 'pcap', 24).message).toBe(
    'a.pcap.gz: the checksum of the gzip data is wrong, so any byte of pcap may be; 24 bytes were read',
  );
});
