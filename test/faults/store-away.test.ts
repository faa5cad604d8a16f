import { describe, expect, test } from 'vitest';
import type { AnySink, Recovery } from '../../pipeline/component/index.js';
import { Radio, runnerOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';
import { FaultyStore, refused } from './faulty-store.js';

/** A radio, a store that a test breaks, and a healthy sibling. */
function site(recovery: Recovery, folder = temporaryFolder(), store = new FaultyStore(recovery)) {
  const radio = new Radio();
  const sibling = new Table();
  const topology = topologyOf(
    {
      in: { component: radio.component, queue: { capacity: 1000 } },
      out: { component: store.component(), from: ['in'] },
      sibling: { component: sibling.component, from: ['in'] },
    },
    folder,
  );
  const runner = runnerOf(topology, { patience: { openMs: 200, stopMs: 200 } });
  return { radio, store, sibling, runner, folder };
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `csi@${(from + index) * 1000}x1`);

async function send(radio: Radio, from: number, to: number) {
  for (let number = from; number < to; number++) await radio.send([number]);
}

const RECOVERIES = ['idempotent', 'rewind', 'at-least-once'] as const;

describe.each(RECOVERIES)('a store (%s)', (recovery) => {
  test('offline at the start: starts degraded, other sinks run, and it receives everything in order later', async () => {
    const { radio, store, sibling, runner } = site(recovery);
    store.down = refused;
    await runner.start();
    expect(runner.status()).toMatchObject({ state: 'degraded' });
    expect(runner.status().problem).toMatch(/^out: its store is offline: connect ECONNREFUSED/);
    await send(radio, 1, 20);
    await until('the sibling', () => sibling.rows.length === 19);
    store.down = null;
    await until('all', () => store.size === 19);
    expect(store.stored).toEqual(numbers(1, 20));
    expect(runner.status().state).toBe('running');
  });

  test('offline at the start and over a restart: nothing is lost or duplicated', async () => {
    const first = site(recovery);
    first.store.down = refused;
    await first.runner.start();
    await send(first.radio, 1, 20);
    await until('the sibling', () => first.sibling.rows.length === 19);
    await first.runner.stop();
    const second = site(recovery, first.folder, first.store);
    await second.runner.start();
    await send(second.radio, 20, 30);
    await until('the sibling', () => second.sibling.rows.length === 10);
    first.store.down = null;
    await until('all', () => first.store.size === 29);
    expect(first.store.stored).toEqual(numbers(1, 30));
  });

  test('offline for a while: degraded, checkpoints and other sinks continue, and it receives everything in order', async () => {
    const { radio, store, sibling, runner } = site(recovery);
    await runner.start();
    await send(radio, 1, 10);
    await until('what came before', () => store.size === 9);
    store.down = refused;
    await send(radio, 10, 40);
    await until('degraded', () => runner.status().state === 'degraded');
    const epoch = runner.status().checkpoint?.epoch ?? 0;
    await until('two checkpoints', () => (runner.status().checkpoint?.epoch ?? 0) >= epoch + 2);
    await until('the sibling', () => sibling.rows.length === 39);
    store.down = null;
    await until('all', () => new Set(store.stored).size === 39);
    await until('running', () => runner.status().state === 'running');
    expect(withoutRepeats(store.stored)).toEqual(numbers(1, 40));
    if (recovery !== 'at-least-once') expect(store.stored).toHaveLength(39);
  });

  test('that hangs while opening does not block the start', async () => {
    const { radio, store, sibling, runner } = site(recovery);
    let answer: () => void = () => undefined;
    const component = store.component();
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const hanging: AnySink = {
      ...component,
      create: (config, context) => {
        const sink = component.create(config, context);
        return Object.assign(sink, { open: open.bind(null, late, sink.open.bind(sink)) });
      },
    };
    const topology = topologyOf(
      {
        in: { component: radio.component },
        out: { component: hanging, from: ['in'] },
        sibling: { component: sibling.component, from: ['in'] },
      },
      temporaryFolder(),
    );
    const patient = runnerOf(topology, { patience: { openMs: 20, stopMs: 200 } });
    await patient.start();
    expect(patient.status().problem).toBe('out: its store is offline: it has not answered for 20 ms');
    await send(radio, 1, 6);
    await until('the sibling', () => sibling.rows.length === 5);
    answer();
    await until('all', () => store.size === 5);
    expect(patient.status().state).toBe('running');
    expect(runner.status().state).toBe('stopped');
  });
});

test('a configuration error prevents the start, and is reported', async () => {
  const { store, runner } = site('idempotent');
  store.down = () => new Error('there is no database `csi`: create it, or set `database`');
  await expect(runner.start()).rejects.toThrow('out (faulty-store): there is no database `csi`');
  expect(runner.status().state).toBe('failed');
});

test.each([null, refused])('a store that opens only after the stop is closed again', async (rewinds) => {
  const { store, runner } = site('rewind');
  let answer = (): void => undefined;
  store.opens = new Promise((resolve) => (answer = resolve));
  store.rewinds = rewinds;
  await runner.start();
  expect(runner.status().problem).toMatch(/^out: its store is offline: it has not answered/);
  await runner.stop();
  answer();
  await until('it to open', () => store.opened === 1);
  await until('nothing to hold it', () => store.held === 0);
  store.opens = store.rewinds = null;
  await runner.start();
  expect(runner.status().state).toBe('running');
  expect(store.held).toBe(1);
});

test('credentials that expire while stopped: it starts, since it worked before', async () => {
  const first = site('idempotent');
  await first.runner.start();
  await until('a checkpoint', () => (first.runner.status().checkpoint?.epoch ?? 0) > 0);
  await first.runner.stop();
  first.store.down = () => new Error('401: the token has expired; make a new one and set INFLUX_TOKEN');
  const second = site('idempotent', first.folder, first.store);
  await second.runner.start();
  expect(second.runner.status()).toMatchObject({
    state: 'degraded',
    problem: 'out: its store is offline: 401: the token has expired; make a new one and set INFLUX_TOKEN',
  });
  await send(second.radio, 1, 5);
  await until('the sibling', () => second.sibling.rows.length === 4);
  first.store.down = null;
  await until('all', () => first.store.size === 4);
});

test('credentials that expire while running: degraded with the reason, and complete with new ones', async () => {
  const { radio, store, runner } = site('idempotent');
  await runner.start();
  store.down = () => new Error('401: the token has expired; make a new one and set INFLUX_TOKEN');
  await send(radio, 1, 10);
  await until('degraded', () => (runner.status().problem ?? '').includes('the token has expired'));
  store.down = null;
  await until('all', () => store.size === 9);
  expect(store.stored).toEqual(numbers(1, 10));
});

async function open(wait: Promise<void>, then: () => Promise<void>): Promise<void> {
  await wait;
  await then();
}

/** Without repetitions: each at its first occurrence. */
const withoutRepeats = (all: readonly string[]) => [...new Set(all)];
