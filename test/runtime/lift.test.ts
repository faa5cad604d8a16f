import { filter, map, take } from 'rxjs';
import { expect, test } from 'vitest';
import type { Measure } from '../../pipeline/model/index.js';
import { lift } from '../../pipeline/runtime/lift.js';
import { counter, Radio, runnerOf, sum, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';

test('a filter that drops everything blocks neither watermarks nor checkpoints', async () => {
  const nothing = lift({
    name: 'nothing',
    summary: 'Lets nothing through.',
    inputs: ['measure'],
    outputs: ['measure'],
    operator: () => filter<Measure>(() => false),
  });
  const double = lift({
    name: 'double',
    summary: 'Doubles.',
    inputs: ['measure'],
    outputs: ['measure'],
    operator: () => map((record: Measure) => ({ ...record, value: record.value * 2 })),
  });
  const table = new Table();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 30 } },
        sums: { component: sum, from: ['in'] },
        none: { component: nothing, from: ['sums'] },
        double: { component: double, from: ['sums'] },
        out: { component: table.component, from: ['none', 'double'] },
      },
      temporaryFolder(),
    ),
  );
  await runner.start();
  await runner.finished();
  expect(table.rows).toEqual(['sum@10000=90', 'sum@20000=380', 'end@30000=870']);
});

test('an operator that ends turns refused records into dead letters, and restarts', () => {
  const once = lift({
    name: 'once',
    summary: 'Takes one.',
    inputs: ['measure'],
    outputs: ['measure'],
    operator: () => take<Measure>(1),
  });
  const operator = once.create({}, {} as never);
  const output = operator.process({ port: 'measure' } as never, '');
  expect(output).toMatchObject({ data: [{ port: 'measure' }], failed: [{ code: 'operator.lifted' }] });
});

test('frames too old for the pump are dropped, counted, and dropped again after a crash', async () => {
  let now = 1_000_000;
  const clock = { now: () => now, elapsed: () => now / 1000 };
  const radio = new Radio();
  const table = new Table();
  const topology = topologyOf(
    {
      in: { component: radio.component, queue: { maxAgeMs: 100 } },
      out: { component: table.component, from: ['in'] },
    },
    temporaryFolder(),
    { checkpointIntervalMs: 1_000_000 },
  );
  const runner = runnerOf(topology, { clock });
  await runner.start();
  void radio.send([1], [950_000]);
  void radio.send([2], [1_000_000]);
  now = 1_120_000;
  void radio.send([3], [1_100_000]);
  await until('three batches', () => runner.status().nodes[1]!.received === 1);
  expect(runner.status().nodes[0]!.dropped).toEqual({ stale: 2 });
  await runner.stop({ saveState: false });
  await runner.start();
  await until('the fresh one again', () => runner.status().nodes[1]!.received === 2);
  await runner.stop();
  expect(table.rows).toEqual(['csi@1100000x1']);
});
