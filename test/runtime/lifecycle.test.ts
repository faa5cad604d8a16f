import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { expect, test } from 'vitest';
import type { Data } from '../../pipeline/model/index.js';
import { udp } from '../../pipeline/sources/udp.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { lockFolder } from '../../pipeline/state/index.js';
import { createRunner } from '../../pipeline/runtime/runner.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { createMetrics } from '../../pipeline/telemetry/metrics.js';
import {
  defineOperator,
  defineSource,
  type AnySink,
  type Component,
} from '../../pipeline/component/index.js';
import { csiflow } from '../support/csiflow.js';
import {
  counter,
  frames,
  order,
  Radio,
  runnerOf,
  sum,
  Table,
  temporaryFolder,
  topologyOf,
} from '../support/flow.js';
import { until } from '../support/waiting.js';
import { Type } from 'typebox';

const simple = (
  table: Table,
  folder: string,
  source: Component = counter,
  config: Record<string, unknown> = {},
) =>
  topologyOf(
    {
      in: { component: source, config },
      sums: { component: sum, from: ['in'] },
      out: { component: table.component, from: ['sums'] },
    },
    folder,
  );

test('start and stop report their steps', async () => {
  const runner = runnerOf(simple(new Table(), temporaryFolder(), counter, { count: 100, holdAt: 10 }));
  const seen = new Set<string>();
  runner.onChange(({ state, steps }) => {
    seen.add(state);
    for (const { step, status } of steps) seen.add(`${step}:${status}`);
  });
  await runner.start();
  expect(
    runner.status().steps.every(({ status, progress }) => status === 'completed' && progress === 1),
  ).toBe(true);
  await runner.stop();
  expect(runner.status().state).toBe('stopped');
  for (const state of [
    'starting',
    'running',
    'stopping',
    'stopped',
    'model_loading:in_progress',
    'model_unloading:completed',
  ]) {
    expect(seen).toContain(state);
  }
  await expect(Promise.all([runner.start(), runner.start()])).rejects.toMatchObject({
    code: 'lifecycle.conflict',
  });
});

test('a failed start reports why, and leaves nothing open', async () => {
  const folder = temporaryFolder();
  const broken: Component = {
    ...(counter as Component),
    create: () => ({ open: () => Promise.reject(new Error('no such port')) }),
  } as Component;
  const runner = runnerOf(simple(new Table(), folder, broken));
  await expect(runner.start()).rejects.toThrow('in (counter): no such port');
  expect(runner.status().state).toBe('failed');
  const other = runnerOf(simple(new Table(), folder));
  await other.start();
  await other.finished();
});

/** Rows of a run without failures. */
async function undisturbed(config: Record<string, unknown>): Promise<readonly string[]> {
  const table = new Table();
  const runner = runnerOf(simple(table, temporaryFolder(), counter, config));
  await runner.start();
  await runner.finished();
  return table.rows;
}

test('a topology that fails while running recovers from its checkpoint with the same rows', async () => {
  const table = new Table();
  const begunAt: number[] = [];
  const checkpoint = () => runner.status().checkpoint?.epoch;
  /** Counts, and fails twice: after frames covered by a checkpoint, and some more that are not. */
  const failing = defineSource({
    name: 'failing',
    summary: 'Counts, and fails twice.',
    config: Type.Object({}),
    examples: [],
    outputs: ['csi'],
    replayable: true,
    create: () => ({
      async open(position, output) {
        output.ready?.();
        let next = (position as number | null) ?? 0;
        const failAt = begunAt.push(next) < 3 ? next + 150 : Infinity;
        for (; next < 500; next += 10) {
          if (next === failAt - 50) {
            await until('all to be taken from the queue', () => runner.status().nodes[0]!.queueDepth === 0);
            // The first one may have begun before that, and hold no frame.
            for (const which of ['first', 'second']) {
              const seen = checkpoint();
              await until(`the ${which} checkpoint`, () => checkpoint() !== seen);
            }
          }
          if (next === failAt) throw new Error('the cable is out');
          if (!(await output.offer({ position: next + 10, data: [frames(next, next + 10)] }))) return;
        }
      },
    }),
  });
  const runner = runnerOf(simple(table, temporaryFolder(), failing));
  const states: string[] = [];
  runner.onChange(({ state }) => states.push(state));
  await runner.start();
  await until('the end', () => table.rows.some((row) => row.startsWith('end@')));
  expect(states).toContain('restarting');
  expect(begunAt).toHaveLength(3);
  // It continues after the checkpoint, not from the beginning.
  expect(begunAt[1]).toBeGreaterThan(0);
  expect(begunAt[2]).toBeGreaterThan(begunAt[1]!);
  expect(table.rows).toEqual(await undisturbed({ count: 500 }));
});

test('a failed flush is retried, and the topology continues', async () => {
  const table = new Table();
  let failures = 0;
  const { create } = table.component as AnySink;
  const failing: Component = {
    ...(table.component as AnySink),
    create: (config, context) => {
      const sink = create(config, context);
      const plain = sink.flush.bind(sink);
      sink.flush = async () => {
        if (failures++ < 4) throw new Error('the disk is gone');
        await plain();
      };
      return sink;
    },
  };
  const topology = simple(table, temporaryFolder(), counter, { count: 500 });
  const nodes = topology.nodes.map((node) => (node.id === 'out' ? { ...node, component: failing } : node));
  const runner = runnerOf({ ...topology, nodes });
  const states = new Set<string>();
  runner.onChange(({ state }) => states.add(state));
  await runner.start();
  await until('the end', () => table.rows.some((row) => row.startsWith('end@')));
  expect(failures).toBeGreaterThan(4);
  expect(states).not.toContain('restarting');
  expect(table.rows).toEqual(await undisturbed({ count: 500 }));
});

test('records that a sink refuses become dead letters; too many in a row degrade or stop', async () => {
  const table = new Table();
  table.refuse = (record: Data) => record.port === 'measure' && record.value > 1000;
  const topology = simple(table, temporaryFolder(), counter, { count: 100 });
  const runner = runnerOf(topology);
  await runner.start();
  await runner.finished();
  expect(runner.status().state).toBe('degraded');
  const letters = await runner.deadLetters({ node: 'out' });
  expect(letters.length + table.rows.length).toBe(10);
  expect(letters[0]).toMatchObject({ stage: 'write', code: 'write.refused', reason: 'refused' });

  const strict = runnerOf({
    ...topology,
    settings: { ...topology.settings, stateFolder: temporaryFolder(), stopAfterFailures: 3 },
  });
  // It may stop before its start has completed.
  await strict.start().catch((error: unknown) => error);
  await until('it to stop itself', () => strict.status().state === 'failed');
  expect(strict.status().problem).toContain('records in a row failed');
});

test('an operator that throws makes a dead letter of the record, and the stream continues', async () => {
  const touchy = defineOperator({
    name: 'touchy',
    summary: 'Throws at one record.',
    config: Type.Object({}),
    examples: [],
    inputs: ['measure'],
    outputs: ['measure'],
    create: () => ({
      process: (data) => {
        if (data.time === 30_000) throw new Error('not this one');
        return { data: [data] };
      },
    }),
  });
  const table = new Table();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: counter },
        sums: { component: sum, from: ['in'] },
        touchy: { component: touchy, from: ['sums'] },
        out: { component: table.component, from: ['touchy'] },
      },
      temporaryFolder(),
    ),
  );
  await runner.start();
  await runner.finished();
  expect(table.rows).toHaveLength(9);
  expect(await runner.deadLetters()).toMatchObject([
    { node: 'touchy', stage: 'process', code: 'operator.threw' },
  ]);
  expect(runner.status().nodes.find(({ id }) => id === 'touchy')?.status).toBe('degraded');
});

test('bad input is counted and kept; good input around it is processed', async () => {
  const radio = new Radio();
  const table = new Table();
  const runner = runnerOf(
    topologyOf(
      { in: { component: radio.component }, out: { component: table.component, from: ['in'] } },
      temporaryFolder(),
    ),
  );
  await runner.start();
  void radio.send([1, 0xffffffff, 2], [1000, 1500, 2000]);
  await until('the block', () => runner.status().nodes[1]!.received === 2);
  expect(runner.status().nodes[0]).toMatchObject({ received: 3, failed: 1 });
  expect(await runner.deadLetters()).toMatchObject([{ node: 'in', stage: 'decode', code: 'decode.test' }]);
});

test('a store that is offline fills the outbox, blocks no checkpoint, and receives everything later', async () => {
  const table = new Table();
  const radio = new Radio();
  let away = true;
  table.before = () => {
    if (away) throw new Error('connection refused');
  };
  const folder = temporaryFolder();
  const metrics = createMetrics();
  const runner = runnerOf(
    topologyOf(
      { in: { component: radio.component }, out: { component: table.component, from: ['in'] } },
      folder,
    ),
    { metrics },
  );
  await runner.start();
  for (let number = 1; number <= 10; number++) void radio.send([number]);
  const first = runner.status().checkpoint?.epoch ?? 0;
  await until(
    'two checkpoints with the store away',
    () => (runner.status().checkpoint?.epoch ?? 0) >= first + 2 && runner.status().problem !== null,
  );
  expect(runner.status().problem).toContain('connection refused');
  // They wait, and are no dead letters.
  expect(runner.status().nodes[1]).toMatchObject({ id: 'out', failed: 0 });
  expect(await metrics.text()).toMatch(/csiflow_store_errors_total\{topology="test",node="out"\} [1-9]/);
  await runner.stop();
  expect(table.rows).toEqual([]);
  away = false;
  await runner.start();
  await until('delivery', () => table.rows.length === 10);
  expect(runner.status().state).toBe('running');
  expect(table.rows).toEqual(Array.from({ length: 10 }, (_, index) => `csi@${(index + 1) * 1000}x1`));
});

test('an unchanged node keeps its state during an apply; a stale plan is rejected', async () => {
  const table = new Table();
  const folder = temporaryFolder();
  const first = simple(table, folder, counter, { count: 200, holdAt: 55 });
  const runner = runnerOf(first);
  await runner.start();
  await until('55 frames', () => runner.status().nodes[0]!.sent >= 55);
  const next = topologyOf(
    {
      in: { component: counter, config: { count: 200, holdAt: 55 } },
      sums: { component: sum, from: ['in'] },
      order: { component: order, from: ['sums'] },
      out: { component: table.component, from: ['sums', 'order'] },
    },
    folder,
  );
  const plan = runner.plan(next);
  expect(plan.changes).toEqual([
    { node: 'in', change: 'unchanged', state: 'kept', fields: [] },
    { node: 'sums', change: 'unchanged', state: 'kept', fields: [] },
    { node: 'order', change: 'added', state: 'none', fields: [] },
    { node: 'out', change: 'changed', state: 'none', fields: ['from'] },
  ]);
  await expect(runner.apply(next, 'of another plan')).rejects.toMatchObject({ code: 'plan.stale' });
  await runner.apply(next, plan.hash);
  expect(runner.status().state).toBe('running');
  expect(table.rows).toHaveLength(5);
  expect(runner.status().nodes[0]!.sent).toBe(55);
  await expect(runner.apply(first, plan.hash)).rejects.toMatchObject({ code: 'plan.stale' });
});

test('a topology that cannot start leaves the old one running, and reports why', async () => {
  const table = new Table();
  const folder = temporaryFolder();
  const runner = runnerOf(simple(table, folder, counter, { count: 200, holdAt: 55 }));
  await runner.start();
  await until('55 frames', () => runner.status().nodes[0]!.sent >= 55);
  const broken = defineOperator({
    name: 'broken',
    summary: 'Cannot be opened.',
    config: Type.Object({}),
    examples: [],
    inputs: ['measure'],
    outputs: ['measure'],
    create: () => ({ process: () => ({ data: [] }), open: () => Promise.reject(new Error('no weights')) }),
  });
  const next = topologyOf(
    {
      in: { component: counter, config: { count: 200, holdAt: 55 } },
      sums: { component: sum, from: ['in'] },
      broken: { component: broken, from: ['sums'] },
      out: { component: table.component, from: ['sums'] },
    },
    folder,
  );
  await expect(runner.apply(next, runner.plan(next).hash)).rejects.toMatchObject({
    code: 'plan.start',
    message: expect.stringContaining('broken (broken): no weights') as string,
  });
  expect(runner.status().state).toBe('running');
  expect(runner.topology.nodes.map(({ id }) => id)).toEqual(['in', 'sums', 'out']);
  expect(table.rows).toHaveLength(5);
});

test('a UDP port in use prevents the start, with its own message and code', async () => {
  const other = createSocket('udp4').bind(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: udp, config: { port } },
        out: { component: new Table().component, from: ['in'] },
      },
      temporaryFolder(),
    ),
  );
  await expect(runner.start()).rejects.toMatchObject({
    code: 'EADDRINUSE',
    message: expect.stringContaining(`UDP port ${port} of 127.0.0.1 cannot be opened`) as string,
  });
  expect(runner.status().state).toBe('failed');
  const folder = temporaryFolder();
  const file = join(folder, 'taken.yaml');
  writeFileSync(
    file,
    `id: taken
environment: ${packageFile('topologies/environments/esp32-pair.yaml')}
sources:
  in: { type: udp, port: ${port} }
sinks:
  out: { type: console, from: in }
`,
  );
  const { code, output } = await csiflow('run', file, '--no-api');
  expect(output).toContain(`UDP port ${port} of 127.0.0.1 cannot be opened`);
  expect(code).toBe(3);
  other.close();
  await once(other, 'close');
  await runner.start();
  expect(runner.status().state).toBe('running');
});

test('a dead letter of a large record omits it, and stays small', async () => {
  const table = new Table();
  table.refuse = () => true;
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 20_000, block: 20_000 } },
        out: { component: table.component, from: ['in'] },
      },
      temporaryFolder(),
    ),
  );
  await runner.start();
  await runner.finished();
  expect(await runner.deadLetters()).toMatchObject([
    { node: 'out', record: { port: 'csi', not_kept_bytes: expect.any(Number) as number } },
  ]);
});

test('rejects an incomplete state store, and accepts the complete one again', async () => {
  const folder = temporaryFolder();
  const runner = runnerOf(simple(new Table(), folder));
  await runner.start();
  await runner.stop();
  const file = join(folder, 'state.mdb');
  const whole = readFileSync(file);
  writeFileSync(file, whole.subarray(0, 8192));
  await expect(runner.start()).rejects.toMatchObject({
    code: 'state.corrupt',
    message: expect.stringContaining('it is cut off') as string,
  });
  writeFileSync(file, whole);
  await runner.start();
});

test('a second process cannot open a state folder, and learns who holds it', async () => {
  const folder = temporaryFolder();
  const release = lockFolder(folder);
  const runner = runnerOf(simple(new Table(), folder));
  await expect(runner.start()).rejects.toMatchObject({
    code: 'state.locked',
    message: expect.stringContaining(`process ${process.pid}`) as string,
  });
  release();
  await runner.start();
  await expect(runnerOf(simple(new Table(), folder)).start()).rejects.toMatchObject({
    code: 'state.locked',
  });
});

test('rejects a store of a newer version or another topology, with a fix', async () => {
  const folder = temporaryFolder();
  const runner = runnerOf(simple(new Table(), folder));
  await runner.start();
  await runner.stop();
  const foreign = { ...simple(new Table(), folder), id: 'other' };
  await expect(runnerOf(foreign).start()).rejects.toMatchObject({ code: 'state.foreign' });
  const { serialize } = await import('node:v8');
  const store = open<Buffer, string>({ path: join(folder, 'state.mdb'), encoding: 'binary', noSubdir: true });
  store.putSync('header', serialize({ version: 99, topology: 'test' }));
  await store.close();
  await expect(runner.start()).rejects.toMatchObject({ code: 'state.newer' });
  writeFileSync(
    join(folder, 'state.mdb'),
    'this is not a store, but some text that someone put there by mistake',
  );
  await expect(runner.start()).rejects.toMatchObject({ code: 'state.corrupt' });
});

test('metrics match what happened', async () => {
  const metrics = createMetrics();
  const table = new Table();
  const runner = runnerOf(simple(table, temporaryFolder(), counter, { count: 100 }), { metrics });
  await runner.start();
  await runner.finished();
  const text = await metrics.text();
  expect(text).toContain('csiflow_received_total{topology="test",node="in"} 100');
  expect(text).toContain('csiflow_sent_total{topology="test",node="sums"} 10');
  expect(text).toContain('csiflow_sent_total{topology="test",node="out"} 10');
  for (const name of [
    'queue_depth',
    'gate_closed_seconds_total',
    'operator_seconds_total',
    'latency_seconds_bucket',
    'checkpoint_seconds_bucket',
    'checkpoint_pause_seconds_bucket',
    'dropped_total',
    'failed_total',
    'watermark_lag_seconds',
  ]) {
    expect(text).toContain(`csiflow_${name}`);
  }
});

test('keeps a dead letter with time zero', async () => {
  const table = new Table();
  table.refuse = () => true;
  const begun = performance.now();
  const topology = simple(table, temporaryFolder(), counter, { count: 10 });
  const runner = createRunner(topology, {
    log: createLogger({ level: 'error' }),
    clock: { now: () => Date.now() * 1000, elapsed: () => performance.now() - begun },
  });
  await runner.start();
  await runner.finished();
  expect(await runner.deadLetters()).not.toEqual([]);
  await runner.stop();
});
