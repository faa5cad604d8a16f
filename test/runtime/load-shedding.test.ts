import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { defineOperator, NOTHING, type Output } from '../../pipeline/component/index.js';
import type { Data, Measure, Window } from '../../pipeline/model/index.js';
import { systemClock } from '../../pipeline/base/clock.js';
import { counter, measure, Radio, runnerOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { starvedMs, until } from '../support/waiting.js';

const ROOMS = 20;
const MAX_LAG_MS = 1500;
const settings = { maxLagMs: MAX_LAG_MS, checkpointIntervalMs: 1_000_000 };

const windowOf = (number: number, time: number): Window => ({
  port: 'window',
  environment: `room-${number % ROOMS}`,
  index: number,
  start: time,
  step: 0,
  points: 1,
  links: [],
  provenance: { origin: 'simulated' },
});

/** A window for each frame; rooms alternate. */
const windows = defineOperator({
  name: 'windows',
  summary: 'A window for each frame.',
  config: Type.Object({}),
  examples: [],
  inputs: ['csi'],
  outputs: ['window'],
  create: () => ({
    process: (data): Output<Window> => ({
      data: Array.from(data.sequence, (number, index) => windowOf(number, data.time[index]!)),
    }),
  }),
});

/** Processes one window after the other, each in `msEach`. */
class Network {
  msEach = 10;
  #last: Promise<void> = Promise.resolve();

  readonly component = defineOperator({
    name: 'network',
    summary: 'Takes its time.',
    config: Type.Object({}),
    examples: [],
    inputs: ['window'],
    outputs: ['measure'],
    asynchronous: { maxInFlight: () => 64 },
    create: () => ({
      process: async (data: Data): Promise<Output<Measure>> => {
        if (data.port !== 'window') return NOTHING;
        const before = this.#last;
        this.#last = before.then(() => new Promise((resolve) => setTimeout(resolve, this.msEach)));
        await this.#last;
        const lagMs = (systemClock.now() - data.start) / 1000;
        return { data: [measure(`${data.index}`, data.start, lagMs)] };
      },
    }),
  });
}

function site() {
  const [radio, network, table] = [new Radio(), new Network(), new Table()];
  /** Records written to a store that cannot rewind. */
  const reported: Measure[] = [];
  table.before = (records) => {
    reported.push(...(records as readonly Measure[]));
  };
  const topology = topologyOf(
    {
      // A separate age limit, never reached: only the network is to shed.
      in: { component: radio.component, queue: { capacity: 100_000, maxAgeMs: 3_600_000 } },
      windows: { component: windows, from: ['in'] },
      network: { component: network.component, from: ['windows'] },
      out: { component: table.telling, from: ['network'] },
    },
    temporaryFolder(),
    settings,
  );
  return { radio, network, reported, topology };
}

/** Sends a frame every `everyMs` until the returned function is called, which returns their number. */
function sending(radio: Radio, everyMs: number, first = 0): () => number {
  const began = performance.now();
  let number = first;
  const timer = setInterval(() => {
    for (; first + (performance.now() - began) / everyMs > number; number++)
      void radio.send([number], [systemClock.now()]);
  }, 5);
  return () => {
    clearInterval(timer);
    return number;
  };
}

const numbersOf = (reported: readonly Measure[]) => reported.map(({ name }) => Number(name));

test('at ten times the capacity results stay fresh, rooms share fairly, and the node reports it', async () => {
  const { radio, reported, topology } = site();
  const runner = runnerOf(topology);
  const starved = starvedMs();
  await runner.start();
  const stop = sending(radio, 1);
  await until('degraded', () => /can process [\d.]/.test(runner.status().problem ?? ''));
  expect(runner.status().state).toBe('degraded');
  expect(runner.status().problem).toMatch(/^network: it can process [\d.]+ of \d+ windows\/s/);
  await until('300 results', () => reported.length > 300);
  const count = stop();
  await until('the end of overload', () => runner.status().state === 'running');
  expect(Math.max(...reported.map(({ value }) => value))).toBeLessThan(MAX_LAG_MS + starvedMs() - starved);
  const numbers = numbersOf(reported);
  const shares = Array.from(
    { length: ROOMS },
    (_, room) => numbers.filter((number) => number % ROOMS === room).length,
  );
  expect(Math.max(...shares)).toBeLessThanOrEqual(2 * Math.min(...shares));
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  const { dropped } = runner.status().nodes.find(({ id }) => id === 'network')!;
  expect((dropped['superseded'] ?? 0) + (dropped['stale'] ?? 0) + reported.length).toBe(count);
});

test('a recovery sheds what the run before it shed, and nothing else of the reported range', async () => {
  const { radio, network, reported, topology } = site();
  const runner = runnerOf(topology);
  await runner.start();
  const stop = sending(radio, 1);
  await until('200 results', () => reported.length > 200);
  stop();
  await runner.stop({ saveState: false });
  const before = numbersOf(reported);
  expect(before.at(-1)! + 1).toBeGreaterThan(2 * before.length);
  reported.length = 0;
  network.msEach = 0;
  await runner.start();
  await until('all of it again', () => numbersOf(reported).some((number) => number >= before.at(-1)!));
  await runner.stop();
  expect(numbersOf(reported).slice(0, before.length)).toEqual(before);
});

test('replayable input is not shed: the source waits', async () => {
  const [network, table] = [new Network(), new Table()];
  network.msEach = 1;
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 500, block: 1 } },
        windows: { component: windows, from: ['in'] },
        network: { component: network.component, from: ['windows'] },
        out: { component: table.component, from: ['network'] },
      },
      temporaryFolder(),
      { ...settings, maxLagMs: 200 },
    ),
  );
  await runner.start();
  await runner.finished();
  expect(table.stored).toHaveLength(500);
  expect(runner.status().nodes.find(({ id }) => id === 'network')!.dropped).toEqual({});
});

/** Blocks the processor for `msEach` per block, like a chain that cannot keep up. */
const slow = (msEach: number, pace = { msEach }) =>
  defineOperator({
    name: 'slow',
    summary: 'Computes.',
    config: Type.Object({}),
    examples: [],
    inputs: ['csi'],
    outputs: ['measure'],
    create: () => ({
      process: (data): Output<Measure> => {
        for (const end = performance.now() + pace.msEach; performance.now() < end;);
        const time = data.time[0]!;
        return { data: [measure(`${data.sequence[0]}`, time, (systemClock.now() - time) / 1000)] };
      },
    }),
  });

test('frames beyond the capacity of the processor are dropped before the pump, and the node reports it', async () => {
  const [radio, table] = [new Radio(), new Table()];
  const lags: number[] = [];
  table.before = (records) => {
    lags.push(...(records as readonly Measure[]).map(({ value }) => value));
  };
  const topology = topologyOf(
    {
      in: { component: radio.component, queue: { capacity: 65_536, policy: 'drop_oldest' } },
      slow: { component: slow(10), from: ['in'] },
      out: { component: table.telling, from: ['slow'] },
    },
    temporaryFolder(),
    { checkpointIntervalMs: 1_000_000, maxLagMs: 2_000 },
  );
  const runner = runnerOf(topology);
  const starved = starvedMs();
  await runner.start();
  const stop = sending(radio, 1);
  await until('degraded', () => /can process [\d.]/.test(runner.status().problem ?? ''));
  expect(runner.status().problem).toMatch(
    /^in: it can process [\d.]+ of \d+ frames\/s: input that waits too long is dropped\. Most of the time goes to slow/,
  );
  await until('150 results', () => lags.length > 150);
  const sent = stop();
  await until('running again', () => runner.status().state === 'running');
  expect(Math.max(...lags)).toBeLessThan(2000 + starvedMs() - starved);
  expect([radio.overloads[0], radio.overloads.at(-1)]).toEqual([true, false]);
  await runner.stop();
  const { received, dropped } = runner.status().nodes[0]!;
  expect(received + dropped['stale']!).toBe(sent);
});

test('a backlog from a pause is not dropped when the node can catch up', async () => {
  const [radio, table] = [new Radio(), new Table()];
  const topology = topologyOf(
    {
      in: { component: radio.component, queue: { capacity: 65_536, policy: 'drop_oldest' } },
      slow: { component: slow(0), from: ['in'] },
      out: { component: table.telling, from: ['slow'] },
    },
    temporaryFolder(),
    { checkpointIntervalMs: 1_000_000, maxLagMs: 400 },
  );
  const runner = runnerOf(topology);
  await runner.start();
  for (let number = 0; number < 50; number++) void radio.send([number]);
  // Nothing is read in the meantime.
  for (const end = performance.now() + 300; performance.now() < end;);
  await until('all of it', () => table.stored.length === 50 || runner.status().nodes[0]!.sent === 50);
  expect(runner.status().nodes[0]!.dropped).toEqual({});
});

test('a recovery drops what the source dropped before, and keeps the rest, once', async () => {
  const [radio, table, pace] = [new Radio(), new Table(), { msEach: 10 }];
  let reported: number[] = [];
  table.before = (records) => {
    reported.push(...numbersOf(records as readonly Measure[]));
  };
  const topology = topologyOf(
    {
      in: { component: radio.component, queue: { capacity: 65_536, policy: 'drop_oldest' } },
      slow: { component: slow(0, pace), from: ['in'] },
      out: { component: table.telling, from: ['slow'] },
    },
    temporaryFolder(),
    { checkpointIntervalMs: 1_000_000, maxLagMs: 2_000 },
  );
  const runner = runnerOf(topology);
  await runner.start();
  const source = () => runner.status().nodes[0]!;
  const stop = sending(radio, 1);
  await until('frames to be left out, and others after them', () => {
    const { dropped, received } = source();
    return (dropped['stale'] ?? 0) > 50 && received > 10;
  });
  const sent = stop();
  await runner.stop({ saveState: false });
  const [before, stale] = [reported, source().dropped['stale']!];
  reported = [];
  pace.msEach = 0;
  await runner.start();
  await until('everything else', () => reported.length >= sent - stale);
  await runner.stop();
  expect(reported).toHaveLength(sent - stale);
  expect(new Set(reported).size).toBe(reported.length);
  expect(reported.slice(0, before.length)).toEqual(before);
  expect(source().dropped['stale']).toBe(stale);
}, 60_000);
