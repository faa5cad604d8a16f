import { expect, test } from 'vitest';
import {
  counter,
  frames,
  jitter,
  runnerOf,
  sum,
  Table,
  temporaryFolder,
  topologyOf,
} from '../support/flow.js';

const table = new Table();

/** Frames pass an asynchronous operator on their way to one that sums them up. */
const topology = () =>
  topologyOf(
    {
      frames: { component: counter, config: { holdAt: 10, count: 20 } },
      beside: { component: jitter, from: ['frames'] },
      sums: { component: sum, from: ['beside'] },
      table: { component: table.component, from: ['sums'] },
    },
    temporaryFolder(),
  );

test('an operator beside the stream answers only its caller', async () => {
  const runner = runnerOf(topology());
  await runner.start();
  const block = frames(1000, 1003);
  const { data } = await runner.ask!('beside', block);
  expect(data).toMatchObject([{ port: 'csi', count: 3 }]);
  const sent = () => runner.status().nodes.find(({ id }) => id === 'beside')!.sent;
  expect(sent()).toBeLessThanOrEqual(10);
});

test('operators that have state, do not run or do not exist are not called', async () => {
  const runner = runnerOf(topology());
  const ask = (node: string) => runner.ask!(node, frames(0, 1));
  await expect(ask('beside')).rejects.toThrow('beside is not running: the topology test is stopped');
  await runner.start();
  await expect(ask('sums')).rejects.toThrow('sums is not an operator that can process a csi record');
  await expect(ask('frames')).rejects.toThrow('frames is not an operator');
  await expect(ask('nobody')).rejects.toThrow('nobody is not an operator');
});
