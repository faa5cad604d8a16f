import { expect, test } from 'vitest';
import type { Recovery } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import type { Settings } from '../../pipeline/config/topology/topology.js';
import { Radio, runnerOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';
import { FaultyStore, identityOf } from './faulty-store.js';

function site(recovery: Recovery, settings: Partial<Settings> = {}, patience = {}) {
  const store = new FaultyStore(recovery);
  const radio = new Radio();
  const sibling = new Table();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: radio.component, queue: { capacity: 100_000 } },
        out: { component: store.component(), from: ['in'] },
        sibling: { component: sibling.component, from: ['in'] },
      },
      temporaryFolder(),
      settings,
    ),
    { patience: { stopMs: 200, ...patience } },
  );
  const send = (from: number, to: number) => {
    for (let number = from; number < to; number++) void radio.send([number]);
  };
  const node = (id: string) => runner.status().nodes.find((one) => one.id === id)!;
  return { store, radio, sibling, runner, send, node };
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `csi@${(from + index) * 1000}x1`);

/** Mulberry32. */
function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('refusing a tenth at random, for a moment: everything is stored in the end', async () => {
  const { store, runner, send, sibling } = site('idempotent');
  const random = seeded(1);
  store.refuse = () =>
    random() < 0.1 ? { code: 'store.busy', reason: 'too many requests', retriable: true } : null;
  await runner.start();
  send(1, 501);
  await until('the sibling', () => sibling.stored.length === 500);
  await until('all that can be', () => {
    const { sent, failed } = runner.status().nodes[1]!;
    return sent + failed >= 500;
  });
  const letters = await runner.letters.list();
  expect(store.size + letters.total).toBe(500);
  expect(letters.total).toBeLessThan(3);
});

test('refusing a tenth for good: these are dead letters, all others are stored', async () => {
  const { store, runner, send } = site('idempotent');
  const random = seeded(2);
  store.refuse = () =>
    random() < 0.1 ? { code: 'store.value', reason: 'out of range', retriable: false } : null;
  await runner.start();
  send(1, 501);
  await until('all', () => runner.status().nodes[1]!.sent + runner.status().nodes[1]!.failed === 500);
  const letters = await runner.letters.list();
  expect(letters.total).toBeGreaterThan(30);
  expect(store.size + letters.total).toBe(500);
});

test('hanging: other sinks and checkpoints continue, its records wait in the outbox, and arrive once', async () => {
  const { store, runner, send, sibling } = site('idempotent');
  let answer: () => void = () => undefined;
  await runner.start();
  store.hangs = new Promise((resolve) => {
    answer = resolve;
  });
  send(1, 2001);
  await until('the sibling', () => sibling.stored.length === 2000);
  const epoch = runner.status().checkpoint?.epoch ?? 0;
  await until('three checkpoints', () => (runner.status().checkpoint?.epoch ?? 0) >= epoch + 3);
  expect(store.stored).toEqual([]);
  expect(runner.status().nodes[1]!.queueDepth).toBeLessThan(2000);
  store.hangs = null;
  answer();
  await until('all', () => store.size === 2000);
  expect(store.arrivals).toEqual(numbers(1, 2001));
});

test('hanging beyond the time limit: the write fails, the topology is degraded, and it is retried', async () => {
  const { store, runner, send } = site('idempotent', {}, { writeMs: 100 });
  await runner.start();
  store.hangs = new Promise(() => undefined);
  send(1, 11);
  await until('degraded', () =>
    (runner.status().problem ?? '').includes('its store has not answered for 100 ms'),
  );
  store.hangs = null;
  await until('all', () => store.size === 10);
  await until('running', () => runner.status().state === 'running');
});

test('a hundred times slower than its input: others keep their pace, its queue is bounded, everything arrives', async () => {
  const { store, runner, send, sibling, node } = site('idempotent');
  store.slow = 2;
  await runner.start();
  send(1, 8001);
  const deepest = { depth: 0 };
  await until('the sibling', () => {
    deepest.depth = Math.max(deepest.depth, node('out').queueDepth);
    return sibling.stored.length === 8000;
  });
  expect(store.size).toBeLessThan(4000);
  expect(deepest.depth).toBeLessThan(6000);
  store.slow = 0;
  await until('all', () => store.size === 8000);
  expect(store.stored).toEqual(numbers(1, 8001));
});

test('writes to a slow store become small, so that none takes long', async () => {
  const { store, runner, send } = site('idempotent');
  await runner.start();
  store.slow = 5;
  send(1, 2000);
  await until('a first write', () => store.size > 0);
  await until('a second write', () => store.size > 512);
  store.largest = 0;
  await until('another one', () => store.largest > 0);
  expect(store.largest).toBeLessThanOrEqual(256);
});

test('a batch half written when the connection broke: each record is stored once', async () => {
  const { store, runner, send } = site('idempotent');
  await runner.start();
  store.breaksAfter = 5;
  send(1, 21);
  await until('all', () => store.size === 20);
  expect([...new Set(store.arrivals)]).toEqual(numbers(1, 21));
  expect(store.arrivals).toHaveLength(25);
});

test.each(['idempotent', 'rewind'] as const)(
  'a client (%s) that reports success for unsent records: its flush notices, and all are written again',
  async (recovery) => {
    const { store, runner, send } = site(recovery);
    await runner.start();
    store.lies = 7;
    send(1, 21);
    await until('all', () => store.size === 20);
    await until('running', () => runner.status().state === 'running');
    expect([...store.stored].sort()).toEqual(numbers(1, 21).sort());
  },
);

test('a full outbox drops and counts the oldest: accepted records are stored, dropped or waiting', async () => {
  const { store, runner, send, sibling, node } = site('idempotent', { outboxLimitBytes: 100_000 });
  store.down = () => Object.assign(new Error('no route to host'), { code: 'EHOSTUNREACH' });
  await runner.start();
  send(1, 1001);
  await until('the sibling', () => sibling.stored.length === 1000);
  await until('drops', () => (node('out').dropped['outbox_full'] ?? 0) > 0);
  store.down = null;
  await until('the newest one', () => store.stored.includes('csi@1000000x1'));
  // A dropped entry is counted once it has left the disk, which may be after the newest one was stored.
  // Records of a failed flush may be both stored and dropped.
  await until('all', () => store.size + (node('out').dropped['outbox_full'] ?? 0) >= 1000);
});

test('records of a full outbox that its store has accepted make room for new ones, before a checkpoint deletes them', async () => {
  const { store, runner, send, node } = site('idempotent', {
    outboxLimitBytes: 300_000,
    checkpointIntervalMs: 3_600_000,
  });
  const dropped = () => node('out').dropped['outbox_full'] ?? 0;
  store.down = () => Object.assign(new Error('no route to host'), { code: 'EHOSTUNREACH' });
  await runner.start();
  send(1, 3001);
  await until('the rest', () => dropped() > 0 && node('out').undelivered + dropped() === 3000);
  const before = dropped();
  store.slow = 1;
  store.down = null;
  await until('part of those left', () => store.size > 200);
  send(3001, 3101);
  await until('all', () => store.size + dropped() === 3100);
  expect(dropped()).toBe(before);
});

test('every accepted record is stored, dropped with a reason, a dead letter, or in the outbox', async () => {
  for (const seed of [1, 2, 3]) {
    const random = seeded(seed);
    const { store, runner, radio, sibling, node } = site(
      'idempotent',
      { outboxLimitBytes: 300_000 },
      { writeMs: 50 },
    );
    store.refuse = () => {
      const chance = random();
      if (chance < 0.03) return { code: 'store.value', reason: 'out of range', retriable: false };
      return chance < 0.1 ? { code: 'store.busy', reason: 'busy', retriable: true } : null;
    };
    await runner.start();
    const count = 3000;
    for (let number = 1; number <= count; number++) {
      if (random() < 0.01)
        store.down = store.down ? null : () => Object.assign(new Error('away'), { retriable: true });
      if (random() < 0.01) store.breaksAfter = 1 + Math.floor(random() * 20);
      if (random() < 0.005) store.lies = 3;
      void radio.send([number]);
      // The store follows, unless it is offline.
      if (random() < 0.05 && !store.down)
        await until('the store to follow', () => node('out').queueDepth < 300);
    }
    store.down = null;
    store.lies = 0;
    store.breaksAfter = null;
    await until('the sibling', () => sibling.stored.length === count);
    const dropped = () => node('out').dropped['outbox_full'] ?? 0;
    // Records written again after a failed flush may be both stored and dropped: each must be accounted for.
    const known = async () =>
      new Set([
        ...store.stored,
        ...(await runner.deadLetters()).map(({ record }) => identityOf(record as Data)),
      ]).size;
    await until('an account of each record', async () => (await known()) + dropped() >= count);
    expect(store.arrivals.length).toBeGreaterThan(count / 3);
    await runner.stop({ force: true });
  }
});
