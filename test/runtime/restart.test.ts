import { expect, test } from 'vitest';
import { defineOperator, NOTHING, type Component } from '../../pipeline/component/index.js';
import { Type } from 'typebox';
import { counter, runnerOf, sum, Table, temporaryFolder, topologyOf, until } from '../support/flow.js';

/** An operator whose `open` takes until the test lets it go on. */
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
    release: () => {
      release();
    },
  };
}

const withSlow = (component: Component) =>
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
  );

test('the steps of a slow start show how far it is', async () => {
  const { component, opened, release } = slow();
  const runner = withSlow(component);
  const started = runner.start();
  await until('the operator opens', () => opened() === 1);
  expect(runner.status().steps).toEqual([
    { step: 'hardware_initialization', status: 'completed', progress: 1 },
    { step: 'model_loading', status: 'in_progress', progress: 0 },
    { step: 'data_pipeline_start', status: 'pending', progress: 0 },
  ]);
  release();
  await started;
  expect(runner.status().steps.every(({ progress }) => progress === 1)).toBe(true);
  await runner.stop();
});

test('a stop during a start waits for it, and it stays stopped', async () => {
  const { component, opened, release } = slow();
  const runner = withSlow(component);
  const started = runner.start();
  await until('the operator opens', () => opened() === 1);
  const states: string[] = [];
  runner.onChange(({ state }) => states.push(state));
  const stopped = runner.stop();
  expect(runner.status().state).toBe('stopping');
  release();
  await Promise.all([started, stopped]);
  expect(runner.status().state).toBe('stopped');
  expect(states).not.toContain('running');
  const again = runner.start();
  await until('the operator opens again', () => opened() === 2);
  release();
  await again;
  await runner.stop();
});

test('a restart has a new session at once, says so, and runs again', async () => {
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 1000, holdAt: 10 } },
        sums: { component: sum, from: ['in'] },
        out: { component: new Table().component, from: ['sums'] },
      },
      temporaryFolder(),
    ),
  );
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

test('a stop during a restart wins', async () => {
  const { component, opened, release } = slow();
  const runner = withSlow(component);
  const started = runner.start();
  await until('the operator opens', () => opened() === 1);
  release();
  await started;
  const restarted = runner.restart();
  await until('the operator opens again', () => opened() === 2);
  const stopped = runner.stop();
  release();
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
  // Far beyond the time of a test.
  const runner = runnerOf(topology, { patience: { stopMs: 600_000, forcedStopMs: 20 } });
  await runner.start();
  await runner.stop({ force: true });
  expect(runner.status().state).toBe('stopped');
});
