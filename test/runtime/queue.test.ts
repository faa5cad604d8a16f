import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Gate } from '../../pipeline/runtime/nodes/gate.js';
import { BoundedQueue } from '../../pipeline/runtime/stages/queue.js';

const queueOf = (policy: 'block' | 'drop_oldest' | 'drop_newest', capacity: number) => {
  const lost: number[] = [];
  const queue = new BoundedQueue<number>({ capacity, policy, maxAgeMs: null }, (item, reason) => {
    expect(reason).toBe('queue_full');
    lost.push(item);
  });
  const offer = (item: number) =>
    queue.offer(
      () => item,
      () => lost.push(item),
    );
  return { queue, lost, offer };
};

test('block: a full queue makes the source wait, and loses nothing', async () => {
  const { queue, offer, lost } = queueOf('block', 2);
  expect(offer(1)).toBe(true);
  expect(offer(2)).toBe(true);
  const third = offer(3);
  expect(third).toBeInstanceOf(Promise);
  expect([queue.take(), queue.take(), queue.take()]).toEqual([1, 2, 3]);
  expect(await third).toBe(true);
  expect(lost).toEqual([]);
});

test('drop_oldest: keeps the newest items, and reports what it drops', () => {
  const { queue, offer, lost } = queueOf('drop_oldest', 2);
  for (const item of [1, 2, 3, 4]) expect(offer(item)).toBe(true);
  expect([queue.take(), queue.take(), queue.take()]).toEqual([3, 4, undefined]);
  expect(lost).toEqual([1, 2]);
});

test('drop_newest: keeps the oldest items, and reports what it refuses', () => {
  const { queue, offer, lost } = queueOf('drop_newest', 2);
  expect([1, 2, 3].map(offer)).toEqual([true, true, false]);
  expect([queue.take(), queue.take(), queue.take()]).toEqual([1, 2, undefined]);
  expect(lost).toEqual([3]);
});

test('shows what comes next without taking it', () => {
  const { queue, offer } = queueOf('block', 2);
  expect(queue.first).toBeUndefined();
  expect([1, 2].map(offer)).toEqual([true, true]);
  expect([queue.first, queue.take(), queue.first]).toEqual([1, 1, 2]);
});

test('a waiting caller enters only once there is room, which marks take as well', async () => {
  const { queue, offer } = queueOf('block', 1);
  void offer(1);
  queue.put(2);
  let entered = false;
  const third = Promise.resolve(offer(3)).then((taken) => {
    entered = taken;
  });
  expect(queue.take()).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect([entered, queue.depth]).toEqual([false, 1]);
  expect(queue.take()).toBe(2);
  await third;
  expect([entered, queue.depth, queue.take()]).toEqual([true, 1, 3]);
});

test('closing rejects waiting callers', async () => {
  const { queue, offer } = queueOf('block', 1);
  void offer(1);
  const waiting = offer(2);
  queue.close();
  expect(await waiting).toBe(false);
  expect(offer(3)).toBe(false);
  expect(queue.take()).toBe(1);
});

test('each item is delivered or reported once, in order and within the bound', () => {
  const policies = fc.constantFrom('block' as const, 'drop_oldest' as const, 'drop_newest' as const);
  fc.assert(
    fc.property(
      policies,
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.boolean(), { maxLength: 200 }),
      (policy, capacity, steps) => {
        const { queue, offer, lost } = queueOf(policy, capacity);
        const taken: number[] = [];
        let next = 0;
        for (const put of steps) {
          if (put) void offer(next++);
          else {
            const item = queue.take();
            if (item !== undefined) taken.push(item);
          }
          expect(queue.depth).toBeLessThanOrEqual(capacity);
        }
        for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
        expect(taken).toEqual([...taken].sort((a, b) => a - b));
        expect([...taken, ...lost].sort((a, b) => a - b)).toEqual(
          Array.from({ length: next }, (_, index) => index),
        );
      },
    ),
  );
});

test('the gate is open when no node closes it, and each closing is timed', () => {
  let now = 0;
  const times: [string, number][] = [];
  const gate = new Gate(
    () => now,
    (node, seconds) => times.push([node, seconds]),
  );
  let opened = 0;
  gate.onOpen(() => opened++);
  gate.shut('a');
  gate.shut('a');
  now = 500;
  gate.shut('b');
  gate.release('a');
  expect(gate.open).toBe(false);
  now = 2000;
  gate.release('b');
  gate.release('b');
  expect(gate.open).toBe(true);
  expect(opened).toBe(1);
  expect(times).toEqual([
    ['a', 0.5],
    ['b', 1.5],
  ]);
});

test('a mark follows everything offered before it, including items that wait for room', () => {
  const { queue, offer } = queueOf('block', 1);
  queue.put(1);
  void offer(2);
  queue.put(3);
  expect([queue.take(), queue.take(), queue.take(), queue.take()]).toEqual([1, 2, 3, undefined]);
});
