import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesMatching } from '../../pipeline/base/file-pattern.js';
import type { Position, SourceBatch } from '../../pipeline/component/index.js';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import { encodeLine } from '../../pipeline/formats/devices/espressif/esp32-serial.js';
import { file } from '../../pipeline/sources/file/file.js';
import { batchesOf } from '../formats/batches.js';
import { START } from '../kit/csi-input.js';
import { afterThisTest } from '../support/clean-up.js';
import { testContext } from '../support/context.js';
import { collector } from './outputs.js';

const DEFAULTS = {
  ...{ format: 'auto' as const, records: 'auto', speed: 0, loop: false, batch_records: 4 },
  ...{ follow: false, poll_ms: 10 },
};

async function makeFolder(files: Readonly<Record<string, Uint8Array | string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-pattern-'));
  afterThisTest(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'sub'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

const capture = (from: number, to: number): Buffer => {
  const records = Array.from({ length: to - from }, (_, i) => ({
    bytes: encodePairs(
      { node: 1, bins: 64, mhz: 2437, sequence: from + i, rssi: -40, noise: -90 },
      new Int8Array(128),
    ),
    time: START + (from + i) * 5000,
  }));
  const parts = batchesOf(records, 3).map(encodeRecords);
  return Buffer.concat([encodeHeader({ format: 'adr018', origin: 'replay' }), ...parts]);
};
const serialLog = (count: number): string =>
  Array.from({ length: count }, (_, sequence) =>
    encodeLine({ sequence, timeMs: sequence * 10, rssi: -40 }, [Array<number>(104).fill(3)]),
  ).join('\n');

async function play(
  folder: string,
  path: string,
  position: Position = null,
  after = Infinity,
  startTime?: string,
) {
  const { context, recorded } = testContext({ folder });
  const start = startTime === undefined ? {} : { start_time: startTime };
  const source = file.create({ ...DEFAULTS, path, loop: after < Infinity, ...start }, context);
  const { output, batches } = collector(after);
  await source.open(position, output);
  return { batches, recorded, source };
}

const timesOf = (batches: readonly SourceBatch[]): number[] => batches.flatMap(({ raw }) => [...raw!.time]);
const numbersOf = (batches: readonly SourceBatch[]) => timesOf(batches).map((time) => (time - START) / 5000);
const upTo = (to: number) => Array.from({ length: to }, (_, i) => i);

it('plays the files of a pattern in natural order, and resumes from any position', async () => {
  const folder = await makeFolder({
    ...{ 'part-10.csi': capture(14, 20), 'part-2.csi': capture(5, 14), 'part-1.csi': capture(0, 5) },
    ...{ 'other.txt': 'no recording' },
  });
  const { batches, source } = await play(folder, 'part-*.csi');
  expect(numbersOf(batches)).toEqual(upTo(20));
  expect(source.describe!()).toMatchObject({ file: join(folder, 'part-10.csi'), files: 3, records: 20 });
  for (const [i, { position }] of batches.entries()) {
    const rest = await play(folder, 'part-*.csi', JSON.parse(JSON.stringify(position)) as Position);
    expect(timesOf([...batches.slice(0, i + 1), ...rest.batches])).toEqual(timesOf(batches));
  }
});

it('continues after a file that is missing', async () => {
  const folder = await makeFolder({ '1.csi': capture(0, 8), '2.csi': capture(8, 12) });
  const { batches } = await play(folder, '*.csi');
  await rm(join(folder, '1.csi'));
  const rest = await play(folder, '*.csi', batches[0]!.position);
  expect(numbersOf(rest.batches)).toEqual([8, 9, 10, 11]);
  expect(rest.recorded.lines[0]!.message).toMatch(/1\.csi no longer exists/);
});

it('moves a file with earlier times after the one before it, and warns about times of day', async () => {
  const folder = await makeFolder({
    ...{ 'a.csi': capture(1000, 1005), 'b.csi': capture(0, 5), 'c.csi': capture(2000, 2002) },
    ...{ '1.log': serialLog(5), '2.log': serialLog(5) },
  });
  const { batches, recorded } = await play(folder, '*.csi');
  const times = timesOf(batches);
  expect(times.slice(5, 7)).toEqual([times[4]! + 50_000, times[4]! + 55_000]);
  // Later recordings keep their time.
  expect(times.slice(10)).toEqual([START + 2000 * 5000, START + 2001 * 5000]);
  expect(recorded.lines.map(({ message }) => message)).toEqual([
    expect.stringMatching(/b\.csi: its times do not follow/) as string,
  ]);
  const logs = await play(folder, '*.log');
  const steps = timesOf(logs.batches).flatMap((time, i, all) => (i === 0 ? [] : [time - all[i - 1]!]));
  expect(steps).toEqual([10, 10, 10, 10, 50, 10, 10, 10, 10].map((ms) => ms * 1000));
  expect(logs.recorded.lines).toEqual([]);
});

it('plays all of them in a loop with increasing event time', async () => {
  const folder = await makeFolder({ '1.csi': capture(0, 4), '2.csi': capture(4, 8) });
  const { batches } = await play(folder, '*.csi', null, 20);
  const times = timesOf(batches);
  expect(times.every((time, i) => i === 0 || time > times[i - 1]!)).toBe(true);
});

it.each([
  ['no-*.csi', /no-\*\.csi: no file matches this pattern/],
  ['{1.csi,text.log}', /text\.log: its records are esp32-serial, those of .*1\.csi adr018/],
])('rejects %s with its name', async (pattern, message) => {
  const folder = await makeFolder({ '1.csi': capture(0, 4), 'text.log': serialLog(4) });
  await expect(play(folder, pattern)).rejects.toThrow(message);
});

it('skips and counts empty files, and takes brackets in a name literally', async () => {
  const folder = await makeFolder({
    '1.csi': '',
    '2.csi': capture(0, 4),
    'room [1].csi': capture(4, 6),
  });
  const { batches, recorded } = await play(folder, '?.csi');
  expect(numbersOf(batches)).toEqual(upTo(4));
  expect(recorded.dropped).toEqual({ 'file.empty': 1 });
  expect(numbersOf((await play(folder, 'room [1].csi')).batches)).toEqual([4, 5]);
});

it('a pattern does not leave its folder, nor follow links out of it', async () => {
  const folder = await makeFolder({ 'out.csi': '1', 'sub/in.csi': '1' });
  const other = await makeFolder({ 'far.csi': '1' });
  await symlink(other, join(folder, 'sub', 'link'));
  expect(filesMatching(join(folder, 'sub', '**'))).toEqual([join(folder, 'sub', 'in.csi')]);
  expect(filesMatching(`${folder}/sub/{..,link}/*.csi`)).toEqual([]);
  expect(filesMatching(join(folder, 'none', '*.csi'))).toEqual([]);
});

it('places the first record at its start time, and later files at the recorded distance', async () => {
  const folder = await makeFolder({
    ...{ '1.csi': capture(0, 8), '2.csi': capture(20, 24), '3.csi': capture(0, 4) },
  });
  const startTime = '2026-01-01T10:00:00.000250Z';
  const start = Date.parse('2026-01-01T10:00:00Z') * 1000 + 250;
  const { batches, recorded } = await play(folder, '*.csi', null, Infinity, startTime);
  const numbers = [...upTo(8), 20, 21, 22, 23];
  const moved = upTo(4).map((i) => 23 + 10 + i);
  expect(timesOf(batches)).toEqual([...numbers, ...moved].map((number) => start + number * 5000));
  expect(recorded.lines.map(({ message }) => message)).toEqual([expect.stringMatching(/3\.csi: .*shifted/)]);
  for (const [i, { position }] of batches.entries()) {
    const at = JSON.parse(JSON.stringify(position)) as Position;
    const rest = await play(folder, '*.csi', at, Infinity, startTime);
    expect(timesOf([...batches.slice(0, i + 1), ...rest.batches])).toEqual(timesOf(batches));
  }
});

it('loops from its start time', async () => {
  const folder = await makeFolder({ '1.csi': capture(0, 4) });
  const { batches } = await play(folder, '1.csi', null, 6, '2026-01-01T10:00:00Z');
  const times = timesOf(batches);
  expect(times[0]).toBe(Date.parse('2026-01-01T10:00:00Z') * 1000);
  expect(times[4]! - times[3]!).toBe(50_000);
});

it('rejects an invalid start time, and one for a followed file', () => {
  const of = (settings: object) =>
    file.check!({ ...DEFAULTS, path: 'a.dat', ...settings }).map(({ message }) => message);
  expect(of({ start_time: '2026-01-01T10:00:00Z' })).toEqual([]);
  expect(of({ start_time: 'noon' })).toEqual(['noon is not a time: use the form 2026-01-01T00:00:00Z']);
  expect(of({ start_time: '2026-01-01', follow: true })).toEqual([
    'a followed file is being written now: omit `start_time`',
  ]);
});
