import { createSocket } from 'node:dgram';
import { expect, test } from 'vitest';
import type { RawBatch } from '../../pipeline/component/index.js';
import { udp } from '../../pipeline/sources/udp.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { until } from '../sources/outputs.js';

/** Sends a datagram at each of these clock readings, and returns the arrival times. */
async function arrivals(
  clock: readonly number[],
  from: unknown,
): Promise<{ times: number[]; position: unknown }> {
  let now = 0;
  const { context } = testContext({ clock: { now: () => now, elapsed: () => performance.now() } });
  const source = udp.create(
    withDefaults(udp, { port: 0, idle_tick_ms: 0, block_records: 1 }) as never,
    context,
  );
  const controller = new AbortController();
  const batches: { raw: RawBatch; position: unknown }[] = [];
  const ended = source.open(from, {
    signal: controller.signal,
    offer: ({ raw, position }) => {
      batches.push({ raw: raw!, position });
      return true;
    },
  });
  await until(() => source.describe!()['address'] !== null);
  const { port } = source.describe!()['address'] as { port: number };
  const sender = createSocket('udp4');
  for (const [index, reading] of clock.entries()) {
    now = reading;
    await new Promise<void>((resolve) => {
      sender.send(Buffer.from([index]), port, '127.0.0.1', () => {
        resolve();
      });
    });
    await until(() => batches.length > index);
  }
  controller.abort();
  await ended;
  await new Promise<void>((resolve) => sender.close(resolve));
  return { times: batches.map(({ raw }) => raw.time[0]!), position: batches.at(-1)!.position };
}

test('arrival times increase within a run when the clock is set back', async () => {
  const { times } = await arrivals([5000, 6000, 2000, 2500, 6500], null);
  expect(times).toEqual([5000, 6000, 6001, 6002, 6500]);
});

// The runtime's arrival clock continues after the times of an earlier run: see clock-jump.test.ts.
test('a run after one whose clock was ahead follows the clock', async () => {
  const first = await arrivals([5000, 6000], null);
  const second = await arrivals([1000, 6400, 7000], first.position);
  expect(second.times).toEqual([1000, 6400, 7000]);
});
