import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { defineSource, type RawBatch, type SourceOutput } from '../../pipeline/component/index.js';
import {
  aborted,
  decodeNumbers,
  rawNumbers,
  runnerOf,
  Table,
  temporaryFolder,
  topologyOf,
} from '../support/flow.js';
import { until } from '../support/waiting.js';

/** A source's tick during silence. */
const tick = (time: number): RawBatch => ({
  ...rawNumbers([], []),
  count: 1,
  time: Float64Array.of(time),
  offsets: Uint32Array.of(0, 0),
  sender: Uint16Array.of(0),
  senders: [''],
});

test('clock ticks are not frames: received and dropped frames can be summed', async () => {
  const silent = defineSource({
    name: 'silent',
    summary: 'Frames, then silence.',
    config: Type.Object({}),
    examples: [],
    outputs: ['csi'],
    replayable: false,
    create: () => ({
      open: async (_position, output: SourceOutput) => {
        output.ready?.();
        void output.offer({ position: 1, raw: rawNumbers([1, 2, 3], [1000, 2000, 3000]) });
        for (let at = 4; at < 10; at++) void output.offer({ position: at, raw: tick(at * 1000) });
        await aborted(output.signal);
      },
      decode: (raw) => (raw.bytes.length === 0 ? { data: [] } : decodeNumbers(raw)),
    }),
  });
  const runner = runnerOf(
    topologyOf(
      { in: { component: silent }, out: { component: new Table().component, from: ['in'] } },
      temporaryFolder(),
    ),
  );
  await runner.start();
  const source = () => runner.status().nodes[0]!;
  await until('time to advance', () => source().queueDepth === 0 && source().sent === 3);
  await runner.stop();
  expect(source()).toMatchObject({ received: 3, dropped: {} });
});
