import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { Conditions } from '../../sinks/duckdb/conditions.js';
import { Counts } from '../../sinks/duckdb/counts.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { ReadPool } from '../../sinks/duckdb/pool.js';
import { testContext } from '../support/context.js';
import { poseFrame, START } from '../support/records.js';

/** Takes hours. */
const ENDLESS =
  'SELECT count(*) AS n FROM range(10000000000) AS a(i), range(1000) AS b(j) WHERE (i * j) % 7 = 1';

describe('a pool of one connection', () => {
  let instance: DuckDBInstance;
  let pool: ReadPool;
  beforeEach(async () => {
    instance = await DuckDBInstance.create(':memory:');
    pool = new ReadPool({ instance, path: ':memory:' }, 1);
  });
  afterEach(async () => {
    await pool.close();
    instance.closeSync();
  });
  const answers = () => pool.query('SELECT 1 AS n', {});

  test('a signal ends the running query; the connection then serves others', async () => {
    await expect(pool.query(ENDLESS, {}, AbortSignal.timeout(100))).rejects.toThrow(/timeout/i);
    expect(await answers()).toEqual([{ n: 1 }]);
  });

  test('a signal within a transaction starts no further query', async () => {
    const end = new AbortController();
    const reading = pool.read(async (snapshot) => {
      expect(await snapshot.query('SELECT 1 AS n', {})).toEqual([{ n: 1 }]);
      end.abort(new Error('nobody waits'));
      return snapshot.query(ENDLESS, {});
    }, end.signal);
    await expect(reading).rejects.toThrow('nobody waits');
    expect(await answers()).toEqual([{ n: 1 }]);
  });

  test("a waiting caller leaves with its signal, and takes no other caller's turn", async () => {
    const [working, waiting] = [new AbortController(), new AbortController()];
    const works = pool.query(ENDLESS, {}, working.signal);
    const waits = pool.query('SELECT 1 AS n', {}, waiting.signal);
    const next = answers();
    waiting.abort(new Error('left'));
    await expect(waits).rejects.toThrow('left');
    working.abort(new Error('ended'));
    await expect(works).rejects.toThrow('ended');
    expect(await next).toEqual([{ n: 1 }]);
  });

  test('closing waits for running queries, and rejects waiting callers', async () => {
    const working = new AbortController();
    const works = pool.query(ENDLESS, {}, working.signal);
    const waiting = [answers(), answers(), answers()].map((answer) =>
      expect(answer).rejects.toThrow('the store is closed'),
    );
    const closed = pool.close();
    working.abort(new Error('ended'));
    await expect(works).rejects.toThrow('ended');
    await Promise.all([...waiting, closed]);
  });

  test('a connection whose transaction cannot be ended is not reused', async () => {
    const reading = pool.read(async (snapshot) => {
      await snapshot.query('ROLLBACK', {});
    });
    await expect(reading).rejects.toThrow(/transaction/);
    expect(await pool.read((snapshot) => snapshot.query('SELECT 1 AS n', {}))).toEqual([{ n: 1 }]);
  });

  test('an aborted signal starts no query', async () => {
    await expect(pool.query(ENDLESS, {}, AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });
});

test('a count made while rows changed is not cached', async () => {
  const counts = new Counts();
  const made: number[] = [];
  const count = (value: number, meanwhile: () => void = () => undefined) =>
    counts.of('SELECT', { person: 1n }, async () => {
      made.push(value);
      meanwhile();
      return value;
    });
  expect(
    await count(1, () => {
      counts.forget();
    }),
  ).toBe(1);
  expect(await count(2)).toBe(2);
  expect(await count(3)).toBe(2);
  counts.forget();
  expect(await count(4)).toBe(4);
  expect(made).toEqual([1, 2, 4]);
});

test('a landmark outlives changes behind it, and is not given to readers of an earlier or later state', async () => {
  const counts = new Counts();
  const conditions = Conditions.of({ environment: 'test-room' });
  const landmarks = () => counts.landmarks('persons', conditions);
  const first = landmarks();
  first.add({ time: 10, rows: 1 });
  first.add({ time: 20, rows: 2 });
  expect(counts.landmarks('poses', conditions).all).toEqual([]);
  await counts.during(() => {
    expect(first.all).toEqual([]);
    expect(landmarks().all).toEqual([]);
    return Promise.resolve(10);
  });
  expect(first.all).toEqual([]);
  expect(landmarks().all).toEqual([{ time: 10, rows: 1 }]);
  first.add({ time: 5, rows: 0 });
  await expect(counts.during(() => Promise.reject(new Error('no space')))).rejects.toThrow('no space');
  expect(landmarks().all).toEqual([]);
});

describe('pages of frames with gaps between them', () => {
  const environment = 'test-room';
  const [FRAMES, PEOPLE] = [400, 3];
  let folder: string;
  let sink: Sink;
  /** Most frames come ten times per second; occasionally there are none for an hour or for days. */
  const times = Array.from({ length: FRAMES }, (_, index) => index).reduce<number[]>((all, index) => {
    const gap = index % 97 === 50 ? 3 * 86_400e6 : index % 31 === 7 ? 3_600e6 : 100_000;
    return [...all, (all.at(-1) ?? START) + gap];
  }, []);
  const frames = times.map((time, index) => poseFrame(index, { time, people: PEOPLE }));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'csiflow-duckdb-'));
    const { context } = testContext({ folder });
    sink = duckdb.create(Value.Default(duckdb.config, { path: 'store.duckdb' }) as never, context);
    await sink.open();
    await sink.write(frames, 1);
    await sink.flush();
  });
  afterAll(async () => {
    await sink.close();
    await rm(folder, { recursive: true });
  });

  test('a cursor continues where the page before ended', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: FRAMES - 1 }),
        fc.integer({ min: 1, max: 120 }),
        fc.constantFrom(undefined, 2),
        async (at, limit, person) => {
          const { time, frameId } = frames[at]!;
          const found = await sink.reader!.poses({
            ...{ environment, limit, after: { time, frameId } },
            ...(person !== undefined && { person }),
          });
          const wanted = frames.slice(at + 1, at + 1 + limit);
          expect(found.map((frame) => frame.frameId)).toEqual(wanted.map((frame) => frame.frameId));
        },
      ),
      { numRuns: 15 },
    );
  });

  test('a page of persons is found by its number', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: FRAMES * PEOPLE + 50 }),
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 0, max: FRAMES - 1 }),
        async (offset, limit, from) => {
          const range = { environment, start: times[from]!, end: times.at(-1)! + 1 };
          const found = await sink.reader!.persons({ ...range, offset, limit });
          const wanted = frames
            .slice(from)
            .flatMap(({ frameId }) =>
              Array.from({ length: PEOPLE }, (_, index) => `${frameId} ${index + 1}`),
            );
          expect(found.map(({ frameId, person }) => `${frameId} ${person.track?.id}`)).toEqual(
            wanted.slice(offset, offset + limit),
          );
        },
      ),
      { numRuns: 25 },
    );
  });
});
