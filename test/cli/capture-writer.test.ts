import fc from 'fast-check';
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { CaptureWriter } from '../../api/cli/recordings/capture-writer.js';
import { writingFile } from '../../api/cli/recordings/errors.js';
import { stretchOf } from '../../api/cli/recordings/stretch.js';
import { codedError } from '../../pipeline/base/error-text.js';
import { EXIT } from '../../pipeline/base/exit.js';
import { encodeHeader, encodeRecords, type CaptureMeta } from '../../pipeline/formats/containers/capture.js';
import { openRecording } from '../../pipeline/sources/recording.js';
import { batchesOf, batchOf, type TestRecord } from '../formats/batches.js';
import { temporaryFolder } from '../support/flow.js';

const META: CaptureMeta = { format: 'adr018', origin: 'replay' };
const STEP = 1_000;
const records = (from: number, to: number, length = 30): TestRecord[] =>
  Array.from({ length: to - from }, (_, i) => ({
    bytes: new Uint8Array(length + ((from + i) % 7)).fill(from + i),
    time: 1e15 + (from + i) * STEP,
  }));

/** Times of all records, in steps, and codes of problems. */
async function contentOf(path: string): Promise<{ readonly steps: number[]; readonly problems: string[] }> {
  const recording = await openRecording(path);
  const [steps, problems]: [number[], string[]] = [[], []];
  for await (const batch of recording.batches(100)) {
    steps.push(...[...batch.raw.time].map((time) => (time - 1e15) / STEP));
    problems.push(...batch.problems.map(({ code }) => code));
  }
  return { steps, problems };
}

async function append(path: string, from: number, to: number): Promise<void> {
  const writer = await CaptureWriter.append(path, META);
  await writer.write(batchOf(...records(from, to)));
  await writer.close();
}

test('recording continues after the last complete record of a truncated capture', async () => {
  const path = join(temporaryFolder(), 'a.csi');
  const header = encodeHeader(META);
  const whole = Buffer.concat([header, ...batchesOf(records(0, 20)).map(encodeRecords)]);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: header.length, max: whole.length }), async (cut) => {
      writeFileSync(path, whole.subarray(0, cut));
      const { steps } = await contentOf(path);
      await append(path, 30, 33);
      expect(await contentOf(path)).toEqual({ steps: [...steps, 30, 31, 32], problems: [] });
    }),
    { numRuns: 30 },
  );
});

test('times of a capture never decrease, even if the clock was set back between two runs', async () => {
  const path = join(temporaryFolder(), 'a.csi');
  const writer = await CaptureWriter.create(path, META, false);
  await writer.write(batchOf(...records(10, 12)));
  await writer.close();
  await append(path, 5, 7);
  await append(path, 11, 13);
  expect((await contentOf(path)).steps).toEqual([10, 11, 11, 11, 11, 12]);
});

test('damage in the middle stays; rejects other records, compressed files and other files', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a.csi');
  const writer = await CaptureWriter.create(path, META, false);
  await writer.write(batchOf(...records(0, 9)));
  await writer.close();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.with(200, bytes[200]! ^ 1));
  const { size } = statSync(path);
  await append(path, 20, 21);
  const { steps, problems } = await contentOf(path);
  expect([steps.length, steps.at(-1), problems]).toEqual([9, 20, ['capture.damaged']]);
  expect(statSync(path).size).toBeGreaterThan(size);
  await expect(CaptureWriter.append(path, { ...META, format: 'nexmon' })).rejects.toThrow(
    /it contains records of adr018, replay; these are nexmon, replay: choose another file/,
  );
  writeFileSync(join(folder, 'b.csi'), gzipSync(bytes));
  await expect(CaptureWriter.append(join(folder, 'b.csi'), META)).rejects.toThrow(
    /it is not a capture, or it is packed/,
  );
});

test('a capture whose records are detected takes records of any format, and stays one', async () => {
  const path = join(temporaryFolder(), 'a.csi');
  writeFileSync(path, encodeHeader({ ...META, format: 'auto' }));
  for (const format of ['adr018', 'nexmon', 'auto', undefined]) {
    const writer = await CaptureWriter.append(path, { format, origin: META.origin });
    expect(writer.format).toBe('auto');
    await writer.close();
  }
  await expect(CaptureWriter.append(path, { format: 'adr018', origin: 'simulated' })).rejects.toThrow(
    /it contains records of auto, replay; these are adr018, simulated/,
  );
  writeFileSync(path, encodeHeader(META));
  await expect(CaptureWriter.append(path, { ...META, format: 'auto' })).rejects.toThrow(
    /it contains records of adr018, replay; these are auto, replay/,
  );
});

test('a period is found in a long capture without reading what precedes it, damaged or not', async () => {
  const path = join(temporaryFolder(), 'a.csi');
  writeFileSync(path, encodeHeader(META));
  for (const batch of batchesOf(records(0, 2_000, 500), 500)) appendFileSync(path, encodeRecords(batch));
  const bytes = readFileSync(path);
  // A megabyte, part of it unreadable.
  bytes.fill(0xee, 400_000, 480_000);
  const damaged = join(temporaryFolder(), 'b.csi');
  writeFileSync(damaged, bytes);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(path, damaged),
      fc.integer({ min: -5, max: 2_005 }),
      fc.nat(50),
      async (file, start, length) => {
        const recording = await openRecording(file);
        const [from, to] = [1e15 + start * STEP, 1e15 + (start + length) * STEP];
        const near = await recording.positionNear!(from);
        const all = (await contentOf(file)).steps;
        const found: number[] = [];
        for await (const { raw } of stretchOf(recording, from, to)) found.push(...raw.time);
        expect(found.map((time) => (time - 1e15) / STEP)).toEqual(
          all.filter((step) => step >= start && step < start + length),
        );
        const before = all.filter((step) => step < start).length;
        expect(near.offset).toBeGreaterThan(file === path ? before * 520 - 140_000 : -1);
      },
    ),
    { numRuns: 30 },
  );
  truncateSync(path, statSync(path).size - 10);
  await append(path, 3_000, 3_001);
  expect((await contentOf(path)).steps.slice(-2)).toEqual([1_998, 3_000]);
});

test.skipIf(!existsSync('/dev/full'))('a capture that a full disk refuses is named', async () => {
  await expect(CaptureWriter.create('/dev/full', META, true)).rejects.toMatchObject({
    exitCode: EXIT.unavailable,
    message: expect.stringMatching(/^\/dev\/full cannot be written: ENOSPC/) as string,
  });
});

test.each([false, true])(
  'a capture whose header cannot be written leaves no file (overwrite: %s)',
  async (overwrite) => {
    const path = join(temporaryFolder(), 'a.csi');
    const some = await open(import.meta.filename);
    await some.close();
    vi.spyOn(Object.getPrototypeOf(some) as typeof some, 'write').mockRejectedValueOnce(
      Object.assign(codedError('ENOSPC', 'ENOSPC: no space left on device, write'), { errno: -28 }),
    );
    await expect(CaptureWriter.create(path, META, overwrite)).rejects.toThrow(
      `${path} cannot be written: ENOSPC`,
    );
    expect(existsSync(path)).toBe(false);
    await (await CaptureWriter.create(path, META, false)).close();
  },
);

test('an error of Node that the disk did not cause keeps its stack', async () => {
  const bug = (): Promise<void> => writeFile('a.csi', 5 as never);
  await expect(writingFile('a.csi', bug)).rejects.toMatchObject({
    code: 'ERR_INVALID_ARG_TYPE',
    message: expect.stringMatching(/^The "data" argument/) as string,
  });
});
