import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CheckedTopology } from '../../pipeline/config/topology/topology.js';
import { file } from '../../sinks/file.js';
import {
  counter,
  jitter,
  Radio,
  runnerOf,
  sum,
  temporaryFolder,
  topologyOf,
  Valve,
} from '../support/flow.js';
import { until } from '../support/waiting.js';

const COUNT = 1_400;
/** End of the first half: at 707 the quick branch emits a record, which waits for the slow one's of 710. */
const HALF = 708;
/** Lines up to 700, of both branches. */
const BEFORE = 70 + 100;

interface Variant {
  readonly count?: number;
  readonly span?: number;
  readonly block?: number;
  readonly longest?: number;
  readonly rotate?: number;
  readonly from?: readonly string[];
}

/** A quick branch and a slow one, in one file. */
const topology = (
  folder: string,
  { count = COUNT, span = 7, block = 7, longest = 3, rotate = 3_600_000, from }: Variant,
) =>
  topologyOf(
    {
      in: { component: counter, config: { count, block } },
      late: { component: jitter, config: { longest }, from: ['in'] },
      slow: { component: sum, from: ['late'] },
      quick: { component: sum, from: ['in'], config: { span } },
      out: {
        component: file,
        config: { path: 'out.ndjson', rotate_ms: rotate },
        from: from ?? ['slow', 'quick'],
      },
    },
    folder,
  );

interface Line {
  readonly time: number;
  readonly value: number;
}

const linesOf = (folder: string): readonly Line[] =>
  readFileSync(join(folder, 'out.000000.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

const timesOf = (lines: readonly Line[]) => lines.map(({ time }) => time);

/** Lines that only the quick branch can have written. */
const quickOf = (lines: readonly Line[]) =>
  lines.filter(({ time }) => time % 7_000 === 0 && time % 10_000 !== 0);

async function run(variant: Variant): Promise<readonly Line[]> {
  const folder = temporaryFolder();
  await goOn(folder, variant);
  return linesOf(folder);
}

async function goOn(folder: string, variant: Variant): Promise<void> {
  const runner = runnerOf(topology(folder, variant));
  await runner.start();
  await runner.finished();
  await runner.stop();
}

/** To a restart it is the same topology, though its input ends early. */
const firstHalf = (whole: CheckedTopology): CheckedTopology => ({
  ...whole,
  nodes: whole.nodes.map((node) =>
    node.id === 'in' ? { ...node, config: { ...node.config, holdAt: HALF } } : node,
  ),
});

/** Runs the first half, at whose end a record waits in the sink for the slow branch. */
async function half(folder: string, variant: Variant): Promise<void> {
  const runner = runnerOf(firstHalf(topology(folder, variant)));
  await runner.start();
  const sent = () => runner.status().nodes.find(({ id }) => id === 'out')?.sent ?? 0;
  await until('all lines but the one that waits', () => sent() === BEFORE);
  await runner.stop();
}

test('merges several inputs into one file by event time, the same in each run', async () => {
  const first = await run({});
  expect(timesOf(first)).toEqual(timesOf(first).sort((a, b) => a - b));
  expect(first).toHaveLength(COUNT / 10 + COUNT / 7);
  expect(await run({ block: 64, longest: 9 })).toEqual(first);
});

test('a stop while records wait for their turn, and a restart, change nothing', async () => {
  const folder = temporaryFolder();
  await half(folder, {});
  expect(linesOf(folder).length).toBeLessThan(COUNT / 10 + COUNT / 7);
  await goOn(folder, {});
  expect(linesOf(folder)).toEqual(await run({}));
});

test('writes waiting records after the sink changed and their input was removed', async () => {
  const folder = temporaryFolder();
  await half(folder, { longest: 40 });
  const before = quickOf(linesOf(folder)).length;
  await goOn(folder, { longest: 40, rotate: 1_800_000, from: ['slow'] });
  const after = quickOf(linesOf(folder));
  expect(after.length).toBeGreaterThan(before);
  expect(after).toEqual(quickOf(await run({})).slice(0, after.length));
});

test('an input that is thousands of records ahead waits for the slower one', async () => {
  const lines = await run({ count: 40_000, block: 1_000, span: 1 });
  expect(timesOf(lines)).toEqual(timesOf(lines).toSorted((a, b) => a - b));
  expect(lines).toHaveLength(40_000 / 10 + 40_000);
});

test('thousands of records behind an early barrier wait for it, and so does the pump', async () => {
  const radio = new Radio();
  const valve = new Valve(1_000);
  const folder = temporaryFolder();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: radio.component, queue: { capacity: 10_000 } },
        late: { component: valve.component, from: ['in'] },
        slow: { component: sum, from: ['late'] },
        quick: { component: sum, from: ['in'], config: { span: 1 } },
        out: { component: file, config: { path: 'out.ndjson' }, from: ['slow', 'quick'] },
      },
      folder,
      { checkpointIntervalMs: 5 },
    ),
    { patience: { barrierMs: 1 } },
  );
  await runner.start();
  const send = (first: number, count: number) =>
    radio.send(Array.from({ length: count }, (_, index) => first + index));
  await send(0, 100);
  await until('a barrier before the slow input', () =>
    (runner.status().problem ?? '').includes('a checkpoint has been waiting'),
  );
  for (let first = 100; first < 12_000; first += 100) void send(first, 100);
  const sentBy = (node: string) => runner.status().nodes.find(({ id }) => id === node)?.sent ?? 0;
  await until('more than may be held', () => sentBy('quick') > 4_096);
  expect(sentBy('quick')).toBeLessThan(4_400);
  valve.release();
  // The last records wait for the next sum of the slow input.
  await until('nearly all', () => sentBy('out') > 13_000);
  await runner.stop();
  const times = timesOf(linesOf(folder));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.length).toBeGreaterThan(13_000);
});
