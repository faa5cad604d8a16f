import { expect, test } from 'vitest';
import { defineOperator, defineSource, NOTHING, type Component } from '../../pipeline/component/index.js';
import { Type } from 'typebox';
import type { Patience } from '../../pipeline/runtime/nodes/host.js';
import { aborted, counter, runnerOf, sum, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';

/** An operator whose `open` blocks until the test releases it. */
function slow() {
  let release: () => void = () => undefined;
  let opened = 0;
  const component = defineOperator({
    name: 'slow',
    summary: 'Opens slowly.',
    inputs: ['csi'],
    outputs: ['csi'],
    config: Type.Object({}),
    examples: [],
    create: () => ({
      open: () => {
        opened++;
        return new Promise<void>((resolve) => (release = resolve));
      },
      process: () => NOTHING,
    }),
  });
  return {
    component: component as Component,
    opened: () => opened,
    /** Finishes the opening of the operator that was opened last. */
    get release() {
      return release;
    },
  };
}

/** Runs until it is stopped. */
const summing = () =>
  runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 1000, holdAt: 10 } },
        sums: { component: sum, from: ['in'] },
        out: { component: new Table().component, from: ['sums'] },
      },
      temporaryFolder(),
    ),
  );

const withSlow = (component: Component, patience: Partial<Patience> = {}) =>
  runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 1000, holdAt: 10 } },
        slow: { component, from: ['in'] },
        sums: { component: sum, from: ['slow'] },
        out: { component: new Table().component, from: ['sums'] },
      },
      temporaryFolder(),
    ),
    { patience },
  );

test('the steps of a slow start show its progress', async () => {
  const node = slow();
  const runner = withSlow(node.component);
  const started = runner.start();
  await until('the operator opens', () => node.opened() === 1);
  expect(runner.status().steps).toEqual([
    { step: 'hardware_initialization', status: 'completed', progress: 1 },
    { step: 'model_loading', status: 'in_progress', progress: 0 },
    { step: 'data_pipeline_start', status: 'pending', progress: 0 },
  ]);
  node.release();
  await started;
  expect(runner.status().steps.every(({ progress }) => progress === 1)).toBe(true);
  await runner.stop();
});

test('a stop during a start waits for it, and the topology stays stopped', async () => {
  const node = slow();
  const runner = withSlow(node.component);
  const started = runner.start();
  await until('the operator opens', () => node.opened() === 1);
  const states: string[] = [];
  runner.onChange(({ state }) => states.push(state));
  const stopped = runner.stop();
  expect(runner.status().state).toBe('stopping');
  node.release();
  await Promise.all([started, stopped]);
  expect(runner.status().state).toBe('stopped');
  expect(states).not.toContain('running');
  const again = runner.start();
  await until('the operator opens again', () => node.opened() === 2);
  node.release();
  await again;
  await runner.stop();
});

test('a restart has a new session at once, reports it, and runs again', async () => {
  const runner = summing();
  await runner.start();
  const before = runner.status().sessionId;
  const states = new Set<string>();
  runner.onChange(({ state }) => states.add(state));
  const restarted = runner.restart();
  const { sessionId, state, steps } = runner.status();
  expect(state).toBe('restarting');
  expect(sessionId).not.toBe(before);
  expect(steps.map(({ step }) => step)).toEqual([
    'data_pipeline_stop',
    'model_unloading',
    'hardware_initialization',
    'model_loading',
    'data_pipeline_start',
  ]);
  await restarted;
  expect(runner.status()).toMatchObject({ state: 'running', sessionId });
  expect(runner.status().steps.every(({ status }) => status === 'completed')).toBe(true);
  expect([...states].sort()).toEqual(['restarting', 'running']);
  await runner.stop();
});

test('a stop during a restart takes precedence', async () => {
  const node = slow();
  const runner = withSlow(node.component);
  const started = runner.start();
  await until('the operator opens', () => node.opened() === 1);
  node.release();
  await started;
  const restarted = runner.restart();
  await until('the operator opens again', () => node.opened() === 2);
  const stopped = runner.stop();
  node.release();
  await Promise.all([restarted, stopped]);
  expect(runner.status().state).toBe('stopped');
});

test('a forced stop does not wait for a node that hangs', async () => {
  const hanging = defineOperator({
    name: 'hanging',
    summary: 'Never closes.',
    inputs: ['csi'],
    outputs: ['csi'],
    config: Type.Object({}),
    examples: [],
    create: () => ({ process: () => NOTHING, close: () => new Promise<void>(() => undefined) }),
  });
  const topology = topologyOf(
    {
      in: { component: counter, config: { count: 1000, holdAt: 10 } },
      hanging: { component: hanging, from: ['in'] },
      sums: { component: sum, from: ['hanging'] },
      out: { component: new Table().component, from: ['sums'] },
    },
    temporaryFolder(),
  );
  // Far longer than a test.
  const runner = runnerOf(topology, { patience: { stopMs: 600_000, forcedStopMs: 20 } });
  await runner.start();
  await runner.stop({ force: true });
  expect(runner.status().state).toBe('stopped');
});

test('two stops count as one, and a start after the first is not undone by the second', async () => {
  const runner = summing();
  await runner.start();
  const first = runner.stop().then(() => runner.start());
  const second = runner.stop();
  await Promise.all([first, second]);
  expect(runner.status().state).toBe('running');
  const progress: number[] = [];
  runner.onChange(({ state, steps }) => {
    if (state === 'stopping') progress.push(steps[0]!.progress);
  });
  await Promise.all([runner.stop(), runner.stop(), runner.stop({ force: true })]);
  expect(progress).toEqual([...progress].sort((a, b) => a - b));
});

test('a forced stop abandons a start that hangs; the next start is a new one', async () => {
  const node = slow();
  const runner = withSlow(node.component, { forcedStopMs: 5 });
  const left = runner.start();
  await until('the operator opens', () => node.opened() === 1);
  const { release: releaseLeft } = node;
  const graceful = runner.stop();
  await Promise.all([graceful, runner.stop({ force: true })]);
  expect(runner.status().state).toBe('stopped');
  releaseLeft();
  await expect(left).rejects.toThrow('it was stopped during its start');
  expect(runner.status()).toMatchObject({ state: 'stopped', problem: null });
  const again = runner.start();
  await until('the operator opens again', () => node.opened() === 2);
  node.release();
  await again;
  expect(runner.status().state).toBe('running');
  await runner.stop();
});

test('only a running topology is restarted; a starting one continues', async () => {
  const node = slow();
  const runner = withSlow(node.component);
  const started = runner.start();
  await until('the operator opens', () => node.opened() === 1);
  await expect(runner.restart()).rejects.toMatchObject({ code: 'lifecycle.conflict' });
  node.release();
  await started;
  expect(runner.status().state).toBe('running');
  await runner.stop();
});

test('an apply does not start a topology that is being stopped', async () => {
  const node = slow();
  const runner = withSlow(node.component);
  const started = runner.start();
  await until('the operator opens', () => node.opened() === 1);
  node.release();
  await started;
  const stopped = runner.stop();
  const { topology } = runner;
  await runner.apply(topology, runner.plan(topology).hash);
  await stopped;
  expect(runner.status().state).toBe('stopped');
});

test('a source error at any moment fails the start or triggers a recovery', async () => {
  for (let turns = 0; turns < 12; turns++) {
    let failures = 0;
    const failing = defineSource({
      name: 'failing',
      summary: 'Fails once, so many turns after it has said that it is open.',
      config: Type.Object({}),
      examples: [],
      outputs: ['csi'],
      replayable: true,
      create: () => ({
        async open(_position, output) {
          output.ready?.();
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          if (failures++ === 0) throw new Error('the cable is out');
          await aborted(output.signal);
        },
      }),
    });
    const runner = runnerOf(
      topologyOf(
        { in: { component: failing }, out: { component: new Table().component, from: ['in'] } },
        temporaryFolder(),
      ),
    );
    const states = new Set<string>();
    runner.onChange(({ state }) => states.add(state));
    const problem = await runner.start().catch((error: unknown) => error);
    if (problem === undefined) await until(`recovery after ${turns} turns`, () => states.has('restarting'));
    else expect(problem).toMatchObject({ message: expect.stringContaining('the cable is out') as string });
    await runner.stop({ force: true });
  }
});

test('the session and its time are those of the start, even after a recovery', async () => {
  let fail: () => void = () => undefined;
  const failing = defineSource({
    name: 'failing',
    summary: 'Fails when the test says so.',
    config: Type.Object({}),
    examples: [],
    outputs: ['csi'],
    replayable: true,
    create: () => ({
      open: (_position, output) =>
        new Promise<void>((resolve, reject) => {
          fail = () => {
            reject(new Error('the cable is out'));
          };
          output.signal.addEventListener('abort', () => {
            resolve();
          });
          output.ready?.();
        }),
    }),
  });
  const runner = runnerOf(
    topologyOf(
      { in: { component: failing }, out: { component: new Table().component, from: ['in'] } },
      temporaryFolder(),
    ),
  );
  await runner.start();
  const { sessionId, startedAt } = runner.status();
  const states: string[] = [];
  runner.onChange(({ state }) => states.push(state));
  fail();
  await until('the recovery', () => states.at(-1) === 'running' && states.includes('restarting'));
  expect(runner.status()).toMatchObject({ sessionId, startedAt });
  await runner.stop();
});
