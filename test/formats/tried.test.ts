import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openRecording } from '../../pipeline/sources/recording.js';
import { SAMPLES } from './samples.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-tried-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const answerTo = async (bytes: Uint8Array): Promise<string> => {
  const path = join(folder, 'unknown');
  writeFileSync(path, bytes);
  return openRecording(path).then(
    () => 'opened',
    (error: unknown) => (error as Error).message,
  );
};
const garbage = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 89 + 7) & 0x7f));

test.each(['picoscenes', 'feitcsi', 'atheros', 'esp-framed'])(
  'after garbage, %s is reported as the closest format, and can be named',
  async (format) => {
    const { records, kind } = SAMPLES.find((sample) => sample.format === format)!;
    const bytes = Buffer.concat([garbage, ...records]);
    expect(await answerTo(bytes)).toMatch(
      new RegExp(
        `the most similar kind is ${kind}, which finds 1[12] records in the first ${bytes.length} bytes`,
      ),
    );
    const named = await openRecording(join(folder, 'unknown'), kind!);
    const found = [];
    for await (const { raw } of named.batches(100)) found.push(raw.count);
    expect(found.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(11);
  },
);

test.each([
  ['SQLite format 3\0', 'it is an SQLite database'],
  ['\x89MCAP0\r\n', 'it is an MCAP recording'],
  ['1.5,2.5,3.5\n1.0,2.0,3.0\n', 'none finds a record in its first 24 bytes'],
])('%j is named', async (text, expected) => {
  const answer = await answerTo(Buffer.from(text, 'latin1'));
  expect(answer).toContain(expected);
  expect(answer).toContain('Kinds tried:\n  capture: ');
});
