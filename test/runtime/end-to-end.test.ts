import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Settings } from '../../pipeline/config/topology/topology.js';
import {
  counter,
  jitter,
  order,
  Radio,
  runnerOf,
  sum,
  Table,
  temporaryFolder,
  topologyOf,
} from '../support/flow.js';
import { until } from '../support/waiting.js';

const line = (
  table: Table,
  folder: string,
  config: Record<string, unknown> = {},
  settings: Partial<Settings> = {},
) =>
  topologyOf(
    {
      in: { component: counter, config },
      sums: { component: sum, from: ['in'] },
      slow: { component: jitter, from: ['sums'] },
      both: { component: order, from: ['in', 'slow'] },
      out: { component: table.component, from: ['both', 'sums'] },
    },
    folder,
    settings,
  );

test('records flow from a source through operators into a store, with the end of input', async () => {
  const table = new Table();
  const runner = runnerOf(line(table, temporaryFolder(), { count: 100 }));
  await runner.start();
  await runner.finished();
  expect(table.rows.filter((row) => row.startsWith('sum@'))).toEqual(
    Array.from({ length: 9 }, (_, index) => {
      const frames = (index + 1) * 10;
      return `sum@${frames * 1000}=${(frames * (frames - 1)) / 2}`;
    }),
  );
  expect(table.rows).toContain('end@100000=4950');
  expect(runner.status().checkpoint?.epoch).toBeGreaterThan(0);
  const [source, operator] = runner.status().nodes;
  expect(source!.details).toMatchObject({ ended: true });
  expect(operator!.details).not.toHaveProperty('ended');
});

test('stored rows do not depend on block sizes', async () => {
  const results = [];
  for (const block of [1, 7, 64]) {
    const table = new Table();
    const runner = runnerOf(line(table, temporaryFolder(), { count: 200, block }));
    await runner.start();
    await runner.finished();
    await runner.stop();
    results.push([
      table.rows.filter((row) => row.startsWith('sum@')),
      table.rows.filter((row) => /^(in|slow)/.test(row)),
    ]);
  }
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});

test('a stop takes a checkpoint, and the next start resumes from it', async () => {
  const table = new Table();
  const folder = temporaryFolder();
  const runner = runnerOf(line(table, folder, { count: 1000, holdAt: 333 }));
  await runner.start();
  await until('the first 333 frames', () => runner.status().nodes[0]!.sent >= 333);
  await runner.stop();
  const topology = line(table, folder, { count: 1000, holdAt: 333 });
  const nodes = topology.nodes.map((node) =>
    node.id === 'in' ? { ...node, config: { ...node.config, holdAt: undefined } } : node,
  );
  const again = runnerOf({ ...topology, nodes });
  await again.start();
  await again.finished();
  const whole = new Table();
  const other = runnerOf(line(whole, temporaryFolder(), { count: 1000 }));
  await other.start();
  await other.finished();
  expect([...table.rows].sort()).toEqual([...whole.rows].sort());
});

test('restores raw input of a source that cannot replay from the journal', async () => {
  const table = new Table();
  const folder = temporaryFolder();
  const radio = new Radio();
  const topology = topologyOf(
    { in: { component: radio.component }, out: { component: table.component, from: ['in'] } },
    folder,
    { checkpointIntervalMs: 1_000_000 },
  );
  const runner = runnerOf(topology);
  await runner.start();
  for (let number = 1; number <= 20; number++) void radio.send([number]);
  await until('20 frames', () => runner.status().nodes[1]!.received === 20);
  await runner.stop({ saveState: false });
  expect(table.rows).toEqual([]);
  await runner.start();
  await until('20 frames again', () => runner.status().nodes[1]!.received === 40);
  expect(radio.position).toBe(20);
  void radio.send([21]);
  await until('the new frame', () => runner.status().nodes[1]!.received === 41);
  await runner.stop();
  expect(table.rows).toEqual(Array.from({ length: 21 }, (_, index) => `csi@${(index + 1) * 1000}x1`));
});

test('restores the rows of an uninterrupted run, whenever memory is lost', async () => {
  const whole = new Table();
  const steady = runnerOf(line(whole, temporaryFolder(), { count: 300 }));
  await steady.start();
  await steady.finished();
  const wanted = [...whole.rows].sort();
  await fc.assert(
    fc.asyncProperty(
      // Writes before a crash, from the start or from the first checkpoint.
      fc.array(fc.tuple(fc.nat(25), fc.boolean()), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 20 }),
      async (crashes, block) => {
        const table = new Table();
        const folder = temporaryFolder();
        for (const [writes, afterCheckpoint] of crashes) {
          const runner = runnerOf(line(table, folder, { count: 300, block }, { checkpointIntervalMs: 2 }));
          let left = writes;
          const crash = new Promise<void>((resolve) => {
            table.before = () => {
              if (afterCheckpoint && runner.status().checkpoint === null) return;
              if (left-- === 0) resolve();
            };
          });
          await runner.start();
          await Promise.race([crash, runner.finished()]);
          // No checkpoint, no flush: like a crash.
          await runner.stop({ force: true });
        }
        const last = runnerOf(line(table, folder, { count: 300, block }));
        await last.start();
        await last.finished();
        await last.stop();
        expect([...table.rows].sort()).toEqual(wanted);
      },
    ),
    { numRuns: 10 },
  );
});
