import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Answers } from '../../api/service/queries/pose-query/answers.js';
import { startOf } from '../../api/service/queries/pose-query/buckets.js';
import { summarise, type PoseQuestion } from '../../api/service/queries/pose-query/summarise.js';
import type { Measure } from '../../pipeline/model/index.js';
import { testEnvironment } from '../support/context.js';
import { FakeTopology, FIRST_TIME, person, poseFrame } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

const A = '/form-a/api/v1';
const B = '/form-b/api/v1';
const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;
const at = (minutes: number): string => new Date(FIRST_TIME / 1000 + minutes * 60_000).toISOString();

const minutes = (index: number, activity: string, subject: string, value: number): Measure => ({
  port: 'measure',
  name: `${activity}_seconds`,
  environment: testEnvironment.id,
  subject,
  time: FIRST_TIME + index * MINUTE,
  value,
  source: 'csiflow',
  provenance: { origin: 'simulated' },
});

/** A frame with these persons, `minute` minutes after the first one. */
const frameAt = (minute: number, ...confidences: readonly number[]) => ({
  ...poseFrame(
    minute,
    confidences.map((confidence, index) => person(index + 1, 1 + index, 2, { confidence })),
  ),
  time: FIRST_TIME + minute * MINUTE,
});

/** Two hours: one person, then two, then nobody; the second person has low confidence. */
function fill(main: FakeTopology): void {
  main.publish(frameAt(0, 0.8), frameAt(10, 0.6), frameAt(20, 0.9, 0.3), frameAt(70), frameAt(200, 0.5));
  main.measures.push(
    minutes(0, 'walking', '1', 30),
    minutes(0, 'standing', '1', 30),
    minutes(20, 'sitting', '2', 60),
    minutes(199, 'lying', '1', 60),
  );
}

const body = (query: object = {}) => ({
  query: {
    time_range: { start: at(0), end: at(180) },
    aggregation: { type: 'hourly_summary', metrics: ['person_count', 'avg_confidence'] },
    ...query,
  },
});

interface Answer {
  readonly results: readonly {
    readonly timestamp: string;
    readonly person_count?: number;
    readonly avg_confidence?: number;
    readonly activities: Record<string, number>;
  }[];
  readonly query_metadata: {
    readonly execution_time_ms: number;
    readonly total_records_scanned: number;
    readonly cache_hit: boolean;
  };
}

describe('POST /pose/query', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await openService();
    fill(service.main);
  });
  afterEach(async () => {
    await service.close();
  });
  const ask = (query: object, base = B) => service.post(`${base}/pose/query`, query, service.token('viewer'));
  const answered = async (query: object): Promise<Answer> => {
    const response = await ask(query);
    expect(response.status).toBe(200);
    return ((await response.json()) as { data: Answer }).data;
  };

  test('aggregates hours: most persons, mean confidence, shares of activities', async () => {
    const { results } = await answered(body());
    expect(results).toEqual([
      {
        timestamp: at(0),
        person_count: 2,
        avg_confidence: 0.65,
        activities: { walking: 0.25, standing: 0.25, sitting: 0.5 },
      },
      { timestamp: at(60), person_count: 0, avg_confidence: 0, activities: {} },
    ]);
  });

  test('is the same in Form A, bare', async () => {
    const a = (await (await ask(body(), A)).json()) as Answer;
    expect(a.results).toEqual((await answered(body())).results);
  });

  test.each([
    ['minute_summary', [at(0), at(10), at(20), at(70)]],
    ['daily_summary', [at(0)]],
    // 2026-01-01 is a Thursday.
    ['weekly_summary', ['2025-12-29T00:00:00.000Z']],
  ])('aggregates by %s', async (type, timestamps) => {
    const { results } = await answered(body({ aggregation: { type } }));
    expect(results.map(({ timestamp }) => timestamp)).toEqual(timestamps);
  });

  test('filters persons by confidence, and frames by how many remain', async () => {
    const sure = await answered(body({ filters: { confidence: { min: 0.5 } } }));
    expect(sure.results[0]).toMatchObject({ person_count: 1, avg_confidence: 0.767 });
    const two = await answered(body({ filters: { person_count: { min: 2, max: 5 } } }));
    expect(two.results).toMatchObject([{ timestamp: at(0), person_count: 2, avg_confidence: 0.6 }]);
    const nobody = await answered(body({ filters: { person_count: { max: 0 } } }));
    expect(nobody.results).toMatchObject([{ timestamp: at(60), person_count: 0 }]);
  });

  test('keeps only results with the activity', async () => {
    const of = async (...activity: string[]) =>
      (await answered(body({ aggregation: { type: 'minute_summary' }, filters: { activity } }))).results.map(
        ({ timestamp }) => timestamp,
      );
    expect(await of('walking')).toEqual([at(0)]);
    expect(await of('walking', 'sitting')).toEqual([at(0), at(20)]);
    expect(await of('lying')).toEqual([]);
  });

  test('returns the requested metrics', async () => {
    const aggregation = { type: 'daily_summary', metrics: ['person_count'] };
    expect(Object.keys((await answered(body({ aggregation }))).results[0]!)).toEqual([
      'timestamp',
      'person_count',
      'activities',
    ]);
  });

  test('reports the number of aggregated rows, and that an answer about the past was cached', async () => {
    // Four frames, four persons, three minutes of activities.
    const first = await answered(body());
    expect(first.query_metadata).toMatchObject({ total_records_scanned: 11, cache_hit: false });
    const again = await answered(body({ aggregation: { type: 'hourly_summary' } }));
    expect(again.query_metadata).toMatchObject({ total_records_scanned: 0, cache_hit: true });
    expect(again.results).toEqual(first.results);
  });

  test('does not cache what may still change', async () => {
    const open = body({ time_range: { start: at(0), end: at(199) } });
    expect((await answered(open)).query_metadata.cache_hit).toBe(false);
    service.main.publish(frameAt(198.5, 0.9, 0.9, 0.9));
    const again = await answered(open);
    expect(again.query_metadata.cache_hit).toBe(false);
    expect(again.results.at(-1)).toMatchObject({ person_count: 3 });
  });

  test('an empty range is 404 with both ranges in Form A, an empty list in Form B', async () => {
    const time_range = { start: '2020-01-01T00:00:00Z', end: '2020-01-02T00:00:00Z' };
    expect((await answered(body({ time_range }))).results).toEqual([]);
    const a = await ask(body({ time_range }), A);
    expect(a.status).toBe(404);
    expect(await a.json()).toMatchObject({
      error: {
        code: 'POSE_DATA_NOT_FOUND',
        details: {
          requested_range: { start: '2020-01-01T00:00:00.000Z', end: '2020-01-02T00:00:00.000Z' },
          available_range: { start: at(0), end: at(200) },
        },
      },
    });
  });

  test.each([
    [{ aggregation: { type: 'yearly_summary' } }, 422, 'query.aggregation.type'],
    [
      { aggregation: { type: 'hourly_summary', metrics: ['heart_rate'] } },
      422,
      'query.aggregation.metrics.0',
    ],
    [{ filters: { activity: ['flying'] } }, 422, 'query.filters.activity.0'],
    [{ filters: { confidence: { min: 1.1 } } }, 422, 'query.filters.confidence.min'],
    [{ filters: { person_count: { min: 3, max: 2 } } }, 422, 'query.filters.person_count.max'],
    [{ filters: { colour: 'red' } }, 422, 'query.filters.colour'],
    [{ time_range: { start: at(1), end: at(1) } }, 422, 'query.time_range.end'],
    [{ time_range: { start: at(1) } }, 422, 'query.time_range.end'],
    [{ time_range: { start: at(0), end: at(91 * 24 * 60) } }, 400, 'query.time_range.end'],
    [
      { time_range: { start: at(0), end: at(8 * 24 * 60) }, aggregation: { type: 'minute_summary' } },
      400,
      'query.time_range.end',
    ],
  ])('rejects %j with %i', async (query, status, field) => {
    const response = await ask(body(query));
    expect(response.status).toBe(status);
    const { error } = (await response.json()) as { error: { details: { field: string } } };
    expect(error.details.field).toBe(field);
  });
});

describe('cached answers', () => {
  const question: PoseQuestion = {
    ...{ start: FIRST_TIME, end: FIRST_TIME + HOUR, summary: 'hourly_summary' },
    ...{ minPersons: 0, maxPersons: null, minConfidence: 0, activities: null },
  };
  let main: FakeTopology;
  let elapsed: number;
  let answers: Answers;
  beforeEach(() => {
    main = new FakeTopology();
    fill(main);
    elapsed = 0;
    answers = new Answers({ now: () => 0, elapsed: () => elapsed });
  });
  const ask = async (asked = question) =>
    (
      await answers.of(testEnvironment.id, asked, main.reader, Infinity, () =>
        summarise(asked, testEnvironment, main.reader),
      )
    ).hit;

  test('are dropped when retention deletes frames of their range', async () => {
    expect([await ask(), await ask()]).toEqual([false, true]);
    main.frames.shift();
    expect([await ask(), await ask()]).toEqual([false, true]);
  });

  test('are dropped when a rewind deletes the frames of their range', async () => {
    expect([await ask(), await ask()]).toEqual([false, true]);
    main.frames.length = 3;
    expect([await ask(), await ask()]).toEqual([false, false]);
  });

  test('are kept for ten minutes, each for one query', async () => {
    expect(await ask()).toBe(false);
    expect(await ask({ ...question, minConfidence: 0.5 })).toBe(false);
    elapsed = 599_999;
    expect(await ask()).toBe(true);
    elapsed = 600_001;
    expect(await ask()).toBe(false);
  });

  test('are at most 64: the least recently used one is dropped', async () => {
    for (let index = 0; index < 64; index++) await ask({ ...question, minConfidence: index / 100 });
    expect(await ask()).toBe(true);
    await ask({ ...question, minConfidence: 0.9 });
    expect(await ask()).toBe(true);
    expect(await ask({ ...question, minConfidence: 0.01 })).toBe(false);
  });
});

describe('buckets follow local time', () => {
  const utc = (text: string): number => Date.parse(text) * 1000;
  test.each([
    ['daily_summary', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z'],
    ['daily_summary', 'Europe/Berlin', '2026-03-29T22:30:00Z', '2026-03-29T22:00:00Z'],
    ['weekly_summary', 'Europe/Berlin', '2026-03-31T12:00:00Z', '2026-03-29T22:00:00Z'],
    ['weekly_summary', 'UTC', '2026-03-29T12:00:00Z', '2026-03-23T00:00:00Z'],
    ['hourly_summary', 'Asia/Kolkata', '2026-01-01T10:15:00Z', '2026-01-01T09:30:00Z'],
    // Clocks go back from three to two: two hours have the same name.
    ['hourly_summary', 'Europe/Berlin', '2026-10-25T00:45:00Z', '2026-10-25T00:00:00Z'],
    ['hourly_summary', 'Europe/Berlin', '2026-10-25T01:45:00Z', '2026-10-25T01:00:00Z'],
    ['minute_summary', 'America/New_York', '2026-01-01T10:15:42Z', '2026-01-01T10:15:00Z'],
  ] as const)('%s in %s of %s begins at %s', (summary, timezone, time, start) => {
    expect(startOf(summary, timezone, utc(time))).toBe(utc(start));
  });
});
