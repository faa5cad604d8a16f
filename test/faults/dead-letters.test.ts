import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { Type } from 'typebox';
import { defineOperator, NOTHING, type AnySink, type Component } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { letterDesk } from '../../pipeline/runtime/dead-letters/state-letter-desk.js';
import { DeadLetters, StateStore } from '../../pipeline/state/index.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { file } from '../../sinks/file.js';
import { readFileSync, readdirSync } from 'node:fs';
import {
  counter,
  emptied,
  Radio,
  runnerOf,
  sum,
  Table,
  temporaryFolder,
  topologyOf,
} from '../support/flow.js';
import { until } from '../support/waiting.js';
import { sensedEvent } from '../support/records.js';
import { FaultyStore } from './faulty-store.js';

const FAULT = { code: 'store.type.conflict', reason: 'field `value` is a text there', retriable: false };

/** A store that rejects the records that `refuses` selects. */
function refusing(component: Component, refuses: (record: Data) => boolean): AnySink {
  const sink = component as AnySink;
  return {
    ...sink,
    create: (config, context) => {
      const made = sink.create(config, context);
      const write = made.write.bind(made);
      return Object.assign(made, {
        write: async (records: readonly Data[], epoch: number) => {
          const refused = records.filter(refuses);
          const failed = await write(
            records.filter((record) => !refused.includes(record)),
            epoch,
          );
          return [...failed, ...refused.map((record) => ({ record, ...FAULT }))];
        },
      });
    },
  };
}

const sums = (folder: string, sink: Component, config: Record<string, unknown>) =>
  topologyOf(
    {
      in: { component: counter, config: { count: 200, holdAt: 105 } },
      sums: { component: sum, from: ['in'] },
      out: { component: sink, from: ['sums'], config },
    },
    folder,
  );

async function rowsIn(path: string): Promise<readonly unknown[]> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const found = await connection.runAndReadAll('select time, value from measures order by all');
  connection.closeSync();
  instance.closeSync();
  return found.getRowsJson();
}

test('replayed into DuckDB after a fix, the store is that of a run without the fault', async () => {
  const whole = temporaryFolder();
  const good = runnerOf(sums(whole, duckdb, { path: join(whole, 'out.duckdb') }));
  await good.start();
  await until('the sums', () => good.status().nodes[2]!.sent === 10);
  await good.stop();

  const folder = temporaryFolder();
  let broken = true;
  const sink = refusing(
    duckdb,
    (record) => broken && record.port === 'measure' && record.time % 20_000 === 0,
  );
  const runner = runnerOf(sums(folder, sink, { path: join(folder, 'out.duckdb') }));
  await runner.start();
  await until('refusals', () => runner.status().nodes[2]!.failed === 5);
  broken = false;
  const { letters, total } = await runner.letters.list();
  expect(total).toBe(5);
  expect(letters[0]).toMatchObject({ node: 'out', stage: 'write', code: FAULT.code, attempts: 1 });
  const { replayed, refused } = await runner.letters.replay({ node: 'out' });
  expect([replayed.length, refused]).toEqual([5, []]);
  await until('the replay', () => runner.status().nodes[2]!.sent === 10);
  await emptied(runner);
  await runner.stop();
  expect(await rowsIn(join(folder, 'out.duckdb'))).toEqual(await rowsIn(join(whole, 'out.duckdb')));
});

test('replayed into a file', async () => {
  const folder = temporaryFolder();
  let broken = true;
  const sink = refusing(file, () => broken);
  const runner = runnerOf(sums(folder, sink, { path: join(folder, 'out.ndjson') }));
  await runner.start();
  await until('refusals', () => runner.status().nodes[2]!.failed === 10);
  broken = false;
  await runner.letters.replay({});
  await emptied(runner);
  await runner.stop();
  const [name] = readdirSync(folder).filter((one) => one.endsWith('.ndjson'));
  const lines = readFileSync(join(folder, name!), 'utf8').trim().split('\n');
  const times = lines.map((line) => (JSON.parse(line) as { time: number }).time);
  expect(times).toEqual(Array.from({ length: 10 }, (_, index) => (index + 1) * 10_000));
});

test('a letter that fails again is kept with the new reason', async () => {
  const store = new FaultyStore('idempotent');
  store.refuse = () => FAULT;
  const runner = runnerOf(sums(temporaryFolder(), store.component(), {}));
  await runner.start();
  await until('refusals', () => runner.status().nodes[2]!.failed === 10);
  store.refuse = () => ({
    code: 'store.retention',
    reason: 'it is older than the store keeps',
    retriable: false,
  });
  const [first] = await runner.deadLetters();
  await runner.letters.replay({ ids: [first!.id] });
  await until('the refusal', () => runner.status().nodes[2]!.failed === 11);
  const after = await runner.deadLetters();
  expect(after).toHaveLength(10);
  expect(after[0]).toMatchObject({
    id: first!.id,
    attempts: 2,
    replayAsked: false,
    code: 'store.retention',
    reason: 'it is older than the store keeps',
    record: first!.record,
  });
});

test('an alert keeps its id, and is not sent again after a replay', async () => {
  const alarm = defineOperator({
    name: 'alarm',
    summary: 'An event at the fifth frame.',
    config: Type.Object({}),
    examples: [],
    inputs: ['csi'],
    outputs: ['event'],
    create: () => ({
      process: (data) => (data.sequence[0] === 5 ? { data: [sensedEvent(1, { id: 'fall-5' })] } : NOTHING),
    }),
  });
  const store = new FaultyStore('at-least-once');
  store.refuse = () => FAULT;
  const radio = new Radio();
  const topology = topologyOf(
    {
      in: { component: radio.component },
      alarm: { component: alarm, from: ['in'] },
      out: { component: store.component(), from: ['alarm'] },
    },
    temporaryFolder(),
  );
  const runner = runnerOf(topology);
  await runner.start();
  for (let number = 1; number < 8; number++) void radio.send([number]);
  await until('the refusal', () => runner.status().nodes[2]!.failed === 1);
  store.refuse = () => null;
  await runner.letters.replay({});
  await emptied(runner);
  expect(store.stored).toEqual(['fall-5']);
  await runner.letters.replay({});
  await runner.stop();
  await runner.start();
  expect(store.stored).toEqual(['fall-5']);
});

test('requested while stopped: the next start replays', async () => {
  const folder = temporaryFolder();
  const store = new FaultyStore('rewind');
  store.refuse = () => FAULT;
  const topology = sums(folder, store.component(), {});
  const runner = runnerOf(topology);
  await runner.start();
  await until('refusals', () => runner.status().nodes[2]!.failed === 10);
  await runner.stop();
  store.refuse = () => null;
  const desk = letterDesk(() => topology);
  expect((await desk.list()).total).toBe(10);
  expect((await desk.replay({})).replayed).toHaveLength(10);
  expect((await desk.show(1))?.replayAsked).toBe(true);
  await runner.start();
  await emptied(runner);
  expect(store.stored).toHaveLength(10);
});

test('a crash between a replay and its checkpoint stores the record once', async () => {
  const folder = temporaryFolder();
  const store = new FaultyStore('rewind');
  store.refuse = () => FAULT;
  const component = store.component();
  const runner = runnerOf(sums(folder, component, {}));
  await runner.start();
  await until('refusals', () => runner.status().nodes[2]!.failed === 10);
  await runner.stop();
  store.refuse = () => null;
  const slow = { ...sums(folder, component, {}) };
  const second = runnerOf({ ...slow, settings: { ...slow.settings, checkpointIntervalMs: 1_000_000 } });
  await second.start();
  await second.letters.replay({});
  await until('the replay', () => store.size === 10);
  await second.stop({ saveState: false });
  const third = runnerOf(slow);
  await third.start();
  await emptied(third);
  expect(store.stored).toHaveLength(10);
  expect(new Set(store.stored).size).toBe(10);
});

test('an operator receives its record again', async () => {
  let broken = true;
  const picky = defineOperator({
    name: 'picky',
    summary: 'Refuses some.',
    config: Type.Object({}),
    examples: [],
    inputs: ['measure'],
    outputs: ['measure'],
    create: () => ({
      process: (data) =>
        broken && data.time === 50_000
          ? { data: [], failed: [{ record: data, code: 'picky', reason: 'not now', retriable: false }] }
          : { data: [data] },
    }),
  });
  const table = new Table();
  const topology = topologyOf(
    {
      in: { component: counter, config: { count: 200, holdAt: 105 } },
      sums: { component: sum, from: ['in'] },
      picky: { component: picky, from: ['sums'] },
      out: { component: table.component, from: ['picky'] },
    },
    temporaryFolder(),
  );
  const runner = runnerOf(topology);
  await runner.start();
  await until('the others', () => table.stored.length === 9);
  broken = false;
  const letters = await runner.deadLetters();
  expect(letters).toMatchObject([{ node: 'picky', stage: 'process', code: 'picky' }]);
  await runner.letters.replay({});
  await until('all', () => table.stored.length === 10);
  await emptied(runner);
});

test('a letter that cannot be replayed has a reason: undecoded input, a removed node', async () => {
  const radio = new Radio();
  const runner = runnerOf(
    topologyOf(
      { in: { component: radio.component }, out: { component: new Table().component, from: ['in'] } },
      temporaryFolder(),
    ),
  );
  await runner.start();
  void radio.send([0xffffffff]);
  await until('the letter', () => runner.status().nodes[0]!.failed === 1);
  expect(await runner.letters.replay({})).toEqual({
    replayed: [],
    refused: [{ id: 1, reason: 'it is raw input that could not be decoded, so there is no record' }],
  });
  expect((await runner.deadLetters())[0]).toMatchObject({ replayAsked: false });
});

test('dropped letters are gone', async () => {
  const store = new FaultyStore('idempotent');
  store.refuse = () => FAULT;
  const runner = runnerOf(sums(temporaryFolder(), store.component(), {}));
  await runner.start();
  await until('refusals', () => runner.status().nodes[2]!.failed === 10);
  expect(await runner.letters.drop({ ids: [1, 3, 99] })).toBe(2);
  expect((await runner.deadLetters()).map(({ id }) => id)).toEqual([2, 4, 5, 6, 7, 8, 9, 10]);
  expect(await runner.letters.drop({ node: 'out' })).toBe(8);
  expect(await runner.deadLetters()).toEqual([]);
});

test('rejects the replay of an unknown letter, with the reason', async () => {
  const store = new FaultyStore('idempotent');
  store.refuse = () => FAULT;
  const runner = runnerOf(sums(temporaryFolder(), store.component(), {}));
  await runner.start();
  await until('refusals', () => runner.status().nodes[2]!.failed === 10);
  const { replayed, refused } = await runner.letters.replay({ ids: [2, 99] });
  expect(replayed).toEqual([2]);
  expect(refused).toMatchObject([
    { id: 99, reason: expect.stringMatching(/^the letter does not exist/) as string },
  ]);
});

test('a caller during a stop receives all letters', async () => {
  const store = new FaultyStore('idempotent');
  store.refuse = () => FAULT;
  const runner = runnerOf(sums(temporaryFolder(), store.component(), {}));
  await runner.start();
  await until('refusals', () => runner.status().nodes[2]!.failed === 10);
  const end = new AbortController();
  const stopping = runner.stop().finally(() => {
    end.abort();
  });
  const answers = new Set<number>();
  while (!end.signal.aborted) {
    answers.add((await runner.letters.list()).total);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await stopping;
  expect([...answers]).toEqual([10]);
  expect((await runner.letters.list()).total).toBe(10);
});

test('bounded by count and by bytes: the oldest are dropped and reported', async () => {
  const store = new StateStore(temporaryFolder(), 'test');
  const letter = (size: number) => ({
    node: 'out',
    stage: 'write',
    code: 'test',
    reason: 'x'.repeat(size),
    record: null,
    at: 0,
    epoch: 1,
  });
  try {
    const letters = new DeadLetters(store, { count: 3, bytes: 10_000 });
    expect([1, 2, 3, 4].map(() => letters.add(letter(10)))).toEqual([0, 0, 0, 1]);
    expect(letters.add(letter(9_880))).toBe(3);
    await letters.settled();
    expect(letters.list().map(({ id }) => id)).toEqual([5]);
    expect(new DeadLetters(store).size).toBe(1);
  } finally {
    await store.close();
  }
});
