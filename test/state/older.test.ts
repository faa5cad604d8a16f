import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { FrameQueue, type WaitingState } from '../../operators/window/frame-queue.js';
import { defineSource } from '../../pipeline/component/index.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { formatNamed } from '../../pipeline/formats/index.js';
import { decode } from '../../pipeline/state/codec.js';
import { decodeRaw } from '../../pipeline/state/raw-codec.js';
import { cutAll } from '../formats/cut.js';
import { batchOf } from '../formats/batches.js';
import { testContext, testEnvironment } from '../support/context.js';
import { counter, frames, order, runnerOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';

/** Files of csiflow 0.1.0 from before frames had the columns `deviceTime`, `agc`, `fftGain`, `bits`, `antenna`, `instance`. */
const older = (name: string): Buffer => readFileSync(join(import.meta.dirname, 'older', name));

/** Three ADR-018 frames of 64 bins, each full of its number, 10 ms apart. */
const threeFrames = (blocks: readonly unknown[]) => {
  const [block] = blocks as readonly CsiBlock[];
  expect(block).toMatchObject({ count: 3, sequence: Uint32Array.of(0, 1, 2), bits: Uint8Array.of(8, 8, 8) });
  expect(block!.time).toEqual(Float64Array.of(1e15, 1e15 + 10_000, 1e15 + 20_000));
  expect([0, 1, 2].map((i) => block!.values[(i * block!.values.length) / 3])).toEqual([1, 2, 3]);
};

test('a capture of 0.1.0 is read', () => {
  const cut = cutAll(older('capture.csi'))!;
  expect(cut.problems).toEqual([]);
  const records = cut.records.map((record) => ({ ...record, bytes: Uint8Array.from(record.bytes) }));
  threeFrames(
    formatNamed('adr018')
      .decoder(testContext().context)
      .decode(batchOf(...records)).data,
  );
});

test('an entry of a journal of 0.1.0 is read', () => {
  const decoder = formatNamed('adr018').decoder(testContext().context);
  threeFrames(decoder.decode(decodeRaw(older('journal-entry.bin'))).data);
});

test('frames in a window of 0.1.0 continue, with fields it did not store unknown', () => {
  const queue = new FrameQueue();
  queue.restore(decode(older('frame-queue.bin')) as WaitingState[], new LinkTable([testEnvironment]));
  const seen: unknown[] = [];
  queue.drain(Infinity, (block, frame) => {
    seen.push([block.time[frame], block.sequence[frame], block.link[frame], block.values[frame * 4]]);
    expect([block.deviceTime[frame], block.agc[frame], block.fftGain[frame]]).toEqual([NaN, NaN, NaN]);
    expect([block.bits[frame], block.antenna[frame], block.instance[frame]]).toEqual([0, 255, -1]);
  });
  expect(seen).toEqual([2, 3, 4].map((number) => [number * 1000, number, number % 2, number]));
});

/** Its first ten frames were read before the checkpoint. */
const later = defineSource({
  name: 'later',
  summary: 'Frames that come late.',
  config: Type.Object({}),
  examples: [],
  outputs: ['csi'],
  replayable: true,
  create: () => ({
    async open(position, output) {
      output.ready?.();
      const from = position as number;
      await output.offer({ position: 40, data: [frames(from, 40, (n) => n * 1000 + 500)] });
    },
  }),
});

test('resumes a 0.1.0 checkpoint that holds frames of one input until the other catches up', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'state.mdb'), gunzipSync(older('state.mdb.gz')));
  const table = new Table();
  const runner = runnerOf(
    topologyOf(
      {
        early: { component: counter, config: { count: 40 } },
        later: { component: later },
        order: { component: order, from: ['early', 'later'] },
        out: { component: table.component, from: ['order'] },
      },
      folder,
    ),
  );
  await runner.start();
  await runner.finished();
  const expected = Array.from({ length: 80 }, (_, i) => {
    const number = i >> 1;
    return i % 2 === 0
      ? `early:${number}@${number * 1000}=${i}`
      : `later:${number}@${number * 1000 + 500}=${i}`;
  });
  // Nineteen were delivered before the checkpoint.
  expect(table.rows).toEqual(expected.slice(19));
});
