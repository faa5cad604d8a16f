import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cursor, Reader } from '../../pipeline/component/index.js';
import type { Data, Measure, PoseFrame } from '../../pipeline/model/index.js';
import { aggregatesOf } from '../support/aggregates.js';
import { placesOf } from '../support/places.js';
import { summariesOf } from '../support/summaries.js';
import {
  anyEvent,
  anyMeasure,
  HOP,
  measure,
  person,
  poseFrame,
  sensedEvent,
  START,
} from '../support/records.js';

/** An empty store, and how to fill it. */
export interface ReadableStore {
  readonly reader: Reader;
  /** The records are readable when it resolves. */
  put(records: readonly Data[]): Promise<void>;
  close(): Promise<void>;
}

const environment = 'test-room';
const frames = (count: number, people = 1): PoseFrame[] =>
  Array.from({ length: count }, (_, index) => poseFrame(index, { people }));
const ids = (found: readonly PoseFrame[]): number[] => found.map(({ frameId }) => frameId);

/** A promise of every store's reader, on an empty store. */
export interface ReaderCase {
  readonly name: string;
  readonly run: (store: ReadableStore) => Promise<void>;
}

type Add = (name: string, run: ReaderCase['run']) => void;

/** Tests that a store's reader keeps all promises, so that the service interface does not depend on the store. */
export function readerConformance(name: string, makeStore: () => Promise<ReadableStore>): void {
  describe(`reader of ${name}`, () => {
    for (const { name: promise, run } of readerCases())
      test(promise, async () => {
        const store = await makeStore();
        try {
          await run(store);
        } finally {
          await store.close();
        }
      });
  });
}

export function readerCases(): readonly ReaderCase[] {
  const cases: ReaderCase[] = [];
  const add: Add = (name, run) => cases.push({ name, run });
  const group = (of: string, fill: (add: Add) => void): void => {
    fill((name, run) => {
      add(`${of} ${name}`, run);
    });
  };

  add('an empty store returns empty results', async (store) => {
    expect(await store.reader.latestPose(environment)).toBeUndefined();
    expect(await store.reader.range(environment)).toBeUndefined();
    expect(await store.reader.poses({ environment, limit: 10 })).toEqual([]);
    expect(await store.reader.persons({ environment, limit: 10, offset: 10_000 })).toEqual([]);
    expect(await store.reader.events({ environment })).toEqual([]);
    expect(await store.reader.measures({ environment })).toEqual([]);
    expect(await store.reader.countPoses({ environment })).toBe(0);
    expect(await store.reader.countPersons({ environment })).toBe(0);
    expect(await store.reader.ping()).toBeGreaterThanOrEqual(0);
  });

  add('a pose frame is returned as it was written', async (store) => {
    const empty = poseFrame(1, { people: 0, provenance: { origin: 'replay' } });
    const untracked = poseFrame(2, {
      persons: [person(2, 0, { track: null, heading: null, posture: 'lying', articulated: false })],
    });
    const written = [poseFrame(0, { people: 3 }), empty, untracked];
    await store.put(written);
    expect(await store.reader.poses({ environment })).toEqual(written);
    expect(await store.reader.latestPose(environment)).toEqual(untracked);
  });

  add('a person without keypoints, as after anonymizing, is returned unchanged', async (store) => {
    const written = poseFrame(0, {
      persons: [person(0, 0, { keypoints: [], articulated: false }), person(0, 1)],
    });
    await store.put([written]);
    expect(await store.reader.poses({ environment })).toEqual([written]);
  });

  add('the newest frame is the one with the latest event time in its environment', async (store) => {
    await store.put([poseFrame(5), poseFrame(9), poseFrame(7), poseFrame(99, { environment: 'other' })]);
    expect((await store.reader.latestPose(environment))?.frameId).toBe(9);
    expect(await store.reader.range(environment)).toEqual({ start: START + 5 * HOP, end: START + 9 * HOP });
  });

  add('ignores frames later than the requested time, stored while the clock was ahead', async (store) => {
    const hour = 36_000;
    await store.put([poseFrame(hour), poseFrame(3), poseFrame(1), poseFrame(4, { environment: 'other' })]);
    const at = (index: number) => START + index * HOP;
    expect((await store.reader.latestPose(environment, at(5)))?.frameId).toBe(3);
    expect((await store.reader.latestPose(environment, at(3)))?.frameId).toBe(3);
    expect((await store.reader.latestPose(environment, at(3) - 1))?.frameId).toBe(1);
    expect(await store.reader.latestPose(environment, at(1) - 1)).toBeUndefined();
    expect((await store.reader.latestPose(environment, Infinity))?.frameId).toBe(hour);
    expect(await store.reader.range(environment, at(5))).toEqual({ start: at(1), end: at(3) });
    expect(await store.reader.range(environment, at(1) - 1)).toBeUndefined();
  });

  add('finds the newest frame of a room that has been silent for long', async (store) => {
    const day = 864_000;
    await store.put([poseFrame(3), poseFrame(1), poseFrame(day, { environment: 'other' })]);
    expect((await store.reader.latestPose(environment))?.frameId).toBe(3);
    expect(await store.reader.range(environment)).toEqual({ start: START + HOP, end: START + 3 * HOP });
    expect(await store.reader.range('nowhere')).toBeUndefined();
  });

  add('ranges include their start and exclude their end', async (store) => {
    const records = frames(10);
    await store.put([...records, ...records.map((_, index) => measure(index))]);
    await store.put(records.map((_, index) => sensedEvent(index)));
    const range = { environment, start: START + 2 * HOP, end: START + 5 * HOP };
    expect(ids(await store.reader.poses(range))).toEqual([2, 3, 4]);
    expect((await store.reader.persons(range)).map(({ frameId }) => frameId)).toEqual([2, 3, 4]);
    expect(await store.reader.countPoses(range)).toBe(3);
    expect(await store.reader.countPersons(range)).toBe(3);
    const times = [2, 3, 4].map((index) => START + index * HOP);
    expect((await store.reader.events(range)).map(({ time }) => time)).toEqual(times);
    expect((await store.reader.measures(range)).map(({ time }) => time)).toEqual(times);
    const between = { environment, start: START + 2 * HOP + 0.5, end: START + 5 * HOP + 0.5 };
    expect(ids(await store.reader.poses(between))).toEqual([3, 4, 5]);
  });

  add('the inference time is the mean of all frames of the range', async (store) => {
    const times = Array.from({ length: 60 }, (_, index) => (index < 20 ? 10 : 40));
    await store.put(times.map((processingMs, index) => poseFrame(index, { processingMs })));
    expect(await store.reader.meanProcessingMs({ environment })).toBe(30);
    const late = { environment, start: START + 10 * HOP, end: START + 30 * HOP };
    expect(await store.reader.meanProcessingMs(late)).toBe(25);
    expect(await store.reader.meanProcessingMs({ environment: 'nowhere' })).toBe(0);
  });

  add('a person filter returns only that person, from frames that contain it', async (store) => {
    await store.put([poseFrame(0, { people: 2 }), poseFrame(1), poseFrame(2, { people: 2 })]);
    const found = await store.reader.poses({ environment, person: 2 });
    expect(ids(found)).toEqual([0, 2]);
    expect(found.flatMap(({ persons }) => persons.map(({ track }) => track?.id))).toEqual([2, 2]);
    expect(await store.reader.countPoses({ environment, person: 2 })).toBe(2);
    expect(await store.reader.countPersons({ environment, person: 1 })).toBe(3);
    expect(ids(await store.reader.poses({ environment, person: 2, limit: 1 }))).toEqual([0]);
  });

  add('a confidence filter drops persons below it, and frames that become empty', async (store) => {
    const sure = person(1, 0, { confidence: 0.9 });
    const unsure = person(1, 1, { confidence: 0.3 });
    await store.put([
      poseFrame(0, { persons: [unsure] }),
      poseFrame(1, { persons: [sure, unsure] }),
      poseFrame(2, { people: 0 }),
      poseFrame(3, { persons: [sure] }),
    ]);
    const query = { environment, minConfidence: 0.9 };
    const found = await store.reader.poses(query);
    expect(ids(found)).toEqual([1, 3]);
    expect(found[0]!.persons).toEqual([sure]);
    expect(await store.reader.countPoses(query)).toBe(2);
    expect(await store.reader.countPersons(query)).toBe(2);
    expect(await store.reader.countPersons({ ...query, person: 2 })).toBe(0);
  });

  add('pages of persons by offset return each row once, in order', async (store) => {
    await store.put(frames(3_000, 2));
    const all = await store.reader.persons({ environment });
    expect(all).toHaveLength(6_000);
    for (const offset of [0, 1, 1_999, 2_001, 4_321, 5_999]) {
      expect(await store.reader.persons({ environment, offset, limit: 2 })).toEqual(
        all.slice(offset, offset + 2),
      );
    }
    expect(await store.reader.persons({ environment, offset: 6_000, limit: 2 })).toEqual([]);
  });

  add('cursors neither miss nor repeat frames while rows are being written', async (store) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 7 }),
        fc.uuid(),
        async (growth, limit, room) => {
          let next = 0;
          const write = async (count: number) => {
            const batch = Array.from({ length: count }, () => poseFrame(next++, { environment: room }));
            // Two frames with the same time: the frame's number decides their order.
            await store.put(batch.map((frame) => ({ ...frame, time: START + (frame.frameId >> 1) * HOP })));
          };
          const seen: number[] = [];
          let after: Cursor | undefined;
          const page = async () => {
            const found = await store.reader.poses({ environment: room, limit, ...(after ? { after } : {}) });
            seen.push(...ids(found));
            const last = found.at(-1);
            if (last) after = { time: last.time, frameId: last.frameId };
            return found.length;
          };
          for (const count of growth) {
            await write(count);
            await page();
          }
          while ((await page()) > 0);
          expect(seen).toEqual(Array.from({ length: next }, (_, index) => index));
        },
      ),
      { numRuns: 15 },
    );
  });

  add('events round-trip exactly, whatever text and numbers they contain', async (store) => {
    await fc.assert(
      fc.asyncProperty(anyEvent, fc.uuid(), async (event, room) => {
        const written = { ...event, environment: room };
        await store.put([written]);
        expect(await store.reader.events({ environment: room, ownOnly: false })).toEqual([written]);
      }),
      { numRuns: 40 },
    );
  });

  add('measures round-trip exactly, whatever text and numbers they contain', async (store) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyMeasure, { minLength: 8, maxLength: 8 }),
        fc.uuid(),
        async (values, room) => {
          // A commit takes longer than all that is drawn, so several are written at once.
          const written = values.map((value, index) => ({ ...value, environment: `${room}-${index}` }));
          await store.put(written);
          for (const one of written)
            expect(await store.reader.measures({ environment: one.environment })).toEqual([one]);
        },
      ),
      { numRuns: 5 },
    );
  });

  add(
    'events can be filtered by type and severity; claims of senders are excluded by default',
    async (store) => {
      await store.put([
        sensedEvent(0),
        sensedEvent(1, { type: 'crowd', severity: 'low' }),
        sensedEvent(2, { source: 'node-1' }),
      ]);
      const times = async (query: object) =>
        (await store.reader.events({ environment, ...query })).map(({ time }) => (time - START) / HOP);
      expect(await times({})).toEqual([0, 1]);
      expect(await times({ ownOnly: false })).toEqual([0, 1, 2]);
      expect(await times({ types: ['crowd'] })).toEqual([1]);
      expect(await times({ types: [] })).toEqual([]);
      expect(await times({ severities: ['low'] })).toEqual([1]);
      expect(await times({ severities: ['high', 'critical'], limit: 1 })).toEqual([0]);
    },
  );

  add('events are returned in pages, and can be counted without rows', async (store) => {
    await store.put([0, 1, 2, 3, 4].map((index) => sensedEvent(index)));
    const times = async (query: object) =>
      (await store.reader.events({ environment, ...query })).map(({ time }) => (time - START) / HOP);
    expect(await times({ limit: 2, offset: 2 })).toEqual([2, 3]);
    expect(await times({ limit: 2, offset: 4 })).toEqual([4]);
    expect(await times({ limit: 2, offset: 6 })).toEqual([]);
    expect(await times({ offset: 3 })).toEqual([3, 4]);
    expect(await store.reader.countEvents({ environment, limit: 2, offset: 2 })).toBe(5);
    expect(await store.reader.countEvents({ environment, end: START + 2 * HOP })).toBe(2);
    expect(await store.reader.countEvents({ environment, types: ['crowd'] })).toBe(0);
    expect(await store.reader.countEvents({ environment, types: [] })).toBe(0);
  });

  add('measures can be filtered by name and subject', async (store) => {
    await store.put([
      measure(0),
      measure(1, { name: 'presence', subject: null }),
      measure(2, { subject: 'link-2' }),
    ]);
    const times = async (query: object) =>
      (await store.reader.measures({ environment, ...query })).map(({ time }) => (time - START) / HOP);
    expect(await times({})).toEqual([0, 1, 2]);
    expect(await times({ names: ['presence'] })).toEqual([1]);
    expect(await times({ names: ['presence', 'motion'], subject: 'link-1' })).toEqual([0]);
    expect(await times({ limit: 2 })).toEqual([0, 1]);
  });

  group('aggregates', (add) => {
    const minute = 60_000_000;
    const midnight = 1_699_920_000_000_000;
    const at = (minutes: number, value: number, overrides: Partial<Measure> = {}): Measure =>
      measure(0, {
        name: 'occupancy_mean',
        subject: null,
        time: midnight + minutes * minute,
        value,
        ...overrides,
      });
    const query = {
      environment,
      start: midnight,
      end: midnight + 1440 * minute,
      names: ['occupancy_mean'],
      bucket: 60 * minute,
    };

    add('group measures by name, subject and bucket', async (store) => {
      const written = [
        at(0, 1),
        at(59, 3),
        at(60, -2),
        at(61, 5, { subject: 'bed' }),
        at(62, 7, { subject: 'bed' }),
        at(63, 0.5, { name: 'detections' }),
        at(64, 100, { name: 'frames' }),
      ];
      await store.put(written);
      const names = ['detections', 'occupancy_mean'];
      const found = await store.reader.aggregates({ ...query, names });
      const hour = (index: number) => midnight + index * 60 * minute;
      const mean = { name: 'occupancy_mean', subject: null };
      expect(found).toEqual([
        { ...mean, start: hour(0), count: 2, sum: 4, min: 1, max: 3 },
        { name: 'detections', subject: null, start: hour(1), count: 1, sum: 0.5, min: 0.5, max: 0.5 },
        { ...mean, start: hour(1), count: 1, sum: -2, min: -2, max: -2 },
        { ...mean, subject: 'bed', start: hour(1), count: 2, sum: 12, min: 5, max: 7 },
      ]);
      expect(found).toEqual(aggregatesOf(written, { ...query, names }));
    });

    add('distinguish persons, even those that share a slot', async (store) => {
      const of = (person: number, minutes: number, value: number, name = 'moving_seconds') =>
        at(minutes, value, { subject: String(person), name });
      const written = [
        ...[1, 2, 17, 33].flatMap((person) => [of(person, 1, person), of(person, 2, 10), of(person, 70, 20)]),
        of(17, 130, 7),
        of(2, 131, 8, 'person_seconds'),
        of(18, 131, 9, 'person_seconds'),
        of(2, 132, 9),
        at(133, 9, { name: 'moving_seconds' }),
      ];
      await store.put(written);
      const names = ['moving_seconds', 'person_seconds'];
      const some = { ...query, names, start: midnight + 2 * minute, bucket: 30 * minute };
      expect(await store.reader.aggregates(some)).toEqual(aggregatesOf(written, some));
      expect(await store.reader.aggregates({ ...query, names })).toEqual(
        aggregatesOf(written, { ...query, names }),
      );
    });

    add('include the start of the range, exclude its end, and align buckets to the offset', async (store) => {
      const written = Array.from({ length: 240 }, (_, index) => at(index, index));
      await store.put(written);
      for (const [start, end, offset] of [
        [0, 240, 0],
        [30, 90, 0],
        [30, 200, 15],
        [0, 240, -45],
        [0, 240, 330],
      ] as const) {
        const some = {
          ...query,
          start: midnight + start * minute,
          end: midnight + end * minute,
          offset: offset * minute,
        };
        expect(await store.reader.aggregates(some)).toEqual(aggregatesOf(written, some));
      }
      expect(await store.reader.aggregates({ ...query, end: query.start })).toEqual([]);
      expect(await store.reader.aggregates({ ...query, names: [] })).toEqual([]);
    });

    add('exclude claims of senders, other rooms and other names, whatever their names', async (store) => {
      const odd = ['it\'s "odd" \\', "x' OR '1'='1", '"; DROP MEASUREMENT "measure'];
      const written = [
        at(0, 1),
        at(0, 2, { source: 'node-1' }),
        at(0, 3, { environment: 'other' }),
        ...odd.map((name, index) => at(1, index, { name, subject: `zone ${name}` })),
      ];
      await store.put(written);
      expect(await store.reader.aggregates(query)).toEqual(aggregatesOf([at(0, 1)], query));
      for (const name of odd) {
        const some = { ...query, names: [name] };
        expect(await store.reader.aggregates(some)).toEqual(aggregatesOf(written, some));
        expect(await store.reader.aggregates({ ...query, environment: name })).toEqual([]);
      }
    });

    add('can be restricted to measures of the environment itself', async (store) => {
      const written = [at(0, 1), at(1, 5, { subject: 'bed' }), at(2, 7, { subject: '3' }), at(3, 2)];
      await store.put(written);
      const some = { ...query, subject: null };
      expect(await store.reader.aggregates(some)).toEqual(aggregatesOf([at(0, 1), at(3, 2)], some));
    });

    add('reject buckets of zero length', async (store) => {
      for (const bucket of [0, -1, 0.5, NaN, Infinity])
        await expect(store.reader.aggregates({ ...query, bucket })).rejects.toThrow('whole number');
    });
  });

  group('summaries', (add) => {
    // Three of ten frames are empty, the others have one or two persons; one person in three has low
    // confidence.
    const written = Array.from({ length: 40 }, (_, index) => {
      const people = index % 10 < 3 ? 0 : 1 + (index % 2);
      const confidence = [0.25, 0.5, 0.75];
      const persons = Array.from({ length: people }, (_, place) =>
        person(index, place, { confidence: confidence[(index + place) % 3]! }),
      );
      return poseFrame(index, { persons });
    });
    const query = { environment, start: START, end: START + 40 * HOP, bucket: 10 * HOP };

    for (const [title, some] of [
      ['all', {}],
      ['those of certain persons', { minConfidence: 0.5 }],
      ['those with a person', { minPersons: 1 }],
      ['empty ones', { maxPersons: 0 }],
      ['those with two certain persons', { minConfidence: 0.5, minPersons: 2, maxPersons: 2 }],
      ['those with one person at most', { maxPersons: 1 }],
      ['those of a part of the range', { start: START + 3 * HOP, end: START + 17 * HOP }],
      ['those of buckets that start elsewhere', { offset: 3 * HOP }],
      ['none', { minPersons: 3 }],
      ['those of another room', { environment: 'other' }],
    ] as const)
      add(`count frames and persons: ${title}`, async (store) => {
        await store.put([...written, poseFrame(0, { environment: 'other', people: 3 })]);
        const asked = { ...query, ...some };
        const other = [poseFrame(0, { environment: 'other', people: 3 })];
        const found = await store.reader.summaries(asked);
        const expected = summariesOf([...written, ...other], asked);
        const counts = (all: typeof found) => all.map((one) => ({ ...one, confidence: 0 }));
        expect(counts(found)).toEqual(counts(expected));
        found.forEach(({ confidence }, index) => {
          expect(confidence).toBeCloseTo(expected[index]!.confidence, 9);
        });
      });

    add('reject buckets of zero length', async (store) => {
      for (const bucket of [0, -1, 0.5, NaN])
        await expect(store.reader.summaries({ ...query, bucket })).rejects.toThrow('whole number');
    });
  });

  group('places', (add) => {
    const states = ['active', 'lost', 'tentative', 'ended'] as const;
    const at = (index: number, place: number) => {
      const one = person(index, place);
      // Off the edges of cells: stores round.
      const [x, y] = [(index % 7) - 0.47 + place / 4, (index % 5) * 0.7 + 0.03];
      const state = states[(index + place) % 9] ?? 'active';
      const track = one.track && place < 2 ? { ...one.track, state } : null;
      return { ...one, position: { x, y, z: 0 }, track };
    };
    const written = Array.from({ length: 120 }, (_, index) =>
      poseFrame(index, { persons: [0, 1, 2].slice(index % 4).map((place) => at(index, place)) }),
    );
    const query = {
      ...{ environment, start: START, end: START + 120 * HOP },
      ...{ size: { x: 5, y: 2.5 }, cell: 0.5 },
    };

    for (const [title, some] of [
      ['all', {}],
      ['in smaller cells', { cell: 0.1 }],
      ['in one cell', { cell: 10 }],
      ['of a part of the range', { start: START + 3 * HOP, end: START + 17 * HOP }],
      ['of another room', { environment: 'other' }],
    ] as const)
      add(`count persons in sight by cell: ${title}`, async (store) => {
        const other = poseFrame(0, { environment: 'other', people: 3 });
        await store.put([...written, other]);
        const asked = { ...query, ...some };
        const expected = placesOf([...written, other], asked);
        expect(expected.length).toBeGreaterThan(0);
        expect(await store.reader.places(asked)).toEqual(expected);
      });
  });

  add('treats the text of a query as text, not as SQL', async (store) => {
    await store.put([poseFrame(0), sensedEvent(0), measure(0)]);
    const evil = "x' OR '1'='1";
    expect(await store.reader.poses({ environment: evil })).toEqual([]);
    expect(await store.reader.events({ environment, types: [evil, '"; DROP TABLE events; --'] })).toEqual([]);
    expect(await store.reader.measures({ environment, names: [evil], subject: evil })).toEqual([]);
    expect(await store.reader.countPoses({ environment })).toBe(1);
    expect(await store.reader.events({ environment })).toHaveLength(1);
  });

  return cases;
}
