import { DuckDBInstance } from '@duckdb/node-api';
import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { file } from '../../sinks/file.js';
import { testContext } from '../support/context.js';
import { HOP, measure, poseFrame, START } from '../support/records.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'csiflow-file-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function openFile(config: object = {}): Promise<Sink> {
  const { context } = testContext({ folder });
  const sink = file.create(
    { path: 'out.ndjson', format: 'ndjson', rotate_bytes: 1e9, rotate_ms: 3_600_000, ...config },
    context,
  );
  await sink.open();
  return sink;
}

const outputs = async () => (await readdir(folder)).filter((name) => /\.(ndjson|parquet)$/.test(name)).sort();

async function content(): Promise<number[]> {
  const texts = await Promise.all((await outputs()).map((name) => readFile(join(folder, name), 'utf8')));
  return texts
    .join('')
    .split('\n')
    .slice(0, -1)
    .map((line) => ((JSON.parse(line) as { time: number }).time - START) / HOP);
}

test('each record is a JSON line; records that JSON cannot hold are refused', async () => {
  const sink = await openFile();
  const failures = await sink.write([poseFrame(0), measure(1, { value: NaN }), measure(2)], 1);
  await sink.flush();
  expect(failures.map(({ reason }) => reason)).toEqual(['value is NaN: JSON holds finite numbers only']);
  expect(await content()).toEqual([0, 2]);
  await sink.close();
});

test('a file is followed by the next at its size, its time, and its date', async () => {
  const bySize = await openFile({ path: 'size.ndjson', rotate_bytes: 1_024 });
  await bySize.write(
    Array.from({ length: 20 }, (_, index) => measure(index)),
    1,
  );
  await bySize.close();
  expect((await outputs()).length).toBeGreaterThan(2);
  const byTime = await openFile({ path: 'time.ndjson', rotate_ms: 1_000 });
  await byTime.write([measure(0), measure(9), measure(10)], 1);
  await byTime.close();
  expect((await outputs()).filter((name) => name.startsWith('time'))).toHaveLength(2);
  const day = 864_000;
  const byDate = await openFile({ path: 'd-{date}.ndjson', rotate_ms: 31 * 86_400_000 });
  await byDate.write([measure(0), measure(day)], 1);
  await byDate.close();
  expect((await outputs()).filter((name) => name.startsWith('d-'))).toEqual([
    'd-2023-11-14.000000.ndjson',
    'd-2023-11-15.000001.ndjson',
  ]);
});

test('rewinding cuts files back to the epoch, over rotations and restarts', async () => {
  for (const keep of [0, 1, 2, 3, 4]) {
    const config = { path: `r${keep}.ndjson`, rotate_ms: 1_000 };
    const first = await openFile(config);
    for (const epoch of [1, 2, 3])
      await first.write(
        Array.from({ length: 7 }, (_, index) => measure(epoch * 7 + index)),
        epoch,
      );
    await first.flush();
    // Killed here, in the middle of a line.
    const last = (await outputs()).filter((name) => name.startsWith(`r${keep}`)).at(-1)!;
    if (keep < 3) await appendFile(join(folder, last), '{"port":"mea');
    const second = await openFile(config);
    await second.rewind!(keep);
    for (let epoch = keep + 1; epoch <= 3; epoch++)
      await second.write(
        Array.from({ length: 7 }, (_, index) => measure(epoch * 7 + index)),
        epoch,
      );
    await second.close();
    await first.close();
    expect(await content()).toEqual(Array.from({ length: 21 }, (_, index) => index + 7));
    for (const name of await outputs()) await rm(join(folder, name));
  }
});

test('a Parquet file is written once its time is over and a checkpoint covers it', async () => {
  const sink = await openFile({ path: 'p.parquet', format: 'parquet', rotate_ms: 1_000 });
  for (const epoch of [1, 2, 3]) {
    await sink.write(
      Array.from({ length: 20 }, (_, index) => measure((epoch - 1) * 20 + index)),
      epoch,
    );
    await sink.flush();
    expect(await outputs()).toHaveLength(epoch < 3 ? 0 : 1);
  }
  await sink.rewind!(1);
  for (const epoch of [2, 3, 4])
    await sink.write(
      Array.from({ length: 20 }, (_, index) => measure((epoch - 1) * 20 + index)),
      epoch,
    );
  await sink.flush();
  await sink.close();
  const files = await outputs();
  expect(files).toEqual([
    'p.measures.20231114T221320Z.parquet',
    'p.measures.20231114T221321Z.parquet',
    'p.measures.20231114T221322Z.parquet',
  ]);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const rows = await connection.runAndReadAll(`SELECT count(*) FROM '${join(folder, '*.parquet')}'`);
  expect(rows.getRows()).toEqual([[30n]]);
  connection.closeSync();
  instance.closeSync();
});
