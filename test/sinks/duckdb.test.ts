import { DuckDBInstance } from '@duckdb/node-api';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isAway, type Clock, type Sink } from '../../pipeline/component/index.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { readerConformance } from '../kit/reader.js';
import { testContext } from '../support/context.js';
import { csiflow } from '../support/csiflow.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { WRITER } from './duckdb-writer.js';
import { HOP, measure, person, poseFrame, sensedEvent, START } from '../support/records.js';

const open = async (folder: string, config: object = {}, clock?: Clock): Promise<Sink> => {
  const { context } = testContext({ folder, ...(clock ? { clock } : {}) });
  const full = Value.Default(duckdb.config, { path: 'store.duckdb', ...config });
  const sink = duckdb.create(full as never, context);
  await sink.open();
  return sink;
};

readerConformance('duckdb', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-duckdb-'));
  const sink = await open(folder);
  return {
    reader: sink.reader!,
    put: async (records) => {
      await sink.write(records, 1);
      await sink.flush();
    },
    close: async () => {
      await sink.close();
      await rm(folder, { recursive: true });
    },
  };
});

describe('duckdb', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'csiflow-duckdb-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });
  const environment = 'test-room';
  const ids = async (sink: Sink) => (await sink.reader!.poses({ environment })).map(({ frameId }) => frameId);

  test.each([
    [{}, 1],
    [{ threads: 2 }, 2],
  ])('computes a query with one thread, or as many as configured', async (config, threads) => {
    const sink = await open(folder, config);
    const { rows } = await sink.reader!.ask!(`SELECT current_setting('threads') AS threads`, {
      maxRows: 1,
      maxBytes: 1024,
    });
    expect(rows).toEqual([[threads]]);
    await sink.close();
  });

  test('rewinding deletes later epochs, stored and pending, from every table', async () => {
    const sink = await open(folder);
    for (const epoch of [1, 2, 3]) {
      await sink.write([poseFrame(epoch), sensedEvent(epoch), measure(epoch)], epoch);
      if (epoch < 3) await sink.flush();
    }
    await sink.rewind!(1);
    await sink.flush();
    expect(await ids(sink)).toEqual([1]);
    expect(await sink.reader!.events({ environment })).toHaveLength(1);
    expect(await sink.reader!.measures({ environment })).toHaveLength(1);
    await sink.close();
  });

  test('flushed records survive a reopening', async () => {
    const first = await open(folder);
    await first.write([poseFrame(0)], 1);
    await first.flush();
    await first.close();
    const second = await open(folder);
    expect(await second.reader!.latestPose(environment)).toEqual(poseFrame(0));
    await second.close();
  });

  test('rejects a second owner in the process, with how to read the data', async () => {
    const sink = await open(folder);
    await expect(open(folder)).rejects.toThrow(/in use by process \d+ on .*service interface.*export/);
    await sink.write([poseFrame(0)], 1);
    await sink.flush();
    expect(await ids(sink)).toEqual([0]);
    await sink.close();
  });

  test('rejects a second process, with how to read the data', async () => {
    const sink = await open(folder);
    const to = join(folder, 'out.parquet');
    const words = ['export', '--from', join(folder, 'store.duckdb'), '--table', 'poses', '--to', to];
    const { status, stderr } = spawnSync(
      process.execPath,
      [packageFile('dist/api/cli/csiflow.js'), ...words],
      { encoding: 'utf8' },
    );
    expect(stderr).toMatch(/in use by process \d+ on .*service interface/);
    expect(status).toBe(3);
    expect(existsSync(to)).toBe(false);
    await sink.close();
  });

  test('rejects a store of a newer version and a foreign database', async () => {
    await (await open(folder)).close();
    const path = join(folder, 'store.duckdb');
    await alter(path, 'UPDATE csiflow_schema SET version = 99');
    await expect(open(folder)).rejects.toMatchObject({ code: 'state.newer' });
    await alter(path, 'UPDATE csiflow_schema SET version = 0');
    await expect(open(folder)).rejects.toMatchObject({ code: 'state.older' });
    await alter(path, 'DROP TABLE csiflow_schema');
    await expect(open(folder)).rejects.toThrow('csiflow did not create');
  });

  test.each([
    ['text', () => Buffer.from('not a store'.repeat(2000))],
    ['nothing', () => Buffer.alloc(0)],
    ['half of it', (whole: Buffer) => whole.subarray(0, whole.length >> 1)],
    ['a changed header', (whole: Buffer) => Buffer.from(whole).fill(0x41, 12, 40)],
  ])('rejects a damaged store (%s) with a fix, and does not change it', async (_, damage) => {
    await (await open(folder)).close();
    const path = join(folder, 'store.duckdb');
    const bytes = damage(readFileSync(path));
    writeFileSync(path, bytes);
    await expect(open(folder)).rejects.toMatchObject({
      code: 'store.damaged',
      message: expect.stringContaining('restore it from a backup') as string,
    });
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  const flushedStore = async (): Promise<unknown> => {
    const sink = await open(folder);
    for (const epoch of [1, 2]) {
      await sink.write([poseFrame(epoch)], epoch);
      await sink.flush();
    }
    const mark = sink.mark!();
    await sink.close();
    return mark;
  };

  test('names a store that is older than the last checkpoint, with a fix', async () => {
    await (await open(folder)).close();
    const path = join(folder, 'store.duckdb');
    const older = readFileSync(path);
    const mark = await flushedStore();
    const same = await open(folder);
    await same.rewind!(2, mark);
    expect(await ids(same)).toEqual([1, 2]);
    await same.close();
    // Without its log, which held the rest.
    writeFileSync(path, older);
    const sink = await open(folder);
    await expect(sink.rewind!(2, mark)).rejects.toMatchObject({
      code: 'store.damaged',
      message: expect.stringMatching(
        /store.duckdb lacks the last writes.*store.duckdb.wal was removed.*restore.*move/,
      ) as string,
    });
    await sink.close();
  });

  test('an empty store replaces one that was moved away, and continues its numbers', async () => {
    const mark = await flushedStore();
    await rm(join(folder, 'store.duckdb'));
    const sink = await open(folder);
    await sink.rewind!(2, mark);
    await sink.close();
    const again = await open(folder);
    await again.rewind!(2, mark);
    await again.close();
  });

  test('a log without its file is kept and named', async () => {
    await writeFile(join(folder, 'store.duckdb.wal'), 'rows');
    await expect(open(folder)).rejects.toMatchObject({ code: 'store.damaged' });
    expect(await readdir(folder)).toContain('store.duckdb.wal');
  });

  test('damage first met by a query is named', async () => {
    const sink = await open(folder);
    await sink.write(
      Array.from({ length: 5_000 }, (_, index) => poseFrame(index)),
      1,
    );
    await sink.flush();
    await sink.close();
    const path = join(folder, 'store.duckdb');
    const bytes = readFileSync(path);
    // Within the blocks of the keypoints, which are behind three headers and are not read when the file is
    // opened.
    const reported: unknown[] = [];
    for (let at = 3 * 4_096 + 100; at < bytes.length; at += 262_144) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 1;
      writeFileSync(path, damaged);
      const opened = await open(folder).catch(() => undefined);
      if (!opened) continue;
      await ids(opened).catch((error: unknown) => reported.push(error));
      await opened.close().catch(() => undefined);
    }
    expect(reported).not.toEqual([]);
    for (const error of reported)
      expect(error).toMatchObject({
        code: 'store.damaged',
        message: expect.stringContaining(`${path} is damaged`) as string,
      });
  });

  test('rejects values that could not be read back; stores their siblings', async () => {
    const sink = await open(folder);
    const failures = await sink.write(
      [
        measure(0),
        measure(1, { value: NaN }),
        measure(2, { value: Infinity }),
        sensedEvent(3, { metadata: { note: 'half \ud800' } }),
        poseFrame(4, { persons: [person(4, 0, { keypoints: person(4).keypoints.slice(1) })] }),
        poseFrame(5, { signalQuality: NaN }),
        measure(6, { value: -0 }),
      ],
      1,
    );
    await sink.flush();
    expect(failures.map(({ reason }) => reason)).toEqual([
      'measures.value is NaN: only finite numbers can be stored',
      'measures.value is Infinity: only finite numbers can be stored',
      expect.stringContaining('not valid Unicode'),
      'persons.keypoints must hold 17 keypoints in COCO order',
      'poses.signal_quality is NaN: only finite numbers can be stored',
    ]);
    expect(await ids(sink)).toEqual([]);
    const values = (await sink.reader!.measures({ environment })).map(({ value }) => value);
    expect(values).toEqual([0, -0]);
    await sink.close();
  });

  test('retention deletes old rows in steps and keeps the rest', async () => {
    const day = 864_000;
    const now = () => START + 3 * day * HOP;
    const sink = await open(folder, { retention_days: 1 }, { now, elapsed: () => 0 });
    await sink.write([poseFrame(0), poseFrame(day), measure(0), poseFrame(2 * day), poseFrame(3 * day)], 1);
    await sink.flush();
    await sink.flush();
    expect(await ids(sink)).toEqual([2 * day, 3 * day]);
    expect(await sink.reader!.countPersons({ environment })).toBe(2);
    expect(await sink.reader!.measures({ environment })).toEqual([]);
    await sink.close();
  });

  test('reuses the space of deleted rows: the file stops growing', async () => {
    let now = START;
    const clock = { now: () => now, elapsed: () => (now - START) / 1000 };
    const sink = await open(folder, { retention_days: 1, wal_limit_bytes: 2 ** 19 }, clock);
    const sizes: number[] = [];
    const hour = 36_000;
    for (let half = 0; half < 16; half++) {
      const first = half * 12 * hour;
      await sink.write(
        Array.from({ length: 250 }, (_, index) => poseFrame(first + index * 160, { people: 4 })),
        half,
      );
      now = START + first * HOP + 12 * hour * HOP;
      await sink.flush();
      await sink.flush();
      sizes.push((await stat(join(folder, 'store.duckdb'))).size);
    }
    expect(await sink.reader!.countPoses({ environment })).toBeLessThanOrEqual(750);
    expect(sizes.at(-1)).toBeLessThanOrEqual(1.5 * sizes[7]!);
    await sink.close();
  });

  test('a failed commit is reported and keeps its rows; the next one stores them once', async () => {
    const { openStore } = await import('../../sinks/duckdb/store.js');
    const path = join(folder, 'store.duckdb');
    const store = await openStore(path, {
      memoryLimitBytes: 2 ** 27,
      walLimitBytes: 2 ** 20,
      retentionDays: null,
    });
    store.writer.add([poseFrame(0, { people: 2 }), measure(0)], 1);
    await store.connection.run('ALTER TABLE measures RENAME TO away');
    await expect(store.writer.commit()).rejects.toThrow('measures');
    expect(store.writer.rows).toBe(4);
    await store.connection.run('ALTER TABLE away RENAME TO measures');
    await store.writer.commit();
    expect(store.writer.rows).toBe(0);
    await store.pool.close();
    store.connection.closeSync();
    await store.database.close();
    const sink = await open(folder);
    expect(await ids(sink)).toEqual([0]);
    expect(await sink.reader!.countPersons({ environment })).toBe(2);
    expect(await sink.reader!.measures({ environment })).toHaveLength(1);
    await sink.close();
  });

  test('closing stores unflushed records', async () => {
    const first = await open(folder);
    await first.write([poseFrame(0), poseFrame(1)], 1);
    await first.close();
    const second = await open(folder);
    expect(await ids(second)).toEqual([0, 1]);
    await second.close();
  });

  test('the note of a killed process blocks nothing', async () => {
    await writeFile(join(folder, 'store.duckdb.owner'), '{"pid":1,"thread":0,"started":5}');
    await (await open(folder)).close();
    expect(await readdir(folder)).toEqual(['store.duckdb']);
  });

  test('the definitions of all sinks load without DuckDB', () => {
    const script = `await import(process.argv[1]); await import(process.argv[2]);
      const { createRequire } = await import('node:module');
      const loaded = Object.keys(createRequire(process.argv[1]).cache);
      process.stdout.write(String(loaded.filter((path) => path.includes('@duckdb')).length));`;
    const files = ['sinks/duckdb/duckdb.js', 'sinks/file.js'].map((path) => packageFile(`dist/${path}`));
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script, ...files], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout).toBe('0');
  });

  test('a reader sees a frame with all of its persons while frames are written', async () => {
    const sink = await open(folder, { batch_rows: 1 });
    for (let frame = 0; frame < 100; frame++) {
      const [seen] = await Promise.all([
        sink.reader!.latestPose(environment),
        sink.write([poseFrame(frame, { people: 3 })], 1),
      ]);
      if (seen) expect(seen.persons).toHaveLength(3);
    }
    await sink.close();
  });

  test('a reader that outlives its store reports that the call can be repeated', async () => {
    const sink = await open(folder);
    const { reader } = sink;
    await sink.close();
    const asked = (async () => reader!.latestPose(environment))();
    expect(await asked.then(() => false, isAway)).toBe(true);
  });

  describe('export', () => {
    const from = () => join(folder, 'store.duckdb');

    test.each([
      ['persons', 'parquet', 30],
      ['poses', 'csv', 15],
      ['keypoints', 'ndjson', 15 * 2 * 17],
      ['tracks', 'parquet', 0],
    ] as const)('writes a range of %s to a file that ends with %s', async (table, ending, rows) => {
      const sink = await open(folder);
      await sink.write(
        Array.from({ length: 20 }, (_, index) => poseFrame(index, { people: 2 })),
        1,
      );
      await sink.close();
      const start = new Date((START + 5 * HOP) / 1000).toISOString();
      const to = join(folder, `it's ${table}.${ending}`);
      const words = ['--from', from(), '--table', table, '--to', to, '--start', start, '--json'];
      const { out, err } = await csiflow('export', ...words);
      expect(err).toBe('');
      expect(JSON.parse(out)).toEqual({ rows, file: to });
      expect(existsSync(to)).toBe(true);
    });

    test('of an unknown table lists the existing ones', async () => {
      await (await open(folder)).close();
      const to = join(folder, 'x.csv');
      const wrong = await csiflow('export', '--from', from(), '--table', 'users', '--to', to);
      expect(wrong.code).toBe(2);
      expect(wrong.err).toContain('use one of poses, persons');
    });
  });

  test('a writer killed at any moment leaves complete epochs after the rewind', async () => {
    for (const killAfter of [1, 4]) {
      const path = join(folder, `killed-${killAfter}`);
      const checkpoint = await writeUntilKilled(path, killAfter);
      const sink = await open(path);
      await sink.rewind!(checkpoint);
      const expected = Array.from({ length: (checkpoint + 1) * 20 }, (_, index) => index);
      expect(await ids(sink)).toEqual(expected);
      expect(await sink.reader!.countPersons({ environment })).toBe(expected.length);
      await sink.close();
    }
  }, 60_000);
});

/** Changes a store without csiflow's knowledge. */
async function alter(path: string, sql: string): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
}

/**
 * Runs a writer of 20 frames per epoch and kills it some writes after its `flushes`-th flush; returns the
 * last flushed epoch.
 */
async function writeUntilKilled(folder: string, flushes: number): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, folder, packageFile('dist')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let flushed = -1;
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, epoch] = line.split(' ');
    if (word === 'flushed') flushed = Number(epoch);
    if (flushed + 1 >= flushes && word === 'writing') child.kill('SIGKILL');
  }
  await exited;
  return flushed;
}
