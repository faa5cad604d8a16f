import { setImmediate } from 'node:timers/promises';
import { threadId, type Worker } from 'node:worker_threads';
import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../pipeline/base/clock.js';
import { defineOperator, defineSource, type Component } from '../../pipeline/component/index.js';
import { LinkTable, type Measure } from '../../pipeline/model/index.js';
import { PATIENCE } from '../../pipeline/runtime/nodes/host.js';
import { Shard } from '../../pipeline/runtime/shard/shard.js';
import type { Signal } from '../../pipeline/runtime/signals/signal.js';
import { Chain } from '../../pipeline/runtime/threads/chain.js';
import type { FromThread } from '../../pipeline/runtime/threads/messages.js';
import { setupOf, sentNode } from '../../pipeline/runtime/threads/setup.js';
import { LocalState } from '../../pipeline/state/index.js';
import { openStateOf } from '../../pipeline/runtime/privacy/privacy.js';
import { createMetrics } from '../../pipeline/telemetry/metrics.js';
import { runTest } from '../../pipeline/testing/run-test.js';
import { afterThisTest } from '../support/clean-up.js';
import { compiled, type CompiledModule } from '../support/compiled.js';
import { testEnvironment } from '../support/context.js';
import {
  aborted,
  measure,
  quiet,
  Radio,
  runnerOf,
  Table,
  temporaryFolder,
  topologyOf,
  Valve,
} from '../support/flow.js';
import { odd } from '../support/odd.js';
import { tally } from '../support/tally.js';
import { until } from '../support/waiting.js';

let list: CompiledModule;

beforeAll(async () => {
  list = await compiled(
    "import { odd } from './odd.js'; import { tally } from './tally.js'; export const components = [odd, tally];",
  );
});

afterAll(() => {
  list.remove();
});

const inThread = <C extends Component>(component: C): C => ({ ...component, module: list.url });

const threaded = (nodes: Parameters<typeof topologyOf>[0]) =>
  topologyOf(nodes, temporaryFolder(), { threads: 1 });

/** Threads that were started during this test and still run. */
function threadsOfThisTest(): ReadonlySet<Worker> {
  const running = new Set<Worker>();
  const onWorker = (worker: Worker) => {
    running.add(worker);
    worker.once('exit', () => running.delete(worker));
  };
  process.on('worker', onWorker);
  afterThisTest(() => {
    process.off('worker', onWorker);
  });
  return running;
}

test('a node of a thread that failed passes no barrier', () => {
  const half = defineOperator({
    name: 'half',
    summary: 'Fails in the middle of a change.',
    config: Type.Object({}),
    examples: [],
    inputs: ['csi'],
    outputs: ['measure'],
    module: import.meta.url,
    create: () => ({
      process: () => ({ data: [] }),
      reanchor: () => {
        throw new Error('half of it is done');
      },
    }),
  });
  const topology = threaded({
    in: { component: new Radio().component },
    half: { component: half, from: ['in'] },
  });
  const nodes = topology.nodes.slice(1);
  const answers: FromThread[] = [];
  const chain = new Chain(setupOf(topology, nodes, ['in'], [testEnvironment]), nodes, (message) => {
    answers.push(message);
  });
  chain.take({ kind: 'begin', snapshots: new Map() });
  const mark = { from: 'in', received: 0 };
  const barrier = (epoch: number): Signal => ({ ...mark, kind: 'barrier', epoch });
  chain.take({ kind: 'signals', signals: [barrier(1), { ...mark, kind: 'reanchor', by: 5 }, barrier(2)] });
  chain.take({ kind: 'signals', signals: [barrier(3)] });
  const events = answers.flatMap((answer) => ('events' in answer ? answer.events : []));
  expect(events.map((event) => (event.kind === 'passed' ? event.epoch : event.kind))).toEqual([1, 'fail']);
});

test('a run that has failed writes no checkpoint any more', async () => {
  const [radio, valve, table] = [new Radio(), new Valve(), new Table()];
  const topology = topologyOf(
    {
      in: { component: radio.component },
      valve: { component: valve.component, from: ['in'] },
      out: { component: table.component, from: ['valve'] },
    },
    temporaryFolder(),
  );
  const state = new LocalState(await openStateOf(topology.id, topology.settings, quiet));
  const failures: Error[] = [];
  const shard = new Shard({
    topology,
    links: new LinkTable(topology.environments),
    clock: systemClock,
    log: quiet,
    metrics: createMetrics(),
    tracer: null,
    patience: PATIENCE,
    onFailure: (error) => failures.push(error),
    onStep: () => undefined,
    onLatency: () => undefined,
    onChange: () => undefined,
    openState: () => state,
  });
  afterThisTest(() => shard.stop(false, true));
  await shard.start();
  await radio.send([1]);
  await until('a record in the valve', () => valve.waiting.length > 0);
  const passed = vi.spyOn(shard, 'passed');
  await until('a barrier behind it', () => passed.mock.calls.length > 0);
  const commit = vi.spyOn(state, 'commit');
  shard.fail(new Error('a node has failed'));
  valve.release();
  await until('the sink', () => passed.mock.calls.some(([run]) => run.id === 'out'));
  for (let turn = 0; turn < 50; turn++) await setImmediate();
  expect(failures.map(({ message }) => message)).toEqual(['a node has failed']);
  expect(commit).not.toHaveBeenCalled();
});

test('tests of a topology run without threads', async () => {
  const where = defineOperator({
    name: 'where',
    summary: 'Reports its thread.',
    config: Type.Object({}),
    examples: [],
    inputs: ['measure'],
    outputs: ['measure'],
    module: list.url,
    create: () => ({ process: ({ time }) => ({ data: [measure('thread', time, threadId)] }) }),
  });
  const threads = threadsOfThisTest();
  const topology = threaded({
    in: { component: new Radio().component },
    where: { component: where, from: ['in'] },
    out: { component: new Table().component, from: ['where'] },
  });
  const location = { file: 'test.yaml', line: 1, column: 1, length: 1 };
  const outcome = await runTest(
    topology,
    {
      name: 'without threads',
      location,
      input: new Map(),
      faults: new Map(),
      runOnMs: 0,
      expect: [],
    },
    10_000,
  );
  expect(outcome.problem).toBeNull();
  expect(threads.size).toBe(0);
});

test('a component from a list that its module exports runs in a thread', async () => {
  const [radio, table] = [new Radio(), new Table()];
  const threads = threadsOfThisTest();
  const runner = runnerOf(
    threaded({
      in: { component: radio.component },
      tally: { component: inThread(tally), from: ['in'] },
      out: { component: table.component, from: ['tally'] },
    }),
  );
  await runner.start();
  expect(threads.size).toBe(1);
  await radio.send([4]);
  await until('a row', () => table.rows.length === 1);
  await runner.stop();
  expect(table.rows).toEqual(['total@4000=4']);
});

test('a plugin in a checkout is loaded from its own file', () => {
  const [node] = topologyOf({ odd: { component: odd } }, temporaryFolder()).nodes;
  const plugin = new URL('odd.ts', new URL('../support/', import.meta.url)).href;
  expect(sentNode({ ...node!, component: { ...odd, module: plugin } }).module).toBe(plugin);
});

test('a stop during the start leaves no thread', async () => {
  let opening = false;
  let release: () => void = () => undefined;
  const slow = defineOperator({
    name: 'slow',
    summary: 'Opens when the test says so.',
    config: Type.Object({}),
    examples: [],
    inputs: ['csi'],
    outputs: ['csi'],
    create: () => ({
      open: () =>
        new Promise((resolve) => {
          opening = true;
          release = resolve;
        }),
      process: (data) => ({ data: [data] }),
    }),
  });
  const threads = threadsOfThisTest();
  const runner = runnerOf(
    threaded({
      in: { component: new Radio().component },
      slow: { component: slow, from: ['in'] },
      tally: { component: inThread(tally), from: ['in'] },
    }),
  );
  const started = runner.start().catch((error: unknown) => String(error));
  await until('the slow node', () => opening);
  await runner.stop({ force: true });
  release();
  expect(await started).toContain('stopped');
  expect(threads.size).toBe(0);
});

test('a stop while a thread starts ends it', async () => {
  const threads = threadsOfThisTest();
  const runner = runnerOf(
    threaded({
      in: { component: new Radio().component },
      tally: { component: inThread(tally), from: ['in'] },
    }),
  );
  const started = runner.start().catch((error: unknown) => String(error));
  await until('the thread', () => threads.size === 1);
  await runner.stop();
  await started;
  expect(threads.size).toBe(0);
});

test('a node that cannot open in a thread is named', async () => {
  const runner = runnerOf(
    threaded({
      in: { component: new Radio().component },
      tally: { component: inThread(tally), from: ['in'] },
      odd: { component: inThread(odd), config: { part: 'open' }, from: ['in'] },
    }),
  );
  await expect(runner.start()).rejects.toThrow(/^odd \(odd\): it does not open$/);
});

/** One frame through `odd` in a thread, with a function in a part of what it gives away. */
async function oddPart(part: string) {
  const [radio, table] = [new Radio(), new Table()];
  const runner = runnerOf(
    threaded({
      in: { component: radio.component },
      tally: { component: inThread(tally), from: ['in'] },
      odd: { component: inThread(odd), config: { part }, from: ['in'] },
      out: { component: table.component, from: ['odd'] },
      sums: { component: table.component, from: ['tally'] },
    }),
  );
  await runner.start();
  await radio.send([7]);
  return { runner, table, radio };
}

test('a record of a thread that cannot be copied fails by itself, and names node and field', async () => {
  const { runner, table, radio } = await oddPart('record');
  await radio.send([8]);
  await until('rows of the others', () => table.rows.length === 2);
  await until('letters', () => runner.status().nodes.find(({ id }) => id === 'odd')!.failed === 2);
  const letters = await runner.deadLetters();
  expect(letters.map(({ node, code, record }) => [node, code, record])).toEqual([
    ['odd', 'thread.not_copied', null],
    ['odd', 'thread.not_copied', null],
  ]);
  expect(letters[0]!.reason).toContain('the record has a function in `details.send`');
  expect(runner.state).toBe('running');
});

test('a snapshot that cannot be copied ends the topology, and names node and field', async () => {
  const { runner } = await oddPart('snapshot');
  await until('the end', () => runner.state === 'failed');
  expect(runner.status().problem).toContain(
    'odd has a snapshot that cannot be copied: a function in `inner[0].send`',
  );
});

test('logs and reports that cannot be copied lose only that field', async () => {
  const { runner, table } = await oddPart('reports');
  await until('rows', () => table.rows.length === 2);
  await until('a report', () => 'error' in runner.status().nodes.find(({ id }) => id === 'odd')!.details);
  expect(runner.status().nodes.find(({ id }) => id === 'odd')!.details).toEqual({
    error: '`describe` returned a function in `send`',
  });
  expect(runner.state).toBe('running');
});

test('a record for a thread that cannot be copied fails in the node that would read it', async () => {
  const table = new Table();
  const source = defineSource({
    name: 'odd-source',
    summary: 'Sends a measure with a function, and one without.',
    config: Type.Object({}),
    examples: [],
    outputs: ['measure'],
    replayable: true,
    create: () => ({
      open: async (_, output) => {
        const send = { ...measure('odd', 1, 1), details: { send: () => undefined } } as Measure;
        await output.offer({ position: 1, data: [send, measure('good', 2, 2)] });
        await aborted(output.signal);
      },
    }),
  });
  const runner = runnerOf(
    threaded({
      in: { component: source },
      odd: { component: inThread(odd), config: { part: 'none' }, from: ['in'] },
      out: { component: table.component, from: ['odd'] },
    }),
  );
  await runner.start();
  await until('the other row', () => table.rows.length === 1);
  const letters = await runner.deadLetters();
  expect(letters.map(({ node, code }) => [node, code])).toEqual([['odd', 'thread.not_copied']]);
  expect(letters[0]!.reason).toContain('a function in `details.send`');
  expect(table.rows).toEqual(['good@2=2']);
});

test('a configuration that cannot be copied ends the start, and names node and field', async () => {
  const runner = runnerOf(
    threaded({
      in: { component: new Radio().component },
      tally: { component: inThread(tally), from: ['in'] },
      odd: { component: inThread(odd), config: { part: 'none', call: () => undefined }, from: ['in'] },
    }),
  );
  await expect(runner.start()).rejects.toThrow(
    /^odd \(odd\): it cannot run in a thread, because it has a function in `config.call`/,
  );
});

test('the gate is shut for the node that takes most of the time', async () => {
  const [radio, table] = [new Radio(), new Table()];
  const metrics = createMetrics();
  const runner = runnerOf(
    threaded({
      in: { component: radio.component },
      tally: { component: inThread(tally), from: ['in'] },
      odd: { component: inThread(odd), config: { part: 'slow' }, from: ['in'] },
      out: { component: table.component, from: ['odd'] },
    }),
    { metrics },
  );
  await runner.start();
  // Together they take longer than the oldest may wait.
  for (let number = 0; number < 15; number++) await radio.send([number]);
  await until('all rows', () => table.rows.length === 15);
  await until('an open gate', () => metrics.node('test', 'odd').gateClosedSeconds > 0);
  expect(metrics.node('test', 'tally').gateClosedSeconds).toBe(0);
});
