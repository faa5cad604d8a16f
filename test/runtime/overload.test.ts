import fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { aggregate } from '../../operators/aggregate/aggregate.js';
import { sample } from '../../operators/sample/sample.js';
import { defineOperator, defineSink, NOTHING, type Output } from '../../pipeline/component/index.js';
import type { SensedEvent } from '../../pipeline/model/index.js';
import {
  counter,
  order,
  Radio,
  runnerOf,
  sum,
  Table,
  temporaryFolder,
  topologyOf,
  Valve,
} from '../support/flow.js';
import { until } from '../support/waiting.js';
import { sensedEvent } from '../support/records.js';

test('a full asynchronous stage closes and reopens the gate; nothing is lost', async () => {
  const held = new Valve();
  const table = new Table();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 200, block: 1 } },
        held: { component: held.component, from: ['in'] },
        out: { component: table.component, from: ['held'] },
      },
      temporaryFolder(),
    ),
  );
  await runner.start();
  await until('the stage to be full', () => runner.status().nodes[1]!.queueDepth > 8);
  const { sent } = runner.status().nodes[0]!;
  // Turns of the loop in which the pump could continue if it were not held back.
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(runner.status().nodes[0]!.sent).toBe(sent);
  expect(sent).toBeLessThan(20);
  held.release();
  await runner.finished();
  expect(table.rows).toEqual(Array.from({ length: 200 }, (_, number) => `csi@${number * 1000}x1`));
});

test('results keep the order of the records, whatever the delays', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(4), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 8 }),
      async (delays, maxInFlight) => {
        let turn = 0;
        const late = defineOperator({
          name: 'late',
          summary: 'Waits.',
          config: Type.Object({}),
          examples: [],
          inputs: ['csi'],
          outputs: ['csi'],
          asynchronous: { maxInFlight: () => maxInFlight },
          create: () => ({
            process: async (data) => {
              for (let left = delays[turn++ % delays.length]!; left > 0; left--)
                await new Promise((resolve) => setImmediate(resolve));
              return { data: [data] };
            },
          }),
        });
        const table = new Table();
        const runner = runnerOf(
          topologyOf(
            {
              in: { component: counter, config: { count: 40, block: 1 } },
              late: { component: late, from: ['in'] },
              out: { component: table.component, from: ['late'] },
            },
            temporaryFolder(),
          ),
        );
        await runner.start();
        await runner.finished();
        await runner.stop();
        expect(table.rows).toEqual(Array.from({ length: 40 }, (_, number) => `csi@${number * 1000}x1`));
      },
    ),
    { numRuns: 8 },
  );
});

test('an alert overtakes records that wait for a live sink', async () => {
  const written: string[] = [];
  let calls = 0;
  const sizes: number[] = [];
  let go: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const live = defineSink({
    name: 'live-test',
    summary: 'Shows records.',
    config: Type.Object({}),
    examples: [],
    inputs: ['csi', 'event'],
    recovery: 'idempotent',
    create: () => ({
      open: () => Promise.resolve(),
      write: async (records) => {
        sizes.push(records.length);
        written.push(...records.map((record) => (record.port === 'event' ? record.id : record.port)));
        if (calls++ === 0) await gone;
        return [];
      },
      flush: () => Promise.resolve(),
      close: () => Promise.resolve(),
      feed: { listen: () => () => undefined, latest: () => undefined },
    }),
  });
  const alarm = defineOperator({
    name: 'alarm',
    summary: 'An event at the last frame.',
    config: Type.Object({}),
    examples: [],
    inputs: ['csi'],
    outputs: ['event'],
    create: () => ({
      process: (data): Output<SensedEvent> =>
        data.sequence[0] === 99 ? { data: [sensedEvent(1, { id: 'fall' })] } : NOTHING,
    }),
  });
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 100, block: 1 } },
        alarm: { component: alarm, from: ['in'] },
        out: { component: live, from: ['in', 'alarm'] },
      },
      temporaryFolder(),
    ),
  );
  await runner.start();
  await until('the alarm', () => runner.status().nodes[1]!.sent === 1);
  go();
  await runner.finished();
  expect(written).toHaveLength(101);
  const first = written.indexOf('fall');
  expect(first).toBe(sizes[0]);
});

test('a barrier that does not arrive degrades the topology until it does', async () => {
  const held = new Valve();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 10, holdAt: 5 } },
        held: { component: held.component, from: ['in'] },
        out: { component: new Table().component, from: ['held'] },
      },
      temporaryFolder(),
    ),
    { patience: { barrierMs: 30 } },
  );
  await runner.start();
  await until('degraded', () => runner.status().state === 'degraded');
  expect(runner.status().problem).toMatch(/a checkpoint has been waiting for held, out for/);
  held.release();
  await until('running again', () => runner.status().state === 'running');
});

test('a stalled input closes the gate and is named; the topology resumes with the input', async () => {
  const held = new Valve(1_000_000);
  const table = new Table();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 400_000, block: 4000, every: 0.01 } },
        sums: { component: sum, from: ['in'], config: { span: 100 } },
        held: { component: held.component, from: ['sums'] },
        both: { component: order2, from: ['in', 'held'] },
        out: { component: table.component, from: ['held'] },
      },
      temporaryFolder(),
      { checkpointIntervalMs: 1_000_000 },
    ),
  );
  await runner.start();
  await until('the gate to be shut', () => (runner.status().problem ?? '').includes('is stalled: in, held'));
  const { sent } = runner.status().nodes[0]!;
  expect(sent).toBeGreaterThan(200_000);
  expect(sent).toBeLessThan(230_000);
  held.release();
  await runner.finished();
  expect(runner.status().nodes.find(({ id }) => id === 'both')).toMatchObject({ status: 'active' });
  expect(runner.status().nodes[0]!.sent).toBe(400_000);
});

describe('not held back by what is merged with it:', () => {
  const counted = {
    name: 'rows',
    window_ms: 1000,
    late_ms: 3_600_000,
    value: 'measure.value',
    give: ['count'],
  };
  test.each([
    ['an aggregate that waits for late records', aggregate, counted],
    ['a sample of series that have ended', sample, { interval_ms: 3_600_000 }],
  ] as const)('%s', async (_, component, config) => {
    const table = new Table();
    const runner = runnerOf(
      topologyOf(
        {
          in: { component: counter, config: { count: 100, every: 1000, holdAt: 90 } },
          numbered: { component: order, from: ['in'] },
          late: { component, from: ['numbered'], config },
          both: { component: order, from: ['in', 'late'] },
          out: { component: table.component, from: ['both'] },
        },
        temporaryFolder(),
      ),
    );
    await runner.start();
    await until('all frames but the newest to pass', () => table.rows.length >= 89);
    await runner.stop();
  });
});

/** Reads both inputs and emits nothing. */
const order2 = { ...order, create: () => ({ process: () => NOTHING }) };

test('a sink that hangs does not block a stop; the next start writes its records', async () => {
  const table = new Table();
  let hang = true;
  table.before = () => (hang ? new Promise(() => undefined) : undefined);
  const folder = temporaryFolder();
  const topology = topologyOf(
    {
      in: { component: counter, config: { count: 100, holdAt: 50 } },
      out: { component: table.component, from: ['in'] },
    },
    folder,
  );
  const runner = runnerOf(topology, { patience: { barrierMs: 20, stopMs: 20 } });
  await runner.start();
  await until('the write', () => runner.status().nodes[1]!.received > 0);
  await runner.stop();
  expect(runner.status().state).toBe('stopped');
  hang = false;
  await runner.start();
  await until('50 frames', () => table.stored.length === 8);
});

test('a write without an answer fails: a store that rewinds is recovered, another one retried', async () => {
  for (const recovery of ['component', 'telling'] as const) {
    const table = new Table();
    let hangs = 1;
    table.before = () => (hangs-- > 0 ? new Promise(() => undefined) : undefined);
    const runner = runnerOf(
      topologyOf(
        {
          in: { component: counter, config: { count: 21 } },
          out: { component: table[recovery], from: ['in'] },
        },
        temporaryFolder(),
      ),
      { patience: { writeMs: 30, stopMs: 30 } },
    );
    await runner.start();
    await until('three blocks', () => table.stored.length === 3);
    expect(table.rows).toEqual(['csi@0x7', 'csi@7000x7', 'csi@14000x7']);
    expect(table.opened).toBe(recovery === 'component' ? 2 : 1);
  }
});

test('a recovery drops the same frames that a full queue dropped', async () => {
  const held = new Valve();
  const table = new Table();
  const radio = new Radio();
  const folder = temporaryFolder();
  const topology = topologyOf(
    {
      in: { component: radio.component, queue: { capacity: 4, policy: 'drop_oldest' } },
      held: { component: held.component, from: ['in'] },
      out: { component: table.component, from: ['held'] },
    },
    folder,
    { checkpointIntervalMs: 1_000_000 },
  );
  const runner = runnerOf(topology);
  await runner.start();
  for (let number = 1; number <= 60; number++) {
    void radio.send([number]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const dropped = runner.status().nodes[0]!.dropped['queue_full'] ?? 0;
  expect(dropped).toBeGreaterThan(20);
  await runner.stop({ saveState: false });
  held.release();
  await runner.start();
  await until('the rest', () => runner.status().nodes[2]!.sent === 60 - dropped);
  await runner.stop();
  expect(table.stored).toHaveLength(60 - dropped);
});
