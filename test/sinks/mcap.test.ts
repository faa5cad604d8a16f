import fc from 'fast-check';
import { cpSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import {
  allocateBlock,
  csiLayout,
  KEYPOINT_NAMES,
  type Data,
  type Environment,
} from '../../pipeline/model/index.js';
import { mcap } from '../../sinks/mcap/mcap.js';
import { testContext, testEnvironment } from '../support/context.js';
import { temporaryFolder } from '../support/flow.js';
import { readIndexed, readMcap, recordingsIn, type ReadMessage } from '../support/mcap.js';
import { HOP, measure, person, poseFrame, resultRecord, sensedEvent, START } from '../support/records.js';

const ROOM = {
  ...testEnvironment,
  walls: [{ from: [0, 2], to: [2, 2] }],
  zones: [
    {
      id: 'bed',
      polygon: [
        [0, 0],
        [2, 0],
        [2, 1],
      ],
    },
  ],
};

async function openSink(
  folder: string,
  config: object = {},
  environments: readonly Environment[] = [ROOM],
): Promise<Sink> {
  const { context } = testContext({ folder, environments });
  const full = { path: 'r.mcap', rotate_bytes: 1e9, rotate_ms: 3_600_000, compression: 'zstd', ...config };
  const sink: Sink = mcap.create(full as never, context);
  await sink.open();
  return sink;
}

async function recorded(
  records: readonly Data[],
  config: object = {},
  environments?: readonly Environment[],
): Promise<readonly ReadMessage[]> {
  const folder = temporaryFolder();
  const sink = await openSink(folder, config, environments);
  expect(await sink.write(records, 1)).toEqual([]);
  await sink.close();
  return readIndexed(readFileSync(join(folder, 'r.000000.mcap')));
}

const under = (messages: readonly ReadMessage[], topic: string) =>
  messages.filter((message) => message.topic === `/test-room/${topic}`);

/** The fields that these tests read. */
interface Scene {
  readonly entities: readonly {
    readonly id: string;
    readonly lines: readonly { readonly points: readonly unknown[]; readonly indices: readonly number[] }[];
    readonly cylinders: readonly { readonly size: object }[];
    readonly texts: readonly { readonly text: string }[];
  }[];
}

test('a file starts with its room: walls, zones, links', async () => {
  const [room, ...others] = under(await recorded([measure(0)]), 'room');
  expect(others).toEqual([]);
  expect(room).toMatchObject({ schema: 'foxglove.SceneUpdate', time: START });
  const { entities } = room!.content as unknown as Scene;
  expect(entities.map(({ id }) => id)).toEqual(['room', 'zone bed', 'link link-1', 'link link-2']);
  expect(entities[0]!.lines.map(({ points }) => points.length)).toEqual([24, 4]);
  expect(entities[2]!.lines[0]!.points).toEqual([
    { x: 0.1, y: 0.1, z: 1 },
    { x: 4.9, y: 3.9, z: 1.2 },
  ]);
});

test('a room is repeated once a second of event time, for viewers that clear it; late records do not', async () => {
  const second = 1_000_000;
  const times = [0, 0.4, 1, 1.9, 0.2, 2.1, 9, 1.5].map((at) => START + at * second);
  const messages = await recorded(times.map((time, index) => measure(index, { time })));
  const at = (topic: string) => under(messages, topic).map(({ time }) => (time - START) / second);
  expect(at('room')).toEqual([0, 1, 2.1, 9]);
  expect(at('room_points')).toEqual([0]);
  const [first, ...others] = under(messages, 'room').map(({ content }) => content as unknown as Scene);
  for (const { entities } of others)
    expect(entities.map(({ id, lines }) => [id, lines])).toEqual(
      first!.entities.map(({ id, lines }) => [id, lines]),
    );
});

test('rooms are looked at once a second of event time, not for each record; silent ones are repeated too', async () => {
  let asked = 0;
  const silent: Environment = {
    ...ROOM,
    get id() {
      asked++;
      return 'silent-room';
    },
  };
  const second = 1_000_000;
  const records = (count: number) =>
    Array.from({ length: count }, (_, index) => measure(index, { time: START + (index * second) / 100 }));
  await recorded(records(1), {}, [ROOM, silent]);
  const atStart = asked;
  asked = 0;
  await recorded(records(90), {}, [ROOM, silent]);
  expect(asked).toBe(atStart);
  const messages = await recorded(records(250), {}, [ROOM, silent]);
  const at = messages.filter(({ topic }) => topic === '/silent-room/room').map(({ time }) => time - START);
  expect(at).toEqual([0, second, 2 * second]);
});

test('a room is repeated where the clock was set back to, and not where it has been', async () => {
  const second = 1_000_000;
  const set = [100, 101, 103, 101.5, 20, 20.5, 21, 99.5, 100.2, 104].map((at) => START + at * second);
  const messages = await recorded(set.map((time, index) => measure(index, { time })));
  const rooms = under(messages, 'room').map(({ time }) => (time - START) / second);
  expect(rooms.toSorted((a, b) => a - b)).toEqual([20, 21, 99.5, 100, 101, 103, 104]);
});

test('a room is repeated however often the clock was set back', async () => {
  const times = Array.from({ length: 260 }, (_, i) => START + (300 - i) * 10_000_000);
  const messages = await recorded(times.map((time, index) => measure(index, { time })));
  expect(
    under(messages, 'room')
      .map(({ time }) => time)
      .toSorted((a, b) => b - a),
  ).toEqual(times);
});

test.each(['closed', 'killed'])(
  'a %s file is continued with the next repetition of its room',
  async (how) => {
    const written = temporaryFolder();
    const first = await openSink(written);
    await first.write([measure(0)], 1);
    await first.flush();
    const mark = first.mark!();
    if (how === 'closed') await first.close();
    const folder = temporaryFolder();
    cpSync(written, folder, { recursive: true, filter: (path) => !path.endsWith('.lock') });
    if (how === 'killed') await first.close();
    const second = await openSink(folder);
    await second.rewind!(1, mark);
    await second.write([measure(4), measure(10)], 2);
    await second.close();
    const rooms = under(await recordingsIn(folder), 'room');
    expect(rooms.map(({ time }) => time)).toEqual([START, START + 10 * HOP]);
  },
);

test('people are skeletons if articulated, discs otherwise; impossible links are named', async () => {
  const pose = poseFrame(3, {
    persons: [person(3, 0), person(3, 1, { articulated: false, positionError: 0.75, track: null })],
    leftOut: [{ link: 'link-2', fault: 'frozen' }],
  });
  const messages = await recorded([pose]);
  const { entities } = under(messages, 'people')[0]!.content as unknown as Scene;
  expect(entities.map(({ id }) => id)).toEqual(['person 1', 'untracked 1']);
  expect(entities[0]!.lines[0]!.points).toHaveLength(KEYPOINT_NAMES.length);
  expect(entities[0]!.texts[0]!.text).toMatch(/^#1 upright, \d+ %$/);
  expect(entities[1]!.cylinders[0]!.size).toEqual({ x: 1.5, y: 1.5, z: 0.02 });
  const faults = under(messages, 'faults')[0]!.content as unknown as Scene;
  expect(faults.entities.map(({ texts }) => texts[0]!.text)).toEqual(['link-2: frozen']);
  expect(under(messages, 'pose')[0]!.content).toEqual({ ...pose, processingMs: undefined });
  expect(under(messages, 'positions')[0]!.content['poses']).toHaveLength(2);
  // One point for a person without a skeleton.
  const { data } = under(messages, 'joints')[0]!.content as unknown as { readonly data: Uint8Array };
  expect(data.length).toBe(12 * (KEYPOINT_NAMES.length + 1));
});

test('amplitudes of frames, pictures of windows, events and measures can be plotted', async () => {
  const layout = { rx: 1, tx: 1, subcarriers: [-1, 1], bandwidthMhz: 20, centreMhz: 2437 };
  const block = allocateBlock(csiLayout({ ...layout, training: 'ht-ltf' }), 2);
  block.time.set([START, START + HOP]);
  block.link.set([1, 0]);
  block.rssi.set([-40, NaN]);
  block.values.set([3, 4, 0, 15, 0, 0, 0, 0]);
  const values = Float32Array.of(10, 0, 0, 0.1, 0, 0, 0, 10);
  const messages = await recorded([
    block,
    {
      ...{ port: 'window', environment: 'test-room', index: 1, start: START, step: HOP, points: 2 },
      ...{ provenance: { origin: 'live' } },
      links: [
        {
          ...{ id: 'link-1', layout: '', ...layout, subcarriers: Int16Array.of(-1, 1) },
          ...{ values, gaps: new Uint8Array(2), frames: 2, rssi: NaN },
          quality: { snrDb: NaN, fault: null },
        },
      ],
    },
    sensedEvent(2),
    measure(3, { source: 'node 7', name: 'a/b' }),
  ]);
  const [frame] = under(messages, 'amplitude/link-2');
  expect(frame!.content).toMatchObject({ rssi: -40, subcarriers: [-1, 1], amplitude: [5, 15] });
  expect(frame!.content['mean_db']).toBeCloseTo(20, 9);
  expect(under(messages, 'amplitude/link-1')[0]!.content).toMatchObject({ mean_db: -Infinity, rssi: NaN });
  // Rows are carriers, columns points; 40 dB below the strongest is black.
  expect(under(messages, 'windows/link-1')[0]).toMatchObject({
    time: START + 2 * HOP,
    content: { width: 2, height: 2, encoding: 'mono8', data: Uint8Array.of(255, 0, 0, 255) },
  });
  expect(under(messages, 'log')[0]!.content).toMatchObject({
    level: 4,
    message: 'fall_detection, person 1, 81 %',
  });
  expect(under(messages, 'events')[0]!.content).toEqual(sensedEvent(2));
  expect(under(messages, 'claims/node_7/a_b/link-1')[0]!.content['name']).toBe('a/b');
});

test('rejects what JSON or the format cannot represent, and writes the rest', async () => {
  const sink = await openSink(temporaryFolder());
  const failures = await sink.write([measure(0, { value: NaN }), measure(1, { time: -1 }), measure(2)], 1);
  expect(failures.map(({ code, reason }) => [code, reason])).toEqual([
    ['mcap.value.invalid', 'value is NaN: JSON supports only finite numbers'],
    ['mcap.value.invalid', 'its time is -1: a recording contains times from 1970 to 2554'],
  ]);
  await sink.close();
});

const epochRecords = (epoch: number): Data[] =>
  Array.from({ length: 6 }, (_, index) => resultRecord(epoch * 6 + index));

/** A folder after a kill, and the mark of each epoch. */
async function killed(config: object): Promise<{ readonly folder: string; readonly marks: unknown[] }> {
  const written = temporaryFolder();
  const sink = await openSink(written, config);
  const marks: unknown[] = [undefined];
  for (const epoch of [1, 2, 3]) {
    await sink.write(epochRecords(epoch), epoch);
    await sink.flush();
    marks.push(sink.mark!());
  }
  const folder = temporaryFolder();
  cpSync(written, folder, { recursive: true, filter: (path) => !path.endsWith('.lock') });
  await sink.close();
  return { folder, marks };
}

async function finishFrom(folder: string, config: object, epoch: number, mark?: unknown): Promise<void> {
  const sink = await openSink(folder, config);
  await sink.rewind!(epoch, mark);
  for (let next = epoch + 1; next <= 3; next++) {
    await sink.write(epochRecords(next), next);
    await sink.flush();
  }
  await sink.close();
}

const files = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.mcap'))
    .sort();

test.each([{ compression: 'none' }, { compression: 'zstd', rotate_ms: 1_000 }])(
  'a recording cut at any byte holds complete messages, and all of them after the rewind (%o)',
  async (config) => {
    const [{ folder: whole }, left] = await Promise.all([killed(config), killed(config)]);
    await finishFrom(whole, config, 3);
    const expected = await recordingsIn(whole);
    const last = files(left.folder).at(-1)!;
    const size = statSync(join(left.folder, last)).size;
    const marks = left.marks as ({ readonly bytes: number; readonly path: string } | undefined)[];
    // Data from before the newest epoch began is on disk.
    const safe = marks[2]!.path === last ? marks[2]!.bytes : 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: safe, max: size }), async (cut) => {
        const folder = temporaryFolder();
        cpSync(left.folder, folder, { recursive: true });
        truncateSync(join(folder, last), cut);
        const before = cut < 8 ? [] : await readMcap(readFileSync(join(folder, last)));
        const all = await readMcap(readFileSync(join(whole, last)));
        expect(before).toEqual(all.slice(0, before.length));
        const epoch = cut < size ? 2 : 3;
        await finishFrom(folder, config, epoch, marks[epoch]);
        expect(await recordingsIn(folder)).toEqual(expected);
        for (const name of files(folder))
          expect(await readIndexed(readFileSync(join(folder, name)))).toHaveLength(
            (await readMcap(readFileSync(join(folder, name)))).length,
          );
      }),
      { numRuns: 6 },
    );
  },
);

test('names a damaged recording, with a fix', async () => {
  const { folder } = await killed({});
  const path = join(folder, 'r.000000.mcap');
  truncateSync(path, 0);
  const sink = await openSink(folder).then(
    () => null,
    (error: unknown) => error as Error,
  );
  expect(sink?.message).toMatch(
    /r\.000000\.mcap: it has 0 bytes, and the index says \d+\. The file is damaged/,
  );
});
