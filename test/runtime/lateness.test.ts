import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { defineOperator, type Output } from '../../pipeline/component/index.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import type { Runner } from '../../pipeline/runtime/runner.js';
import { systemClock } from '../../pipeline/base/clock.js';
import { counter, order, Radio, runnerOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';

/** Results are late after this time. */
const LIMIT_MS = 400;
const settings = { lateAfterMs: LIMIT_MS, checkpointIntervalMs: 10_000 };

/** Sends a frame from `ago` milliseconds ago every 20 ms, until the returned function is called. */
function sending(radio: Radio, ago = 0): () => void {
  let number = 0;
  const timer = setInterval(() => {
    void radio.send([number++], [systemClock.now() - ago * 1000]);
  }, 20);
  return () => {
    clearInterval(timer);
  };
}

const isDegraded = (runner: Runner) => () => runner.status().state === 'degraded';
const statusOf = (runner: Runner, id: string) => runner.status().nodes.find((node) => node.id === id)?.status;

test('a live topology with old results is degraded, and names the node they wait for', async () => {
  const waiting: (() => void)[] = [];
  let open = false;
  const slow = defineOperator({
    name: 'slow',
    summary: 'Waits for the test.',
    config: Type.Object({}),
    examples: [],
    inputs: ['csi'],
    outputs: ['csi'],
    asynchronous: { maxInFlight: () => 1 },
    create: () => ({
      process: async (data): Promise<Output<CsiBlock>> => {
        if (!open) await new Promise<void>((resolve) => waiting.push(resolve));
        return { data: [data] };
      },
    }),
  });
  const radio = new Radio();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: radio.component, queue: { capacity: 10_000 } },
        first: { component: slow, from: ['in'] },
        then: { component: order, from: ['first'] },
        out: { component: new Table().component, from: ['then'] },
      },
      temporaryFolder(),
      settings,
    ),
  );
  await runner.start();
  const stop = sending(radio);
  await until('degraded', () => statusOf(runner, 'first') === 'degraded');
  expect(runner.status().problem).toMatch(
    /^first: results are [\d.]+ s old and wait for it; the limit is the 0\.4 s of late_after_ms$/,
  );
  expect(statusOf(runner, 'first')).toBe('degraded');
  expect(statusOf(runner, 'then')).toBe('active');
  open = true;
  for (const go of waiting.splice(0)) go();
  await until('running', () => runner.status().state === 'running');
  stop();
});

test('reports the lag of a live source that falls behind', async () => {
  const radio = new Radio();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: radio.component },
        then: { component: order, from: ['in'] },
        out: { component: new Table().component, from: ['then'] },
      },
      temporaryFolder(),
      settings,
    ),
  );
  await runner.start();
  const stop = sending(radio, 115_000);
  await until('degraded', () => runner.status().problem?.includes('behind') === true);
  expect(runner.status().problem).toMatch(
    /^in: its input is 11[56] s behind, so results are 11[567] s old; the limit is the 0\.4 s/,
  );
  stop();
});

test('names a live source that receives nothing', async () => {
  const radio = new Radio();
  const runner = runnerOf(
    topologyOf(
      { in: { component: radio.component }, out: { component: new Table().component, from: ['in'] } },
      temporaryFolder(),
      settings,
    ),
  );
  await runner.start();
  await until('degraded', isDegraded(runner));
  expect(runner.status().problem).toMatch(/^in: no input for [\d.]+ s$/);
});

test('a node that delays live input for a recording is degraded, and names both', async () => {
  const radio = new Radio();
  const runner = runnerOf(
    topologyOf(
      {
        live: { component: radio.component },
        january: { component: counter, config: { count: 20, holdAt: 10 } },
        both: { component: order, from: ['live', 'january'] },
        out: { component: new Table().component, from: ['both'] },
      },
      temporaryFolder(),
      settings,
    ),
  );
  await runner.start();
  const stop = sending(radio);
  await until('degraded', isDegraded(runner));
  expect(runner.status().problem).toMatch(
    /^both: it has held back `live` for [\d.]+ s \(\d+ records\) until `january` catches up$/,
  );
  stop();
});

test('a recording is never late', async () => {
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 20, holdAt: 10 } },
        then: { component: order, from: ['in'] },
        out: { component: new Table().component, from: ['then'] },
      },
      temporaryFolder(),
      settings,
    ),
  );
  await runner.start();
  await new Promise((resolve) => setTimeout(resolve, 2 * LIMIT_MS));
  expect(runner.status()).toMatchObject({ state: 'running', problem: null });
});
