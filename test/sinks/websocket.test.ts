import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { websocket } from '../../sinks/websocket.js';
import { testContext } from '../support/context.js';
import { measure, poseFrame, sensedEvent } from '../support/records.js';

let stateFolder: string;
beforeEach(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'csiflow-websocket-'));
});
afterEach(async () => {
  await rm(stateFolder, { recursive: true });
});

async function open(config: { recent_events?: number; remembered_ids?: number } = {}) {
  const { context, recorded } = testContext({ stateFolder });
  const sink: Sink = websocket.create({ recent_events: 2, remembered_ids: 100, ...config }, context);
  await sink.open();
  return { sink, feed: sink.feed!, recorded };
}

test('a listener gets each batch until it unsubscribes', async () => {
  const { sink, feed } = await open();
  const heard: Data[] = [];
  const stop = feed.listen((records) => heard.push(...records));
  await sink.write([poseFrame(0), measure(0)], 1);
  stop();
  await sink.write([poseFrame(1)], 1);
  expect(heard).toEqual([poseFrame(0), measure(0)]);
});

test('keeps the newest frame of each environment, not the last to arrive', async () => {
  const { sink, feed } = await open();
  await sink.write([poseFrame(7), poseFrame(5), poseFrame(1, { environment: 'other' })], 1);
  expect(feed.latest('test-room')?.frameId).toBe(7);
  expect(feed.latest('other')?.frameId).toBe(1);
  expect(feed.latest('nowhere')).toBeUndefined();
});

test('after the clock is set back, the newest frame is from the new time', async () => {
  const { sink, feed } = await open();
  const back = { ...poseFrame(8), time: poseFrame(7).time - 3_600_000_000 };
  await sink.write([poseFrame(7), back], 1);
  expect(feed.latest('test-room')).toEqual(back);
});

test('keeps recent events up to the bound', async () => {
  const { sink, feed } = await open();
  await sink.write([sensedEvent(0), sensedEvent(1), sensedEvent(2)], 1);
  expect(feed.recentEvents!('test-room')).toEqual([sensedEvent(1), sensedEvent(2)]);
});

test('an event is sent once, even if a restart writes it again', async () => {
  const first = await open();
  const heard: Data[] = [];
  first.feed.listen((records) => heard.push(...records));
  await first.sink.write([sensedEvent(0)], 1);
  await first.sink.write([sensedEvent(0), sensedEvent(1)], 1);
  // Killed here: nothing was flushed or closed.
  const second = await open();
  second.feed.listen((records) => heard.push(...records));
  await second.sink.write([sensedEvent(1), sensedEvent(2)], 1);
  expect(heard).toEqual([sensedEvent(0), sensedEvent(1), sensedEvent(2)]);
});

test.each(['\u0001\ufffd\n', '"whole"\n7\n'])('reports damaged ids with their file: %j', async (content) => {
  const file = join(stateFolder, 'node-under-test.told');
  await writeFile(file, content);
  await expect(open()).rejects.toMatchObject({
    code: 'state.corrupt',
    message: expect.stringMatching(`^${file} is damaged: remove it`) as string,
  });
});

test('remembers the newest ids up to the bound', async () => {
  const { sink, feed } = await open({ remembered_ids: 3 });
  for (let index = 0; index < 20; index++) await sink.write([sensedEvent(index)], 1);
  const heard: Data[] = [];
  feed.listen((records) => heard.push(...records));
  await sink.write([sensedEvent(19), sensedEvent(0)], 1);
  expect(heard).toEqual([sensedEvent(0)]);
});

test('a listener that throws is counted, and the others receive the batch', async () => {
  const { sink, feed, recorded } = await open();
  const heard: Data[] = [];
  feed.listen(() => {
    throw new Error('broken');
  });
  feed.listen((records) => heard.push(...records));
  await sink.write([poseFrame(0)], 1);
  expect(heard).toHaveLength(1);
  expect(recorded.failed).toEqual({ listener: 1 });
});

test('partitions that share a process and a state folder each keep what they have sent', async () => {
  const share = (partition: number) => {
    const { context } = testContext({ stateFolder });
    return websocket.create({ recent_events: 2, remembered_ids: 1 }, { ...context, partition });
  };
  const sinks = [0, 1, 2, 3].map(share);
  await Promise.all(sinks.map((sink) => sink.open()));
  // Each write exceeds what is retained, so the file is rewritten.
  for (let round = 0; round < 20; round++)
    await Promise.all(sinks.map((sink, partition) => sink.write([sensedEvent(100 * partition + round)], 1)));
  const again = [0, 1, 2, 3].map(share);
  await Promise.all(again.map((sink) => sink.open()));
  for (const [partition, sink] of again.entries()) {
    const heard: Data[] = [];
    sink.feed!.listen((records) => heard.push(...records));
    await sink.write([sensedEvent(100 * partition + 19)], 1);
    expect(heard).toEqual([]);
  }
});
