import { DuckDBInstance } from '@duckdb/node-api';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { file } from '../../sinks/file.js';
import { packageFile } from '../../pipeline/base/paths.js';
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

test('each record is a JSON line; rejects records that JSON cannot represent', async () => {
  const sink = await openFile();
  const failures = await sink.write([poseFrame(0), measure(1, { value: NaN }), measure(2)], 1);
  await sink.flush();
  expect(failures.map(({ reason }) => reason)).toEqual(['value is NaN: JSON supports only finite numbers']);
  expect(await content()).toEqual([0, 2]);
  await sink.close();
});

test('a record without a valid time is rejected, and the others are written', async () => {
  const sink = await openFile();
  const noTime = measure(0, { time: 'x' as never });
  const failures = await sink.write([noTime, measure(1), noTime], 1);
  await sink.flush();
  expect(failures.map(({ record }) => record)).toEqual([noTime, noTime]);
  expect(failures[0]!.reason).toBe('time is x: it must be a number of microseconds since 1970');
  expect(await content()).toEqual([1]);
  await sink.close();
});

test('a file rotates by size, time and date', async () => {
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

test('rewinding cuts files back to the epoch, across rotations and restarts', async () => {
  for (const keep of [0, 1, 2, 3, 4]) {
    const config = { path: `r${keep}.ndjson`, rotate_ms: 1_000 };
    const first = await openFile(config);
    for (const epoch of [1, 2, 3])
      await first.write(
        Array.from({ length: 7 }, (_, index) => measure(epoch * 7 + index)),
        epoch,
      );
    await first.flush();
    await first.close();
    // A kill in the middle of a line.
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
    expect(await content()).toEqual(Array.from({ length: 21 }, (_, index) => index + 7));
    for (const name of await outputs()) await rm(join(folder, name));
  }
});

test('a Parquet file is written once its period is over and a checkpoint covers it', async () => {
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
  const files = await outputs();
  expect(files).toEqual([
    'p.measures.20231114T221320Z.parquet',
    'p.measures.20231114T221321Z.parquet',
    'p.measures.20231114T221322Z.parquet',
  ]);
  expect(await parquetTimes()).toHaveLength(30);
  await sink.close();
});

test('closing writes the rest to Parquet; a resumed run writes it again or rewinds it', async () => {
  const config = { path: 'p.parquet', format: 'parquet', rotate_ms: 1_000 };
  const write = async (sink: Sink, from: number, to: number, epoch: number) =>
    sink.write(
      Array.from({ length: to - from }, (_, index) => measure(from + index)),
      epoch,
    );
  const whole = (to: number) => Array.from({ length: to }, (_, index) => index);
  const first = await openFile(config);
  await write(first, 0, 13, 1);
  await write(first, 13, 15, 2);
  await first.close();
  expect(await parquetTimes()).toEqual(whole(15));
  const second = await openFile(config);
  await second.rewind!(1);
  expect(await parquetTimes()).toEqual(whole(10));
  await second.close();
  expect(await parquetTimes()).toEqual(whole(13));
  const third = await openFile(config);
  await write(third, 13, 42, 2);
  await third.flush();
  await third.close();
  expect(await parquetTimes()).toEqual(whole(42));
});

/** Frame numbers of all rows of `measures` in Parquet files, in order. */
async function parquetTimes(): Promise<number[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const rows = await connection.runAndReadAll(
    `SELECT epoch_us("time") FROM '${join(folder, '*.parquet')}' ORDER BY 1`,
  );
  connection.closeSync();
  instance.closeSync();
  return rows.getRows().map(([time]) => (Number(time) - START) / HOP);
}

test('a process killed while writing NDJSON leaves complete epochs after the rewind', async () => {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', FILE_WRITER, folder, packageFile('dist')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exited = once(child, 'exit');
  let flushed = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, epoch] = line.split(' ');
    if (word === 'flushed') flushed = Number(epoch);
    if (flushed >= 3 && word === 'writing') child.kill('SIGKILL');
  }
  await exited;
  const sink = await openFile({ rotate_ms: 2_500 });
  await sink.rewind!(flushed);
  await sink.close();
  expect(await content()).toEqual(Array.from({ length: flushed * 20 }, (_, index) => index));
});

/**
 * For `node -e`, called with a folder and csiflow's dist/: writes 20 measures per epoch from epoch 1 on,
 * until it is killed.
 */
const FILE_WRITER = `import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, dist] = process.argv.slice(1);
const { file } = await import(pathToFileURL(join(dist, 'sinks/file.js')).href);
const sink = file.create(
  { path: 'out.ndjson', format: 'ndjson', rotate_bytes: 1e9, rotate_ms: 2_500 },
  { folder },
);
await sink.open();
for (let epoch = 1; ; epoch++) {
  for (let index = 0; index < 20; index++) {
    if (index === 10) process.stdout.write(\`writing \${epoch}\\n\`);
    const time = ${START} + ((epoch - 1) * 20 + index) * ${HOP};
    await sink.write([{ port: 'measure', time, value: index }], epoch);
  }
  await sink.flush();
  process.stdout.write(\`flushed \${epoch}\\n\`);
}
`;

test.each([
  ['is gone', () => ({ text: null })],
  ['has lost its last line', (text: string) => ({ text: text.split('\n').slice(0, -2).join('\n') + '\n' })],
  ['has lost the end of its last line', (text: string) => ({ text: text.slice(0, -3) })],
])('names an index that %s, from the checkpoint', async (_, change) => {
  const first = await openFile();
  await first.write([measure(0), measure(1)], 1);
  await first.write([measure(2)], 2);
  await first.flush();
  const mark = first.mark!();
  await first.close();
  const index = join(folder, 'out.ndjson.index');
  const { text } = change(await readFile(index, 'utf8'));
  if (text === null) await rm(index);
  else await writeFile(index, text);
  const sink = await openFile();
  await expect(sink.rewind!(2, mark)).rejects.toMatchObject({
    code: 'store.damaged',
    message: expect.stringContaining(index) as string,
  });
  await sink.close();
  expect(await content()).toEqual([0, 1, 2]);
});

test('names a missing index line after the checkpoint, since its records would stay', async () => {
  const first = await openFile();
  await first.write([measure(0)], 1);
  await first.flush();
  const mark = first.mark!();
  await first.write([measure(1)], 2);
  await first.close();
  const index = join(folder, 'out.ndjson.index');
  const text = await readFile(index, 'utf8');
  await writeFile(index, text.slice(0, text.indexOf('\n') + 1));
  const sink = await openFile();
  await expect(sink.rewind!(1, mark)).rejects.toMatchObject({ code: 'store.damaged' });
  await sink.close();
  await writeFile(index, text);
  const whole = await openFile();
  await whole.rewind!(1, mark);
  await whole.close();
  expect(await content()).toEqual([0]);
});

test('files moved away with their index are started again; unknown files are not overwritten', async () => {
  const first = await openFile();
  await first.write([measure(0)], 1);
  await first.flush();
  const mark = first.mark!();
  await first.close();
  const path = join(folder, 'out.000000.ndjson');
  await rm(join(folder, 'out.ndjson.index'));
  const blind = await openFile();
  await expect(blind.write([measure(5)], 2)).rejects.toMatchObject({ code: 'store.damaged' });
  await blind.close();
  expect(await content()).toEqual([0]);
  await rm(path);
  await rm(join(folder, 'out.ndjson.index'));
  const reopened = await openFile();
  await reopened.rewind!(1, mark);
  await reopened.write([measure(6)], 2);
  await reopened.close();
  expect(await content()).toEqual([6]);
});

test('a folder that was moved continues with its own files, and ignores the old place', async () => {
  const first = await openFile();
  await first.write([measure(0)], 1);
  await first.flush();
  const mark = first.mark!();
  await first.write([measure(1)], 2);
  await first.close();
  const [place, old] = [folder, await content()];
  folder = await mkdtemp(join(tmpdir(), 'csiflow-file-'));
  await cp(place, folder, { recursive: true });
  const sink = await openFile();
  await sink.rewind!(1, mark);
  await sink.write([measure(2)], 2);
  await sink.close();
  expect(await content()).toEqual([0, 2]);
  await rm(folder, { recursive: true });
  folder = place;
  expect(await content()).toEqual(old);
});

test('names a damaged index and a truncated file, and writes nothing', async () => {
  const first = await openFile();
  await first.write([measure(0), measure(1)], 1);
  await first.write([measure(2)], 2);
  await first.close();
  const index = join(folder, 'out.ndjson.index');
  const text = await readFile(index, 'utf8');
  await writeFile(index, text.replace('"epoch":2', '"epoch":3'));
  await expect(openFile()).rejects.toMatchObject({
    code: 'store.damaged',
    message: expect.stringContaining(`${index}, line 2 is damaged`) as string,
  });
  await writeFile(index, text);
  await truncate(join(folder, 'out.000000.ndjson'), 10);
  await expect(openFile()).rejects.toMatchObject({ code: 'store.damaged' });
  await writeFile(index, text.replaceAll(/\t\w+/g, '').split('\n').slice(0, 1).join('') + '\n');
  // Written by an earlier csiflow.
  await (await openFile()).close();
});
