import { describe, expect, test } from 'vitest';
import type { Reader } from '../../pipeline/component/index.js';
import type { PoseFrame } from '../../pipeline/model/index.js';
import { MemoryStore } from './memory-store.js';
import { readerCases, readerConformance } from './reader.js';

// A store that keeps every promise passes all cases; one with a single fault is caught by the case of that promise.

readerConformance('a good store', async () => new MemoryStore());

type Change = ConstructorParameters<typeof MemoryStore>[0];

/** The reader's calls, each with another query. */
const asking = <
  K extends 'poses' | 'persons' | 'events' | 'measures' | 'aggregates' | 'summaries' | 'places',
>(
  call: K,
  change: (query: Parameters<Reader[K]>[0]) => object,
): Change => {
  return (good) => ({
    [call]: (query: Parameters<Reader[K]>[0]) => good[call](change(query) as never),
  });
};

/** The same query without one of its filters. */
const without = <Q extends object>(query: Q, name: string): Q =>
  Object.fromEntries(Object.entries(query).filter(([one]) => one !== name)) as Q;

/** Each frame that `poses` returns, changed. */
const posesWith = (change: (frame: PoseFrame) => PoseFrame): Change => {
  return (good) => ({ poses: async (query) => (await good.poses(query)).map(change) });
};

const HOUR_US = 3_600_000_000;

const summariesOf = (change: (query: Parameters<Reader['summaries']>[0]) => object): Change =>
  asking('summaries', change);

const placesOf = (change: (query: Parameters<Reader['places']>[0]) => object): Change =>
  asking('places', change);

const FAULTS: Readonly<Record<string, readonly (readonly [fault: string, change: Change])[]>> = {
  'an empty store returns empty results': [
    ['a count of one', () => ({ countPoses: async () => 1 })],
    ['a range', () => ({ range: async () => ({ start: 0, end: 0 }) })],
    [
      'it fails behind the last row',
      (good) => ({
        persons: async (query) => {
          if ((query.offset ?? 0) > 0) throw new RangeError('no such page');
          return good.persons(query);
        },
      }),
    ],
  ],
  'a pose frame is returned as it was written': [
    ['without its links', posesWith((frame) => ({ ...frame, links: 0 }))],
    [
      'untracked persons get a track',
      posesWith((frame) => ({
        ...frame,
        persons: frame.persons.map((one) => ({
          ...one,
          track: one.track ?? { id: 0, state: 'active', age: 0, since: 0, velocity: { x: 0, y: 0 } },
        })),
      })),
    ],
  ],
  'a person without keypoints, as after anonymizing, is returned unchanged': [
    [
      'they become points at the origin',
      posesWith((frame) => ({
        ...frame,
        persons: frame.persons.map((one) => ({
          ...one,
          keypoints: Array.from({ length: 17 }, (_, k) => one.keypoints[k] ?? { x: 0, y: 0, z: 0, error: 0 }),
        })),
      })),
    ],
  ],
  'the newest frame is the one with the latest event time in its environment': [
    [
      'the one that was written last',
      (_, all) => ({ latestPose: async () => all.filter((one) => one.port === 'pose').at(-1) }),
    ],
  ],
  'ignores frames later than the requested time, stored while the clock was ahead': [
    ['it does not', (good) => ({ latestPose: (environment) => good.latestPose(environment) })],
    ['its range does not', (good) => ({ range: (environment) => good.range(environment) })],
  ],
  'finds the newest frame of a room that has been silent for long': [
    [
      'it looks at the last hour of the store',
      (good, all) => ({
        latestPose: async (environment) => {
          const found = await good.latestPose(environment);
          const newest = Math.max(...all.map(({ time }) => time));
          return found && newest - found.time < HOUR_US ? found : undefined;
        },
      }),
    ],
  ],
  'ranges include their start and exclude their end': [
    ['poses include it', asking('poses', (query) => ({ ...query, end: (query.end ?? 0) + 1 }))],
    [
      'persons exclude the start',
      asking('persons', (query) => ({ ...query, start: (query.start ?? 0) + 1 })),
    ],
    ['events include it', asking('events', (query) => ({ ...query, end: (query.end ?? 0) + 1 }))],
    ['measures ignore it', asking('measures', (query) => ({ ...query, end: Infinity }))],
    [
      'the count ignores it',
      (good) => ({ countPoses: ({ environment }) => good.countPoses({ environment }) }),
    ],
  ],
  'the inference time is the mean of all frames of the range': [
    ['the median', () => ({ meanProcessingMs: async () => 40 })],
    [
      'of all time',
      (good) => ({ meanProcessingMs: ({ environment }) => good.meanProcessingMs({ environment }) }),
    ],
    [
      'NaN without frames',
      (good) => ({ meanProcessingMs: async (query) => (await good.meanProcessingMs(query)) || NaN }),
    ],
  ],
  'a person filter returns only that person, from frames that contain it': [
    [
      'whole frames',
      (good) => ({
        poses: (query) => good.poses(without(query, 'person')),
      }),
    ],
    [
      'the count ignores it',
      (good) => ({ countPoses: (query) => good.countPoses(without(query, 'person')) }),
    ],
  ],
  'a confidence filter drops persons below it, and frames that become empty': [
    ['it drops none', asking('poses', (query) => without(query, 'minConfidence'))],
    [
      'it drops those at the limit',
      asking('poses', (query) => ({ ...query, minConfidence: ('minConfidence' in query ? 0.9 : 0) + 1e-9 })),
    ],
  ],
  'pages of persons by offset return each row once, in order': [
    [
      'one row twice',
      asking('persons', (query) => ({
        ...query,
        offset: Math.max(0, (query as { offset?: number }).offset! - 1) || 0,
      })),
    ],
    ['backwards', (good) => ({ persons: async (query) => [...(await good.persons(query))].reverse() })],
  ],
  'cursors neither miss nor repeat frames while rows are being written': [
    [
      'the rest of a moment is missed',
      (good) => ({
        poses: (query) =>
          good.poses({ ...query, ...(query.after && { after: { ...query.after, frameId: Infinity } }) }),
      }),
    ],
    [
      'a moment is repeated',
      (good) => {
        let left = 100;
        return {
          // Bounded: the case reads until a page is empty.
          poses: async (query) =>
            left-- > 0 && query.after
              ? good.poses({ ...query, after: { ...query.after, frameId: query.after.frameId - 1 } })
              : good.poses(query),
        };
      },
    ],
  ],
  'events round-trip exactly, whatever text and numbers they contain': [
    [
      'text is trimmed',
      (good) => ({
        events: async (query) =>
          (await good.events(query)).map((one) => ({ ...one, id: one.id.trim().slice(0, 3) })),
      }),
    ],
  ],
  'measures round-trip exactly, whatever text and numbers they contain': [
    [
      'numbers are rounded',
      (good) => ({
        measures: async (query) =>
          (await good.measures(query)).map((one) => ({ ...one, value: Math.fround(one.value) })),
      }),
    ],
  ],
  'events can be filtered by type and severity; claims of senders are excluded by default': [
    ['claims are included', asking('events', (query) => ({ ownOnly: false, ...query }))],
    [
      'no types are all types',
      asking('events', ({ types, ...query }: { types?: readonly string[] }) =>
        types?.length ? { ...query, types } : query,
      ),
    ],
    ['severities are ignored', asking('events', (query) => without(query, 'severities'))],
  ],
  'events are returned in pages, and can be counted without rows': [
    ['the offset is ignored', asking('events', (query) => without(query, 'offset'))],
    [
      'the count is of the page',
      (good) => ({ countEvents: async (query) => (await good.events(query)).length }),
    ],
  ],
  'measures can be filtered by name and subject': [
    ['names are ignored', asking('measures', (query) => without(query, 'names'))],
    ['subjects are ignored', asking('measures', (query) => without(query, 'subject'))],
    ['the limit is ignored', asking('measures', (query) => without(query, 'limit'))],
  ],
  'aggregates group measures by name, subject and bucket': [
    [
      'subjects are added up',
      (good) => ({
        aggregates: async (query) => (await good.aggregates(query)).map((one) => ({ ...one, subject: null })),
      }),
    ],
    [
      'the order of names',
      (good) => ({ aggregates: async (query) => [...(await good.aggregates(query))].reverse() }),
    ],
  ],
  'aggregates distinguish persons, even those that share a slot': [
    [
      'they share it',
      (good) => ({
        aggregates: async (query) =>
          (await good.aggregates(query)).map((one) => ({
            ...one,
            subject: one.subject === null ? null : String(Number(one.subject) % 16),
          })),
      }),
    ],
  ],
  'aggregates include the start of the range, exclude its end, and align buckets to the offset': [
    ['the end is included', asking('aggregates', (query) => ({ ...query, end: query.end + 1 }))],
    ['the offset is ignored', asking('aggregates', (query) => ({ ...query, offset: 0 }))],
  ],
  'aggregates exclude claims of senders, other rooms and other names, whatever their names': [
    [
      'claims are included',
      (good, all) => ({
        aggregates: async (query) => {
          const claims = all.filter((one) => one.port === 'measure' && one.source !== 'csiflow');
          return (await good.aggregates(query)).map((one) => ({ ...one, count: one.count + claims.length }));
        },
      }),
    ],
    [
      'quoted names are not found',
      asking('aggregates', (query) => ({
        ...query,
        names: (query as { names: readonly string[] }).names.filter((name) => !name.includes("'")),
      })),
    ],
  ],
  'aggregates can be restricted to measures of the environment itself': [
    ['they are not', asking('aggregates', (query) => without(query, 'subject'))],
  ],
  'aggregates reject buckets of zero length': [
    ['they return nothing', (good) => ({ aggregates: (query) => good.aggregates(query).catch(() => []) })],
  ],
  'summaries count frames and persons: all': [
    [
      'frames twice',
      (good) => ({
        summaries: async (query) =>
          (await good.summaries(query)).map((one) => ({ ...one, frames: 2 * one.frames })),
      }),
    ],
  ],
  'summaries count frames and persons: those of certain persons': [
    ['all persons', summariesOf((query) => ({ ...query, minConfidence: 0 }))],
  ],
  'summaries count frames and persons: those with a person': [
    ['empty ones too', summariesOf((query) => ({ ...query, minPersons: 0 }))],
  ],
  'summaries count frames and persons: empty ones': [
    ['all', summariesOf((query) => ({ ...query, maxPersons: Infinity }))],
  ],
  'summaries count frames and persons: those with two certain persons': [
    ['those with two persons', summariesOf((query) => ({ ...query, minConfidence: 0 }))],
    ['those with one', summariesOf((query) => ({ ...query, minPersons: 1 }))],
  ],
  'summaries count frames and persons: those with one person at most': [
    ['fewer than that', summariesOf((query) => ({ ...query, maxPersons: 0 }))],
  ],
  'summaries count frames and persons: those of a part of the range': [
    ['all of it', summariesOf((query) => ({ ...query, start: 0 }))],
  ],
  'summaries count frames and persons: those of buckets that start elsewhere': [
    ['the offset is ignored', summariesOf((query) => ({ ...query, offset: 0 }))],
  ],
  'summaries count frames and persons: none': [
    [
      'an empty bucket',
      (good) => ({
        summaries: async (query) => [
          ...(await good.summaries(query)),
          { start: query.start, frames: 0, persons: 0, confidence: 0, most: 0, rows: 0 },
        ],
      }),
    ],
  ],
  'summaries count frames and persons: those of another room': [
    ['this room', summariesOf((query) => ({ ...query, environment: 'test-room' }))],
  ],
  'summaries reject buckets of zero length': [
    ['they return nothing', (good) => ({ summaries: (query) => good.summaries(query).catch(() => []) })],
  ],
  'places count persons in sight by cell: all': [
    ['those outside too', placesOf((query) => ({ ...query, size: { x: 99, y: 99 } }))],
    [
      'lost tracks too',
      (good, all) => ({
        places: async (query) => {
          const found = await good.places(query);
          const lost = all.some(
            (one) => 'persons' in one && one.persons.some(({ track }) => track?.state === 'lost'),
          );
          return lost ? found.map((one) => ({ ...one, persons: one.persons + 1 })) : found;
        },
      }),
    ],
    ['another order', (good) => ({ places: async (query) => (await good.places(query)).toReversed() })],
  ],
  'places count persons in sight by cell: in smaller cells': [
    ['larger cells', placesOf((query) => ({ ...query, cell: 0.2 }))],
  ],
  'places count persons in sight by cell: in one cell': [
    ['smaller cells', placesOf((query) => ({ ...query, cell: 2 }))],
  ],
  'places count persons in sight by cell: of a part of the range': [
    ['all of it', placesOf((query) => ({ ...query, start: 0 }))],
  ],
  'places count persons in sight by cell: of another room': [
    ['this room', placesOf((query) => ({ ...query, environment: 'test-room' }))],
  ],
  'treats the text of a query as text, not as SQL': [
    [
      'a room is part of the statement',
      (good) => ({
        poses: (query) =>
          good.poses(query.environment.includes("' OR ") ? { ...query, environment: 'test-room' } : query),
      }),
    ],
    [
      'a type ends the statement',
      (good, all) => ({
        events: async (query) => {
          if (query.types?.some((type) => type.includes('DROP TABLE'))) (all as unknown[]).length = 0;
          return good.events(query);
        },
      }),
    ],
  ],
};

describe('a bad store fails:', () => {
  const cases = readerCases();

  test('every case has a bad store', () => {
    expect(Object.keys(FAULTS)).toEqual(cases.map(({ name }) => name));
  });

  for (const [name, faults] of Object.entries(FAULTS))
    test.each(faults)(`${name}: %s`, async (_, change) => {
      const { run } = cases.find((one) => one.name === name)!;
      await expect(run(new MemoryStore(change))).rejects.toThrow();
    });
});
