import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { defineOperator, type Output } from '../../pipeline/component/index.js';
import type { CsiBlock, SensedEvent } from '../../pipeline/model/index.js';
import { counter, Radio, runnerOf, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';
import { sensedEvent } from '../support/records.js';
import { FaultyStore, refused } from './faulty-store.js';

/** Frames from 100 on are alerts; earlier ones pass unchanged. */
const alarms = defineOperator({
  name: 'alarms',
  summary: 'Events of some frames.',
  config: Type.Object({}),
  examples: [],
  inputs: ['csi'],
  outputs: ['csi', 'event'],
  create: () => ({
    process: (data): Output<CsiBlock | SensedEvent> => {
      if (data.sequence[0]! < 100) return { data: [data] };
      const events: SensedEvent[] = [...data.sequence].map((number) =>
        sensedEvent(number, { id: `fall-${number}` }),
      );
      return { data: events };
    },
  }),
});

function alerting(store: FaultyStore, checkpointIntervalMs: number) {
  const radio = new Radio();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: radio.component, queue: { capacity: 1000 } },
        alarms: { component: alarms, from: ['in'] },
        out: { component: store.component(), from: ['alarms'] },
      },
      temporaryFolder(),
      { checkpointIntervalMs },
    ),
    { patience: { stopMs: 200 } },
  );
  return { radio, runner };
}

test('a recording that waits for a full outbox continues once that is delivered', async () => {
  const store = new FaultyStore('idempotent');
  store.down = refused;
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 10_000, block: 1 } },
        out: { component: store.component(), from: ['in'] },
      },
      temporaryFolder(),
      { outboxLimitBytes: 100_000, checkpointIntervalMs: 300 },
    ),
  );
  await runner.start();
  await until('the gate to shut', () => runner.status().nodes[1]!.received > 100);
  let before = -1;
  await until('the source to wait', () => {
    const { received } = runner.status().nodes[1]!;
    const same = received === before;
    before = received;
    return same;
  });
  store.down = null;
  await until('all', () => store.size === 10_000);
  expect(runner.status().nodes[1]!.dropped).toEqual({});
});

/** A sink whose flush waits until `answer` is called; checkpoints continue in the meantime. */
async function slowFlush(numbers: readonly number[], lies: number, checkpoints: number, intervalMs: number) {
  const store = new FaultyStore('at-least-once');
  const { radio, runner } = alerting(store, intervalMs);
  await runner.start();
  let answer: () => void = () => undefined;
  store.lies = lies;
  store.flushes = new Promise((resolve) => {
    answer = () => {
      store.flushes = null;
      resolve();
    };
  });
  for (const number of numbers) await radio.send([number]);
  const epoch = runner.status().checkpoint?.epoch ?? 0;
  const reached = () => (runner.status().checkpoint?.epoch ?? 0) >= epoch + checkpoints;
  await until('checkpoints that did not wait', () => reached() && runner.status().nodes[2]!.sent > 0);
  return { store, radio, answer };
}

test('an alert that a slow flush finds unsent is sent later', async () => {
  const { store, answer } = await slowFlush([100], 1, 1, 500);
  answer();
  await until('the alert', () => store.size === 1);
});

test('a slow flush that succeeds: nothing is repeated, and people are notified once', async () => {
  // Alerts only: a busy machine may shed frames.
  const numbers = Array.from({ length: 120 }, (_, index) => 100 + index);
  const { store, radio, answer } = await slowFlush(numbers, 0, 3, 20);
  answer();
  await radio.send([220]);
  await until('the last one', () => store.stored.includes('fall-220'));
  expect(store.arrivals).toHaveLength(121);
});

test('records that a flush secures during a hanging write are not repeated', async () => {
  const store = new FaultyStore('at-least-once');
  const { radio, runner } = alerting(store, 700);
  await runner.start();
  const epoch = () => runner.status().checkpoint?.epoch ?? 0;
  const before = epoch();
  await until('a checkpoint that has just been', () => epoch() > before);
  await radio.send([1]);
  await until('the first one', () => store.size === 1);
  let answer: () => void = () => undefined;
  store.hangs = new Promise((resolve) => (answer = resolve));
  await radio.send([2]);
  const now = epoch();
  await until('a checkpoint that did not wait', () => epoch() > now);
  store.hangs = null;
  answer();
  await radio.send([3]);
  await until('the last one', () => store.arrivals.length >= 3);
  await runner.stop();
  expect(store.arrivals).toHaveLength(3);
});

test('an alert during a partial delivery: delivered records are not repeated', async () => {
  const store = new FaultyStore('at-least-once');
  const { radio, runner } = alerting(store, 20);
  await runner.start();
  let answer: () => void = () => undefined;
  store.hangs = new Promise((resolve) => {
    answer = resolve;
  });
  void radio.send([1]);
  await until('the first write', () => store.largest === 1);
  // Records behind a hanging write form one entry.
  for (let number = 2; number <= 20; number++) void radio.send([number]);
  await until('the backlog', () => runner.status().nodes[2]!.received === 20);
  const epoch = runner.status().checkpoint?.epoch ?? 0;
  await until('the outbox', () => (runner.status().checkpoint?.epoch ?? 0) > epoch + 2);
  store.hangs = null;
  store.refuse = (record) => {
    if (record.port !== 'csi' || record.sequence[0]! <= 10) return null;
    store.down = refused;
    return { code: 'store.busy', reason: 'too many requests', retriable: true };
  };
  answer();
  await until('the other half to be left', () => (runner.status().problem ?? '').includes('ECONNREFUSED'));
  expect(store.size).toBe(10);
  void radio.send([100]);
  await until('the alert', () => runner.status().nodes[2]!.received === 21);
  store.refuse = () => null;
  store.down = null;
  await until('all', () => new Set(store.arrivals).size === 21);
  expect(store.arrivals).toHaveLength(21);
});

test('an alert that a client wrongly reported as sent is sent later', async () => {
  const store = new FaultyStore('at-least-once');
  const { radio, runner } = alerting(store, 20);
  await runner.start();
  store.lies = 1;
  for (let number = 100; number < 103; number++) await radio.send([number]);
  await until('all', () => new Set(store.stored).size === 3);
});

test('waiting records are merged: many alerts go in a few writes', async () => {
  const store = new FaultyStore('at-least-once');
  store.down = refused;
  const { radio, runner } = alerting(store, 1000);
  await runner.start();
  const out = () => runner.status().nodes[2]!;
  for (let number = 1; number <= 100; number++) {
    await radio.send([99 + number]);
    await until('it to wait', () => out().received === number && out().queueDepth === 0);
  }
  store.writes = 0;
  store.down = null;
  await until('all', () => store.size === 100);
  expect(store.writes).toBeLessThan(20);
});

test('waiting records are merged even if the store answers late', async () => {
  const store = new FaultyStore('at-least-once');
  const { radio, runner } = alerting(store, 1000);
  await runner.start();
  await until('it is open', () => store.opened > 0);
  store.down = refused;
  const out = () => runner.status().nodes[2]!;
  for (let number = 1; number <= 40; number++) {
    await radio.send([99 + number]);
    await until('it to wait', () => out().received === number && out().queueDepth === 0);
  }
  await until('one that was tried again and again', () => store.writes >= 6);
  store.writes = 0;
  store.late = 300;
  store.down = null;
  await until('all', () => store.size === 40);
  expect(store.writes).toBeLessThan(12);
});

test('an alert that the store always rejects delays neither alerts nor data, and is named', async () => {
  const store = new FaultyStore('at-least-once');
  store.refuse = (record) =>
    record.port === 'event' && record.id === 'fall-101'
      ? { code: 'store.busy', reason: 'not this one', retriable: true }
      : null;
  const { radio, runner } = alerting(store, 50);
  await runner.start();
  for (let number = 100; number < 112; number++) await radio.send([number]);
  for (let number = 0; number < 12; number++) await radio.send([number]);
  await until('the others', () => store.size === 23);
  await until('its name', () => (runner.status().problem ?? '').includes('not this one'));
  expect(await runner.deadLetters()).toEqual([]);
  store.refuse = () => null;
  await until('it, too', () => store.stored.includes('fall-101'));
  await until('it is well', () => runner.status().state === 'running');
});

test('an alert on which every write fails delays no other', async () => {
  const store = new FaultyStore('at-least-once');
  store.refuse = (record) => {
    if (record.port === 'event' && record.id === 'fall-101')
      throw Object.assign(new Error('internal error'), { retriable: true });
    return null;
  };
  const { radio, runner } = alerting(store, 50);
  await runner.start();
  for (let number = 100; number < 112; number++) void radio.send([number]);
  await until('the others', () => new Set(store.stored).size >= 11);
  expect(store.stored).not.toContain('fall-101');
  await runner.stop();
});
