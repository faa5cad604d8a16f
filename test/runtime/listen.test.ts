import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { defineSource } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { listenTo } from '../../pipeline/runtime/listen.js';
import { file } from '../../pipeline/sources/file/file.js';
import { counter, sum, temporaryFolder, topologyOf } from '../support/flow.js';

test.each([
  ['when it says so', 3],
  ['when the input ends', Infinity],
])('a listener has enough %s', async (_, enough) => {
  const nodes = { in: { component: counter }, sums: { component: sum, from: ['in'] } };
  const heard: Data[] = [];
  await listenTo(topologyOf(nodes, temporaryFolder()), 'sums', (record) => heard.push(record) >= enough);
  expect(heard.length).toBe(Math.min(enough, 10));
});

test('a listener ends with the first failure of a source, and does not start it again', async () => {
  let opened = 0;
  const failing = defineSource({
    name: 'failing',
    summary: 'Fails after its first records.',
    config: Type.Object({}),
    examples: [],
    outputs: ['csi'],
    replayable: true,
    create: () => ({
      open: async (_, output) => {
        opened++;
        output.ready?.();
        await Promise.resolve();
        throw new Error('the disk is gone');
      },
    }),
  });
  const topology = topologyOf({ in: { component: failing } }, temporaryFolder());
  await expect(listenTo(topology, 'in', () => false)).rejects.toThrow('in: the disk is gone');
  expect(opened).toBe(1);
});

test('a listener to a file that does not exist ends, and names it', async () => {
  const topology = topologyOf(
    { in: { component: file, config: { path: 'nowhere.csi', speed: 0 } } },
    temporaryFolder(),
  );
  await expect(listenTo(topology, 'in', () => false)).rejects.toThrow(/nowhere\.csi/);
});
