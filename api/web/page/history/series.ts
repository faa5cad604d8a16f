import { service } from '../state/session.js';
import type { Line } from './chart.js';

export const SPANS = {
  '1 hour': { hours: 1, interval: '1min', seconds: 60 },
  '6 hours': { hours: 6, interval: '5min', seconds: 300 },
  '24 hours': { hours: 24, interval: '15min', seconds: 900 },
  '7 days': { hours: 168, interval: '1hour', seconds: 3600 },
} as const;
export type Span = keyof typeof SPANS;

const ACTIVITIES = [
  ['walking', '--person-1'],
  ['standing', '--person-2'],
  ['sitting', '--person-3'],
  ['lying', '--person-4'],
] as const;
const NAMES = [
  'presence_seconds',
  'occupancy_peak',
  'breathing_rate_bpm',
  ...ACTIVITIES.map(([activity]) => `${activity}_seconds`),
];

export interface HistoryData {
  /** Seconds since 1970: the starts of all intervals in the range. */
  readonly times: readonly number[];
  readonly people: readonly Line[];
  readonly activities: readonly Line[];
  readonly breathing: readonly Line[];
}

type Rows = Awaited<ReturnType<typeof rowsOf>>;

async function rowsOf(environment: string, span: Span) {
  const { hours, interval } = SPANS[span];
  const now = Date.now();
  const { data } = await service().rest.GET('/analytics/measures', {
    params: {
      query: {
        environment_id: environment,
        start_time: new Date(now - hours * 3_600_000).toISOString(),
        end_time: new Date(now).toISOString(),
        names: NAMES.join(','),
        interval,
      },
    },
  });
  return data!.data;
}

/** Stored data of a room, up to now. @throws ServiceError */
export async function historyOf(environment: string, span: Span): Promise<HistoryData> {
  const rows = await rowsOf(environment, span);
  const { hours, seconds } = SPANS[span];
  const end = Math.floor(Date.now() / 1000 / seconds) * seconds;
  const count = (hours * 3600) / seconds;
  const times = Array.from({ length: count }, (_, index) => end - (count - 1 - index) * seconds);
  const line = (label: string, colour: string, name: string, value: (rows: Rows) => number): Line => ({
    label,
    colour,
    values: valuesAt(
      times,
      rows.filter((row) => row.name === name),
      value,
    ),
  });
  const sum = (some: Rows) => some.reduce((total, row) => total + row.sum, 0);
  return {
    times,
    people: [
      line('on average', '--person-1', 'presence_seconds', (some) => sum(some) / seconds),
      line('at most', '--person-2', 'occupancy_peak', (some) => Math.max(...some.map(({ max }) => max))),
    ],
    activities: ACTIVITIES.map(([activity, colour]) =>
      line(activity, colour, `${activity}_seconds`, (some) => sum(some) / 60),
    ),
    breathing: [
      line('breaths', '--person-3', 'breathing_rate_bpm', (some) => {
        const measured = some.reduce((total, row) => total + row.count, 0);
        return sum(some) / measured;
      }),
    ],
  };
}

/** No value without a measurement: a gap is not a zero. */
function valuesAt(times: readonly number[], rows: Rows, value: (rows: Rows) => number): (number | null)[] {
  const byTime = new Map<number, Rows>();
  for (const row of rows) {
    const time = Date.parse(row.timestamp) / 1000;
    byTime.set(time, [...(byTime.get(time) ?? []), row]);
  }
  return times.map((time) => {
    const found = byTime.get(time);
    return found ? value(found) : null;
  });
}
