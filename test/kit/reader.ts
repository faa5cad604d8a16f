import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Cursor, Reader } from '../../pipeline/component/index.js';
import type { Data, Measure, PoseFrame } from '../../pipeline/model/index.js';
import { aggregatesOf } from '../support/aggregates.js';
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

/** Behaviour of every store's reader, so that the service interface does not depend on the store. */
export function readerConformance(name: string, makeStore: () => Promise<ReadableStore>): void {
  describe(`reader of ${name}`, () => {
    let store: ReadableStore;
    beforeEach(async () => {
      store = await makeStore();
    });
    afterEach(async () => {
      await store.close();
    });
    const read = () => store.reader;

    test('an empty store returns empty results', async () => {
      expect(await read().latestPose(environment)).toBeUndefined();
      expect(await read().range(environment)).toBeUndefined();
      expect(await read().poses({ environment, limit: 10 })).toEqual([]);
      expect(await read().persons({ environment, limit: 10, offset: 10_000 })).toEqual([]);
      expect(await read().events({ environment })).toEqual([]);
      expect(await read().measures({ environment })).toEqual([]);
      expect(await read().countPoses({ environment })).toBe(0);
      expect(await read().countPersons({ environment })).toBe(0);
      expect(await read().ping()).toBeGreaterThanOrEqual(0);
    });

    test('a pose frame is returned as it was written', async () => {
      const empty = poseFrame(1, { people: 0, provenance: { origin: 'replay' } });
      const untracked = poseFrame(2, {
        persons: [person(2, 0, { track: null, heading: null, posture: 'lying', articulated: false })],
      });
      const written = [poseFrame(0, { people: 3 }), empty, untracked];
      await store.put(written);
      expect(await read().poses({ environment })).toEqual(written);
      expect(await read().latestPose(environment)).toEqual(untracked);
    });

    test('a person without keypoints, as after anonymizing, is returned unchanged', async () => {
      const written = poseFrame(0, {
        persons: [person(0, 0, { keypoints: [], articulated: false }), person(0, 1)],
      });
      await store.put([written]);
      expect(await read().poses({ environment })).toEqual([written]);
    });

    test('the newest frame is the one with the latest event time in its environment', async () => {
      await store.put([poseFrame(5), poseFrame(9), poseFrame(7), poseFrame(99, { environment: 'other' })]);
      expect((await read().latestPose(environment))?.frameId).toBe(9);
      expect(await read().range(environment)).toEqual({ start: START + 5 * HOP, end: START + 9 * HOP });
    });

    test('ignores frames later than the requested time, stored while the clock was ahead', async () => {
      const hour = 36_000;
      await store.put([poseFrame(hour), poseFrame(3), poseFrame(1), poseFrame(4, { environment: 'other' })]);
      const at = (index: number) => START + index * HOP;
      expect((await read().latestPose(environment, at(5)))?.frameId).toBe(3);
      expect((await read().latestPose(environment, at(3)))?.frameId).toBe(3);
      expect((await read().latestPose(environment, at(3) - 1))?.frameId).toBe(1);
      expect(await read().latestPose(environment, at(1) - 1)).toBeUndefined();
      expect((await read().latestPose(environment, Infinity))?.frameId).toBe(hour);
      expect(await read().range(environment, at(5))).toEqual({ start: at(1), end: at(3) });
      expect(await read().range(environment, at(1) - 1)).toBeUndefined();
    });

    test('finds the newest frame of a room that has been silent for long', async () => {
      const day = 864_000;
      await store.put([poseFrame(3), poseFrame(1), poseFrame(day, { environment: 'other' })]);
      expect((await read().latestPose(environment))?.frameId).toBe(3);
      expect(await read().range(environment)).toEqual({ start: START + HOP, end: START + 3 * HOP });
      expect(await read().range('nowhere')).toBeUndefined();
    });

    test('ranges include their start and exclude their end', async () => {
      const records = frames(10);
      await store.put([...records, ...records.map((_, index) => measure(index))]);
      await store.put(records.map((_, index) => sensedEvent(index)));
      const range = { environment, start: START + 2 * HOP, end: START + 5 * HOP };
      expect(ids(await read().poses(range))).toEqual([2, 3, 4]);
      expect((await read().persons(range)).map(({ frameId }) => frameId)).toEqual([2, 3, 4]);
      expect(await read().countPoses(range)).toBe(3);
      expect(await read().countPersons(range)).toBe(3);
      const times = [2, 3, 4].map((index) => START + index * HOP);
      expect((await read().events(range)).map(({ time }) => time)).toEqual(times);
      expect((await read().measures(range)).map(({ time }) => time)).toEqual(times);
      const between = { environment, start: START + 2 * HOP + 0.5, end: START + 5 * HOP + 0.5 };
      expect(ids(await read().poses(between))).toEqual([3, 4, 5]);
    });

    test('the inference time is the mean of all frames of the range', async () => {
      const times = Array.from({ length: 60 }, (_, index) => (index < 20 ? 10 : 40));
      await store.put(times.map((processingMs, index) => poseFrame(index, { processingMs })));
      expect(await read().meanProcessingMs({ environment })).toBe(30);
      const late = { environment, start: START + 10 * HOP, end: START + 30 * HOP };
      expect(await read().meanProcessingMs(late)).toBe(25);
      expect(await read().meanProcessingMs({ environment: 'nowhere' })).toBe(0);
    });

    test('a person filter returns only that person, from frames that contain it', async () => {
      await store.put([poseFrame(0, { people: 2 }), poseFrame(1), poseFrame(2, { people: 2 })]);
      const found = await read().poses({ environment, person: 2 });
      expect(ids(found)).toEqual([0, 2]);
      expect(found.flatMap(({ persons }) => persons.map(({ track }) => track?.id))).toEqual([2, 2]);
      expect(await read().countPoses({ environment, person: 2 })).toBe(2);
      expect(await read().countPersons({ environment, person: 1 })).toBe(3);
      expect(ids(await read().poses({ environment, person: 2, limit: 1 }))).toEqual([0]);
    });

    test('a confidence filter drops persons below it, and frames that become empty', async () => {
      const sure = person(1, 0, { confidence: 0.9 });
      const unsure = person(1, 1, { confidence: 0.3 });
      await store.put([
        poseFrame(0, { persons: [unsure] }),
        poseFrame(1, { persons: [sure, unsure] }),
        poseFrame(2, { people: 0 }),
        poseFrame(3, { persons: [sure] }),
      ]);
      const query = { environment, minConfidence: 0.9 };
      const found = await read().poses(query);
      expect(ids(found)).toEqual([1, 3]);
      expect(found[0]!.persons).toEqual([sure]);
      expect(await read().countPoses(query)).toBe(2);
      expect(await read().countPersons(query)).toBe(2);
      expect(await read().countPersons({ ...query, person: 2 })).toBe(0);
    });

    test('pages of persons by offset return each row once, in order', async () => {
      await store.put(frames(3_000, 2));
      const all = await read().persons({ environment });
      expect(all).toHaveLength(6_000);
      for (const offset of [0, 1, 1_999, 2_001, 4_321, 5_999]) {
        expect(await read().persons({ environment, offset, limit: 2 })).toEqual(
          all.slice(offset, offset + 2),
        );
      }
      expect(await read().persons({ environment, offset: 6_000, limit: 2 })).toEqual([]);
    });

    test('cursors neither miss nor repeat frames while rows are being written', async () => {
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
              const found = await read().poses({ environment: room, limit, ...(after ? { after } : {}) });
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

    test('events round-trip exactly, whatever text and numbers they contain', async () => {
      await fc.assert(
        fc.asyncProperty(anyEvent, fc.uuid(), async (event, room) => {
          const written = { ...event, environment: room };
          await store.put([written]);
          expect(await read().events({ environment: room, ownOnly: false })).toEqual([written]);
        }),
        { numRuns: 40 },
      );
    });

    test('measures round-trip exactly, whatever text and numbers they contain', async () => {
      await fc.assert(
        fc.asyncProperty(anyMeasure, fc.uuid(), async (value, room) => {
          const written = { ...value, environment: room };
          await store.put([written]);
          expect(await read().measures({ environment: room })).toEqual([written]);
        }),
        { numRuns: 40 },
      );
    });

    test('events can be filtered by type and severity; claims of senders are excluded by default', async () => {
      await store.put([
        sensedEvent(0),
        sensedEvent(1, { type: 'crowd', severity: 'low' }),
        sensedEvent(2, { source: 'node-1' }),
      ]);
      const times = async (query: object) =>
        (await read().events({ environment, ...query })).map(({ time }) => (time - START) / HOP);
      expect(await times({})).toEqual([0, 1]);
      expect(await times({ ownOnly: false })).toEqual([0, 1, 2]);
      expect(await times({ types: ['crowd'] })).toEqual([1]);
      expect(await times({ types: [] })).toEqual([]);
      expect(await times({ severities: ['high', 'critical'], limit: 1 })).toEqual([0]);
    });

    test('events are returned in pages, and can be counted without rows', async () => {
      await store.put([0, 1, 2, 3, 4].map((index) => sensedEvent(index)));
      const times = async (query: object) =>
        (await read().events({ environment, ...query })).map(({ time }) => (time - START) / HOP);
      expect(await times({ limit: 2, offset: 2 })).toEqual([2, 3]);
      expect(await times({ limit: 2, offset: 4 })).toEqual([4]);
      expect(await times({ limit: 2, offset: 6 })).toEqual([]);
      expect(await times({ offset: 3 })).toEqual([3, 4]);
      expect(await read().countEvents({ environment, limit: 2, offset: 2 })).toBe(5);
      expect(await read().countEvents({ environment, end: START + 2 * HOP })).toBe(2);
      expect(await read().countEvents({ environment, types: ['crowd'] })).toBe(0);
      expect(await read().countEvents({ environment, types: [] })).toBe(0);
    });

    test('measures can be filtered by name and subject', async () => {
      await store.put([
        measure(0),
        measure(1, { name: 'presence', subject: null }),
        measure(2, { subject: 'link-2' }),
      ]);
      const times = async (query: object) =>
        (await read().measures({ environment, ...query })).map(({ time }) => (time - START) / HOP);
      expect(await times({})).toEqual([0, 1, 2]);
      expect(await times({ names: ['presence'] })).toEqual([1]);
      expect(await times({ names: ['presence', 'motion'], subject: 'link-1' })).toEqual([0]);
      expect(await times({ limit: 2 })).toEqual([0, 1]);
    });

    describe('aggregates', () => {
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

      test('group measures by name, subject and bucket', async () => {
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
        const found = await read().aggregates({ ...query, names });
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

      test('distinguish persons, even those that share a slot', async () => {
        const of = (person: number, minutes: number, value: number, name = 'moving_seconds') =>
          at(minutes, value, { subject: String(person), name });
        const written = [
          ...[1, 2, 17, 33].flatMap((person) => [
            of(person, 1, person),
            of(person, 2, 10),
            of(person, 70, 20),
          ]),
          of(17, 130, 7),
          of(2, 131, 8, 'person_seconds'),
          of(18, 131, 9, 'person_seconds'),
          of(2, 132, 9),
          at(133, 9, { name: 'moving_seconds' }),
        ];
        await store.put(written);
        const names = ['moving_seconds', 'person_seconds'];
        const some = { ...query, names, start: midnight + 2 * minute, bucket: 30 * minute };
        expect(await read().aggregates(some)).toEqual(aggregatesOf(written, some));
        expect(await read().aggregates({ ...query, names })).toEqual(
          aggregatesOf(written, { ...query, names }),
        );
      });

      test('include the start of the range, exclude its end, and align buckets to the offset', async () => {
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
          expect(await read().aggregates(some)).toEqual(aggregatesOf(written, some));
        }
        expect(await read().aggregates({ ...query, end: query.start })).toEqual([]);
        expect(await read().aggregates({ ...query, names: [] })).toEqual([]);
      });

      test('exclude claims of senders, other rooms and other names, whatever their names', async () => {
        const odd = ['it\'s "odd" \\', "x' OR '1'='1", '"; DROP MEASUREMENT "measure'];
        const written = [
          at(0, 1),
          at(0, 2, { source: 'node-1' }),
          at(0, 3, { environment: 'other' }),
          ...odd.map((name, index) => at(1, index, { name, subject: `zone ${name}` })),
        ];
        await store.put(written);
        expect(await read().aggregates(query)).toEqual(aggregatesOf([at(0, 1)], query));
        for (const name of odd) {
          const some = { ...query, names: [name] };
          expect(await read().aggregates(some)).toEqual(aggregatesOf(written, some));
          expect(await read().aggregates({ ...query, environment: name })).toEqual([]);
        }
      });

      test('can be restricted to measures of the environment itself', async () => {
        const written = [at(0, 1), at(1, 5, { subject: 'bed' }), at(2, 7, { subject: '3' }), at(3, 2)];
        await store.put(written);
        const some = { ...query, subject: null };
        expect(await read().aggregates(some)).toEqual(aggregatesOf([at(0, 1), at(3, 2)], some));
      });

      test('reject buckets of zero length', async () => {
        for (const bucket of [0, -1, 0.5, NaN, Infinity])
          await expect(read().aggregates({ ...query, bucket })).rejects.toThrow('whole number');
      });
    });

    describe('summaries', () => {
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

      test.each([
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
      ])('count frames and persons: %s', async (_, some) => {
        await store.put([...written, poseFrame(0, { environment: 'other', people: 3 })]);
        const asked = { ...query, ...some };
        const other = [poseFrame(0, { environment: 'other', people: 3 })];
        const found = await read().summaries(asked);
        const expected = summariesOf([...written, ...other], asked);
        const counts = (all: typeof found) => all.map((one) => ({ ...one, confidence: 0 }));
        expect(counts(found)).toEqual(counts(expected));
        found.forEach(({ confidence }, index) => {
          expect(confidence).toBeCloseTo(expected[index]!.confidence, 9);
        });
      });

      test('reject buckets of zero length', async () => {
        for (const bucket of [0, -1, 0.5, NaN])
          await expect(read().summaries({ ...query, bucket })).rejects.toThrow('whole number');
      });
    });

    test('treats the text of a query as text, not as SQL', async () => {
      await store.put([poseFrame(0), sensedEvent(0), measure(0)]);
      const evil = "x' OR '1'='1";
      expect(await read().poses({ environment: evil })).toEqual([]);
      expect(await read().events({ environment, types: [evil, '"; DROP TABLE events; --'] })).toEqual([]);
      expect(await read().measures({ environment, names: [evil], subject: evil })).toEqual([]);
      expect(await read().countPoses({ environment })).toBe(1);
      expect(await read().events({ environment })).toHaveLength(1);
    });
  });
}
