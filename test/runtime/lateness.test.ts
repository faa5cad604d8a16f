import { Type } from 'typebox';
import { beforeEach, expect, test, vi } from 'vitest';
import { defineOperator, type Output } from '../../pipeline/component/index.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import type { Runner } from '../../pipeline/runtime/runner.js';
import { TestClock } from '../../pipeline/testing/clock.js';
import { afterThisTest } from '../support/clean-up.js';
import { counter, order, Radio, runnerOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { eventually, until } from '../support/waiting.js';

/** Results are late after this time. */
const LIMIT_MS = 400;
const settings = { lateAfterMs: LIMIT_MS, checkpointIntervalMs: 10_000 };

let clock: TestClock;

beforeEach(() => {
  clock = new TestClock(1_800_000_000_000_000);
  // Lateness is checked at intervals: they pass with the clock of the test.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  afterThisTest(() => {
    vi.useRealTimers();
  });
});

async function started(nodes: Parameters<typeof topologyOf>[0]): Promise<Runner> {
  const runner = runnerOf(topologyOf(nodes, temporaryFolder(), settings), { clock });
  await runner.start();
  return runner;
}

const send = (radio: Radio, ago = 0): void => {
  void radio.send([clock.elapsed()], [clock.now() - ago * 1000]);
};

/** Lets four seconds pass, in which a frame from `ago` milliseconds ago arrives every 20 ms. */
function passSending(radio: Radio, ago = 0): void {
  const end = clock.elapsed() + 4000;
  while (clock.elapsed() < end) {
    clock.advance(clock.elapsed() + 20);
    vi.advanceTimersByTime(20);
    send(radio, ago);
  }
}

/** Waits until a check of lateness finds that problem; meanwhile, time stands still. */
const becomes = (runner: Runner, problem: RegExp | null): Promise<void> =>
  eventually(() => {
    vi.advanceTimersByTime(250);
    if (problem) expect(runner.status().problem).toMatch(problem);
    else expect(runner.status().problem).toBeNull();
  });

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
  const runner = await started({
    in: { component: radio.component, queue: { capacity: 10_000 } },
    first: { component: slow, from: ['in'] },
    then: { component: order, from: ['first'] },
    out: { component: new Table().component, from: ['then'] },
  });
  for (let frame = 0; frame < 20; frame++) send(radio);
  await until('the node to be full', () => runner.status().nodes[1]!.received === 5);
  passSending(radio);
  await becomes(
    runner,
    /^first: results are 4(\.\d)? s old and wait for it; the limit is the 0\.4 s of late_after_ms$/,
  );
  expect(runner.status().state).toBe('degraded');
  expect(statusOf(runner, 'first')).toBe('degraded');
  expect(statusOf(runner, 'then')).toBe('active');
  open = true;
  for (const go of waiting.splice(0)) go();
  await becomes(runner, null);
  expect(runner.status().state).toBe('running');
});

test('reports the lag of a live source that falls behind', async () => {
  const radio = new Radio();
  const runner = await started({
    in: { component: radio.component },
    then: { component: order, from: ['in'] },
    out: { component: new Table().component, from: ['then'] },
  });
  passSending(radio, 115_000);
  await becomes(runner, /^in: its input is 115 s behind, so results are 115 s old; the limit is the 0\.4 s/);
  expect(runner.status().nodes.map(({ lagMs }) => Math.round(lagMs! / 1000))).toEqual([115, 115, 115]);
});

test('names a live source that receives nothing', async () => {
  const radio = new Radio();
  const runner = await started({
    in: { component: radio.component },
    out: { component: new Table().component, from: ['in'] },
  });
  clock.advance(2 * LIMIT_MS);
  await becomes(runner, /^in: no input for 0\.8 s$/);
});

test('a node that delays live input for a recording is degraded, and names both', async () => {
  const radio = new Radio();
  const runner = await started({
    live: { component: radio.component },
    january: { component: counter, config: { count: 20, holdAt: 10 } },
    both: { component: order, from: ['live', 'january'] },
    out: { component: new Table().component, from: ['both'] },
  });
  passSending(radio);
  await becomes(
    runner,
    /^both: it has held back `live` for [\d.]+ s \(\d+ records\) until `january` catches up$/,
  );
});

test('a recording is never late, even beside a live source', async () => {
  const radio = new Radio();
  const runner = await started({
    live: { component: radio.component },
    january: { component: counter, config: { count: 20, holdAt: 10 } },
    then: { component: order, from: ['january'] },
    out: { component: new Table().component, from: ['then'] },
    now: { component: new Table().component, from: ['live'] },
  });
  passSending(radio);
  await until('the recording', () => runner.status().nodes[3]!.received === 10);
  await becomes(runner, null);
  const lags = new Map(runner.status().nodes.map(({ id, lagMs }) => [id, lagMs]));
  expect(['january', 'then', 'out'].map((id) => lags.get(id))).toEqual([null, null, null]);
  expect(lags.get('now')).toBeLessThan(LIMIT_MS);
  // The check finds the live source late as soon as it is silent, and no other node.
  clock.advance(clock.elapsed() + 2 * LIMIT_MS);
  await becomes(runner, /^live: its input is 0\.8 s behind/);
  expect(
    runner
      .status()
      .nodes.filter(({ status }) => status !== 'active')
      .map(({ id }) => id),
  ).toEqual(['live']);
});
