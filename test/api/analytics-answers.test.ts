import { expect, test } from 'vitest';
import { Rollups } from '../../api/service/queries/analytics/rollups.js';
import type { Aggregate, MeasureQuery, Reader } from '../../pipeline/component/index.js';
import type { Measure, SensedEvent } from '../../pipeline/model/index.js';
import { testEnvironment } from '../support/context.js';
import { measure, sensedEvent, START } from '../support/records.js';
import { openService } from './support.js';

const SECOND = 1_000_000;
const HOUR = 3_600 * SECOND;
/** More than one read returns. */
const FLICKER = 2_500;

const entered = (seconds: number, person: number): Measure =>
  measure(0, {
    name: 'person_entered',
    subject: String(person),
    time: START + seconds * SECOND,
    value: 1,
  });
const fall = (seconds: number, person: number): SensedEvent =>
  sensedEvent(0, { id: `fall-${seconds}`, time: START + seconds * SECOND, person, severity: 'high' });

/** A store over a few lists, as far as the healthcare analytics need it. */
function storeOf(events: readonly SensedEvent[], measures: readonly Measure[]) {
  const asked: MeasureQuery[] = [];
  const within =
    ({ start = 0, end = Infinity }: { start?: number; end?: number }) =>
    (one: { time: number }) =>
      one.time >= start && one.time < end;
  const reader: Partial<Reader> = {
    aggregates: () => Promise.resolve([]),
    range: () => Promise.resolve(undefined),
    events: (query) => Promise.resolve(events.filter(within(query))),
    countEvents: (query) => Promise.resolve(events.filter(within(query)).length),
    measures: (query) => {
      asked.push(query);
      return Promise.resolve(measures.filter(within(query)).slice(0, query.limit));
    },
  };
  reader.until = () => reader as Reader;
  return { reader: reader as Reader, asked };
}

async function responses(events: readonly SensedEvent[], measures: readonly Measure[]) {
  const { reader, asked } = storeOf(events, measures);
  const service = await openService(undefined, {
    clock: { now: () => START + 12 * HOUR, elapsed: () => performance.now() },
  });
  try {
    service.main.readers.set('history', reader);
    Object.assign(service.main.topology, { environments: [testEnvironment] });
    const path = '/form-a/api/v1/analytics/healthcare?period=week&metrics=fall_events';
    const body = (await (await service.get(path, service.token('viewer'))).json()) as {
      metrics: { fall_events: { events: { response_time_seconds: number }[] } };
    };
    const seconds = body.metrics.fall_events.events.map((event) => event.response_time_seconds);
    return { seconds, asked };
  } finally {
    await service.close();
  }
}

test('finds the responder to a fall behind thousands of entries of the fallen person', async () => {
  const flicker = Array.from({ length: FLICKER }, (_, index) => entered(1 + index / 2, 1));
  const { seconds } = await responses([fall(0, 1), fall(10, 2)], [...flicker, entered(1_800, 3)]);
  // For the second fall, the first other person.
  expect(seconds).toEqual([1_800, 0.5]);
});

test('reads entries for falls only, page by page', async () => {
  const flicker = Array.from({ length: FLICKER }, (_, index) => entered(100 + index, 9));
  const { seconds, asked } = await responses([fall(0, 1), fall(20_000, 1), fall(30_000, 1)], flicker);
  expect(seconds).toEqual([100, 0, 0]);
  expect(asked.length).toBeLessThanOrEqual(2);
  expect(Math.max(...asked.map(({ limit }) => limit ?? Infinity))).toBeLessThanOrEqual(1_000);
});

test('sums of a subject cover all of its rows', () => {
  const row = (subject: string | null, start: number, sum: number): Aggregate => ({
    ...{ name: 'zone_seconds', subject, start, count: 1, sum, min: sum, max: sum },
  });
  const rollups = new Rollups([row('bed', 0, 2), row('bed', 60, 3), row(null, 0, 7), row('door', 0, 5)]);
  expect([...rollups.sums('zone_seconds')]).toEqual([
    ['bed', 5],
    [null, 7],
    ['door', 5],
  ]);
  expect(rollups.sumOf('zone_seconds', 'bed')).toBe(5);
  expect(rollups.sumOf('zone_seconds', 'nowhere')).toBe(0);
  expect([...rollups.sums('other')]).toEqual([]);
});
