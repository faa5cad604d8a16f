import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Sink } from '../../pipeline/component/index.js';
import {
  hourName,
  localBuckets,
  periodUntil,
  startOfPeriod,
} from '../../api/service/queries/analytics/periods.js';
import { EnvironmentSchema, localTime, startOfDay, zoneOffset } from '../../pipeline/model/index.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { withDefaults } from '../kit/definition.js';
import { analyticsConformance } from '../support/analytics-conformance.js';
import { testContext, testEnvironment } from '../support/context.js';
import { openService, type TestService } from './support.js';

analyticsConformance('DuckDB', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-analytics-'));
  const config = withDefaults(duckdb, { path: 'store.duckdb' });
  const sink: Sink = duckdb.create(config as never, testContext({ folder }).context);
  await sink.open();
  return {
    reader: sink.reader!,
    put: async (records) => {
      await sink.write(records, 1);
      await sink.flush();
    },
    close: async () => {
      await sink.close();
      await rm(folder, { recursive: true });
    },
  };
});

test('the environment shown on the page is valid', async () => {
  const shown = /```yaml\n([^]*?)```/.exec(await readFile('docs/analytics.md', 'utf8'))![1]!;
  const environment = { id: 'shown', size: testEnvironment.size, links: testEnvironment.links };
  const filled = Value.Default(EnvironmentSchema, { ...environment, ...(parse(shown) as object) });
  expect([...Value.Errors(EnvironmentSchema, filled)]).toEqual([]);
});

describe('parameters', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  const range = 'start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z';
  test.each([
    ['/form-a', 'healthcare?period=year', 422],
    ['/form-a', 'healthcare?metrics=dance', 422],
    ['/form-a', 'healthcare?metrics=traffic', 422],
    ['/form-a', 'healthcare?metrics=', 422],
    ['/form-a', 'retail?environment_id=test-room', 422],
    ['/form-b', 'summary', 422],
    ['/form-b', `summary?${range}&granularity=month`, 422],
    ['/form-b', `occupancy?${range}&interval=30min`, 422],
    ['/form-b', 'occupancy?start_time=2026-01-02T00:00:00Z&end_time=2026-01-01T00:00:00Z', 422],
    ['/form-b', 'occupancy?start_time=2026-01-01T00:00:00Z&end_time=2026-06-01T00:00:00Z', 400],
    ['/form-b', `occupancy?${range}&environment_id=nowhere`, 404],
    ['/form-b', `occupancy?${range}&environment_id=test-room&interval=5min`, 200],
    ['/form-a', `summary?${range}`, 200],
  ])('%s %s is answered %d', async (form, path, status) => {
    const response = await service.get(`${form}/api/v1/analytics/${path}`, service.token('viewer'));
    expect(response.status).toBe(status);
  });

  test('an unknown metric is named, with the known ones', async () => {
    const path = '/form-a/api/v1/analytics/security?metrics=crowd_analysis,theft';
    expect(await (await service.get(path, service.token('viewer'))).json()).toMatchObject({
      error: {
        code: 'VALIDATION_ERROR',
        details: {
          field_errors: [
            {
              field: 'metrics',
              message:
                "unknown metric 'theft'; use one of intrusion_events, perimeter_monitoring, crowd_analysis",
              received_value: 'crowd_analysis,theft',
            },
          ],
        },
      },
    });
  });
});

describe('local time', () => {
  const us = (iso: string) => Date.parse(iso) * 1000;
  const iso = (time: number) => new Date(time / 1000).toISOString();

  test.each([
    ['UTC', 2026, 3, 29, '2026-03-29T00:00:00.000Z'],
    ['Europe/Berlin', 2026, 3, 29, '2026-03-28T23:00:00.000Z'],
    ['Europe/Berlin', 2026, 3, 30, '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', 2026, 10, 26, '2026-10-25T23:00:00.000Z'],
    ['Asia/Kolkata', 2026, 1, 1, '2025-12-31T18:30:00.000Z'],
    ['America/New_York', 2026, 11, 2, '2026-11-02T05:00:00.000Z'],
    // Clocks go from 0:00 to 1:00: the day has no midnight.
    ['America/Sao_Paulo', 2018, 11, 4, '2018-11-04T03:00:00.000Z'],
    // Clocks go from 1:00 back to 0:00: the day has two midnights.
    ['America/Havana', 2025, 11, 2, '2025-11-02T04:00:00.000Z'],
    ['Pacific/Kiritimati', 2026, 1, 1, '2025-12-31T10:00:00.000Z'],
    ['Australia/Lord_Howe', 2026, 4, 6, '2026-04-05T13:30:00.000Z'],
  ])('in %s the day %d-%d-%d begins at %s', (zone, year, month, day, start) => {
    expect(iso(startOfDay(zone, { year, month, day }))).toBe(start);
  });

  test('a clock shows date, time and weekday', () => {
    expect(localTime('Asia/Tokyo', us('2026-03-01T15:30:00Z'))).toEqual({
      ...{ year: 2026, month: 3, day: 2, hour: 0, minute: 30, weekday: 'mon' },
    });
    expect(zoneOffset('Asia/Kathmandu', us('2026-03-01T15:30:31.5Z'))).toBe(20_700_000_000);
  });

  test.each([
    ['hour', '2026-11-01T06:00:00.000Z', '2026-11-01'],
    ['day', '2026-11-01T04:00:00.000Z', '2026-11-01'],
    ['week', '2026-10-26T04:00:00.000Z', '2026-10-26'],
    ['month', '2026-11-01T04:00:00.000Z', '2026-11-01'],
  ] as const)('the %s of a moment after clocks were put back began at %s', (period, start, date) => {
    const environment = { ...testEnvironment, timezone: 'America/New_York' };
    const found = periodUntil(us('2026-11-01T06:30:00Z'), period, environment);
    expect([iso(found.start), found.date]).toEqual([start, date]);
  });

  test('a repeated hour gives two hours of the same name', () => {
    const zone = 'Europe/Berlin';
    const starts = ['00:10', '01:10', '02:10'].map((time) =>
      startOfPeriod('hour', zone, us(`2026-10-25T${time}:00Z`)),
    );
    expect(starts.map((start) => hourName(zone, start))).toEqual([
      '02:00-03:00',
      '02:00-03:00',
      '03:00-04:00',
    ]);
    expect(starts[1]! - starts[0]!).toBe(3_600_000_000);
  });

  test('buckets are local hours if all hours of the range start alike', () => {
    const range = { start: us('2026-04-01T00:00:00Z'), end: us('2026-04-10T00:00:00Z') };
    const of = (timezone: string) => localBuckets(range, { ...testEnvironment, timezone });
    const hour = 3_600_000_000;
    expect(of('Europe/Berlin')).toEqual({ bucket: hour, offset: hour });
    expect(of('Asia/Kolkata')).toEqual({ bucket: hour, offset: hour / 2 });
    expect(of('Asia/Kathmandu')).toEqual({ bucket: hour, offset: hour / 4 });
    expect(of('Australia/Lord_Howe')).toEqual({ bucket: hour / 4, offset: 0 });
  });
});
