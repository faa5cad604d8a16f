import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { denoise } from '../../operators/denoise/denoise.js';
import { normalizeGain } from '../../operators/normalize-gain/normalize-gain.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { window } from '../../operators/window/window.js';
import { defineSource, type Component } from '../../pipeline/component/index.js';
import { chainsOf } from '../../pipeline/runtime/threads/chains.js';
import { simulator } from '../../pipeline/sources/simulator/source.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { createMetrics } from '../../pipeline/telemetry/metrics.js';
import { compiled, type CompiledModule } from '../support/compiled.js';
import {
  counter,
  frames,
  order,
  Radio,
  runnerOf,
  sum,
  Table,
  temporaryFolder,
  topologyOf,
} from '../support/flow.js';
import { tally } from '../support/tally.js';
import { eventually, until } from '../support/waiting.js';

/** The component with its compiled module. */
let moved: Component;

let module: CompiledModule;

beforeAll(async () => {
  module = await compiled("export * from './tally.js'");
  moved = { ...tally, module: module.url };
});

afterAll(() => {
  module.remove();
});

const threaded = (nodes: Parameters<typeof topologyOf>[0], threads: number, folder = temporaryFolder()) =>
  topologyOf(nodes, folder, { threads });

test('threads take the operators behind a source that name their module, chain by chain', () => {
  const nodes = {
    a: { component: counter },
    b: { component: counter },
    gain: { component: normalizeGain, from: ['a'] },
    clean: { component: denoise, from: ['gain'] },
    sum: { component: sum, from: ['clean'] },
    windows: { component: window, from: ['clean'] },
    late: { component: denoise, from: ['sum'] },
    both: { component: denoise, from: ['a', 'b'] },
    other: { component: denoise, from: ['b'] },
  };
  const chains = (threads: number) =>
    chainsOf(threaded(nodes, threads)).map((chain) => chain.map(({ id }) => id));
  expect(chains(0)).toEqual([]);
  expect(chains(1)).toEqual([['gain', 'clean', 'windows', 'other']]);
  expect(chains(4)).toEqual([['gain', 'clean', 'windows'], ['other']]);
});

test('frames, windows and their order are those of one thread', async () => {
  const results = async (threads: number) => {
    // A sink takes records as they come: only those of one node have an order.
    const tables = { order: new Table(), windows: new Table(), phase: new Table() };
    const nodes = {
      room: {
        component: simulator,
        config: { duration_s: 6, speed: 0, start_time: '2026-01-01T00:00:00Z' },
      },
      gain: { component: normalizeGain, from: ['room'], config: { method: 'steps' } },
      clean: { component: denoise, from: ['gain'] },
      phase: { component: phaseSanitize, from: ['clean'] },
      windows: { component: window, from: ['phase'], config: { length_ms: 1000, hop_ms: 100, points: 50 } },
      order: { component: order, from: ['clean', 'windows', 'room'] },
      ...Object.fromEntries(
        Object.entries(tables).map(([id, { component }]) => [`${id}-out`, { component, from: [id] }]),
      ),
    };
    const runner = runnerOf(threaded(nodes, threads));
    await runner.start();
    await runner.finished();
    await runner.stop();
    return Object.values(tables).map(({ stored }) => stored.map(({ record }) => record));
  };
  const [one, two] = [await results(0), await results(1)];
  expect(one.map(({ length }) => length)).toEqual([expect.any(Number), 49, 10]);
  expect(two).toEqual(one);
});

/** A radio, the tally behind it, and a table. */
function heard(config: Record<string, unknown> = {}) {
  const [radio, table] = [new Radio(), new Table()];
  const nodes = (more: Record<string, unknown> = {}) => ({
    in: { component: radio.component },
    tally: { component: moved, config: { ...config, ...more }, from: ['in'] },
    out: { component: table.component, from: ['tally'] },
  });
  return { radio, table, nodes };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
/** Sum of the numbers up to `last`. */
const sumTo = (last: number) => (last * (last + 1)) / 2;

test('state passes between a thread and the main thread', async () => {
  const { radio, table, nodes } = heard();
  const folder = temporaryFolder();
  for (const [turn, threads] of [0, 1, 0, 1, 1].entries()) {
    const runner = runnerOf(threaded(nodes(), threads, folder));
    await runner.start();
    for (const number of numbers(turn * 10, turn * 10 + 10)) await radio.send([number]);
    await until('all rows', () => table.rows.length === turn * 10 + 10);
    await runner.stop();
  }
  expect(table.rows).toEqual(numbers(0, 50).map((last) => `total@${last * 1000}=${sumTo(last)}`));
});

test('after its thread has ended, a topology resumes from its last checkpoint', async () => {
  const { radio, table, nodes } = heard({ crash: 25 });
  const folder = temporaryFolder();
  const runner = runnerOf(threaded(nodes(), 1, folder));
  await runner.start();
  for (const number of numbers(0, 30)) await radio.send([number]);
  await until('a failure', () => runner.status().problem !== null);
  expect(runner.status().problem).toContain('the thread of tally ended: it ended with code 7');
  await runner.stop({ force: true });
  // Its state is that of the last checkpoint, the rest is in the journal.
  const mended = runnerOf(threaded(nodes({ crash: -1 }), 1, folder));
  await mended.start();
  await until('all rows', () => table.rows.length === 30);
  await mended.stop();
  expect(table.rows).toEqual(numbers(0, 30).map((last) => `total@${last * 1000}=${sumTo(last)}`));
});

test('figures, problems, logs and reports of a thread are those of its nodes', async () => {
  const { radio, nodes } = heard();
  const lines: string[] = [];
  const metrics = createMetrics();
  const log = createLogger({ destination: { write: (line) => lines.push(line) } });
  const runner = runnerOf(threaded(nodes(), 1), { log, metrics });
  const shown: unknown[] = [];
  await runner.start();
  metrics.node('test', 'tally').watch((record) => shown.push(record));
  for (const number of numbers(0, 50)) await radio.send([number]);
  await until('all records', () => shown.length === 50);
  const node = runner.status().nodes[1]!;
  expect(node).toMatchObject({ received: 50, sent: 50, dropped: { odd: 50 }, lastRecord: 49_000 });
  expect(node.status).toBe('degraded');
  expect(runner.status().problem).toContain('too much');
  expect(metrics.node('test', 'tally').own.get('blocks')?.value).toBe(50);
  expect(metrics.node('test', 'tally').operatorSeconds).toBeGreaterThan(0);
  expect(lines.filter((line) => line.includes('"node":"tally","msg":"tallied"'))).toHaveLength(1);
  await eventually(async () => {
    await radio.send([0]);
    expect(runner.status().nodes[1]!.details).toEqual({ total: sumTo(49) });
  });
});

test('a rejected record of a thread becomes a dead letter, and one that fails again stays one', async () => {
  const { radio, table, nodes } = heard({ refuse: 3 });
  const runner = runnerOf(threaded(nodes(), 1));
  await runner.start();
  for (const number of numbers(0, 5)) await radio.send([number]);
  await until('rows of the others', () => table.rows.length === 4);
  const [letter, ...others] = await runner.deadLetters();
  expect(others).toEqual([]);
  expect(letter).toMatchObject({ node: 'tally', code: 'tally.refused', reason: 'refuses 3' });
  const at = letter!.at;
  await runner.letters.replay({ ids: [letter!.id] });
  await eventually(async () => {
    const again = await runner.deadLetters();
    expect(again).toHaveLength(1);
    expect(again[0]!.id).toBe(letter!.id);
    expect(again[0]!.at).toBeGreaterThan(at);
  });
});

test('nodes of a thread close before it ends', async () => {
  const closing = join(temporaryFolder(), 'closed');
  const { radio, table, nodes } = heard({ closing });
  const runner = runnerOf(threaded(nodes(), 1));
  await runner.start();
  for (const number of [1, 2, 3]) await radio.send([number]);
  await until('all rows', () => table.rows.length === 3);
  await runner.stop();
  expect(readFileSync(closing, 'utf8')).toBe('6');
});

test('a source may use its frames again', async () => {
  const table = new Table();
  const block = frames(0, 3);
  const again = defineSource({
    name: 'again',
    summary: 'Sends the same frames twice.',
    config: Type.Object({}),
    examples: [],
    outputs: ['csi'],
    replayable: true,
    create: () => ({
      open: async (position, output) => {
        for (let turn = Number(position ?? 0); turn < 2; turn++) {
          await output.offer({ position: turn + 1, data: [block] });
          await setImmediate();
        }
      },
    }),
  });
  const nodes = {
    in: { component: again },
    tally: { component: moved, from: ['in'] },
    out: { component: table.component, from: ['tally'] },
  };
  const runner = runnerOf(threaded(nodes, 1));
  await runner.start();
  await runner.finished();
  await runner.stop();
  expect(table.rows).toHaveLength(6);
  expect(block.time).toHaveLength(3);
});

test('adjustable settings reach a thread', async () => {
  const { radio, table, nodes } = heard();
  const topology = threaded(nodes(), 1);
  const runner = runnerOf(topology);
  await runner.start();
  await radio.send([1]);
  await until('a row', () => table.rows.length === 1);
  const changed = topology.nodes.map((node) =>
    node.id === 'tally' ? { ...node, config: { ...node.config, step: 100 } } : node,
  );
  runner.adjust({ ...topology, nodes: changed });
  await radio.send([2]);
  await until('another row', () => table.rows.length === 2);
  expect(table.rows).toEqual(['total@1000=1', 'total@2000=201']);
  const off = changed.map((node) => (node.id === 'tally' ? { ...node, enabled: false } : node));
  runner.adjust({ ...topology, nodes: off });
  await radio.send([3]);
  await until('the frame that it passes by', () => runner.status().nodes[1]!.received === 3);
  expect(table.rows).toHaveLength(2);
});
