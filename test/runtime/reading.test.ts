import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { defineOperator, NOTHING } from '../../pipeline/component/index.js';
import { StandingQueue } from '../../pipeline/runtime/stages/shedding/standing-queue.js';
import { rawNumbers, runnerOf, socketOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';

const WAITING = 20;

test('reads what waits in the system before it pumps more', async () => {
  const course: string[] = [];
  const socket = socketOf(async (output) => {
    for (let number = 0; number < WAITING; number++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      course.push('read');
      void output.offer({ position: number, raw: rawNumbers([number], [number * 1000]) });
      if (number < WAITING - 1) output.unread?.();
    }
  });
  const slow = defineOperator({
    name: 'slow',
    summary: 'Takes longer than the pump does between two turns of the event loop.',
    config: Type.Object({}),
    examples: [],
    inputs: ['csi'],
    outputs: ['measure'],
    create: () => ({
      process: () => {
        for (const end = performance.now() + 6; performance.now() < end;);
        course.push('pumped');
        return NOTHING;
      },
    }),
  });
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: socket },
        slow: { component: slow, from: ['in'] },
        out: { component: new Table().component, from: ['slow'] },
      },
      temporaryFolder(),
    ),
  );
  await runner.start();
  await until('all records', () => course.filter((what) => what === 'pumped').length === WAITING);
  await runner.stop();
  // A starved machine may have pumped in between; one that reads once per turn ends with the last record.
  expect(course.lastIndexOf('read')).toBeLessThan(1.5 * WAITING);
});

test('a queue that was just late gets no extra time to catch up', () => {
  const queue = new StandingQueue(2000);
  // Within the allowed lateness, and its allowed duration.
  expect(queue.isTooLate(0, 300)).toBe(false);
  expect(queue.isTooLate(500, 800)).toBe(false);
  expect(queue.isTooLate(550, 850)).toBe(true);
  // Fresh, and late again immediately.
  expect(queue.isTooLate(900, 900)).toBe(false);
  expect(queue.isTooLate(900, 1200)).toBe(true);
  // Long after, as if nothing had happened.
  expect(queue.isTooLate(3000, 3000)).toBe(false);
  expect(queue.isTooLate(3000, 3300)).toBe(false);
});

test.each([
  ['has passed the newest record if all later ones are later', true, 5000],
  ['has not passed the newest record otherwise: another one may have its time', undefined, 4999],
])('event time %s', async (_, isPast, expected) => {
  const times: number[] = [];
  let processed = 0;
  const socket = socketOf((output) => {
    void output.offer({ position: 1, raw: rawNumbers([5], [5000]), ...(isPast && { isPast }) });
  });
  const follower = defineOperator({
    name: 'follower',
    summary: 'Notes how far event time has come.',
    config: Type.Object({}),
    examples: [],
    inputs: ['csi'],
    outputs: ['measure'],
    create: () => ({
      process: () => {
        processed++;
        return NOTHING;
      },
      watermark: (time) => {
        times.push(time);
        return NOTHING;
      },
    }),
  });
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: socket },
        follower: { component: follower, from: ['in'] },
        out: { component: new Table().component, from: ['follower'] },
      },
      temporaryFolder(),
    ),
  );
  await runner.start();
  await until('the record', () => processed === 1);
  const reached = times.at(-1);
  await runner.stop();
  expect(reached).toBe(expected);
});
