import { Type } from 'typebox';
import type { Aggregate } from '../../../pipeline/component/index.js';
import { HOUR, localBuckets, MINUTE, startOfPeriod } from '../../service/queries/analytics/periods.js';
import {
  byStart,
  over,
  peakOccupancy,
  rounded,
  Rollups,
  WITH_PERSONS,
  type Peak,
} from '../../service/queries/analytics/rollups.js';
import { figuresOver } from '../../service/queries/analytics/unmeasured.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';
import { Time } from '../requests/ranges.js';
import { askedOf, RangeParameters, type RangeQuery } from '../requests/asked.js';
import { reachedTime, type Sensing } from '../../service/deployment/environments.js';

const endpoint = endpointsWith<Sensing | 'clock'>();

const closed = { additionalProperties: false } as const;

const INTERVALS = { '5min': 5 * MINUTE, '15min': 15 * MINUTE, '1hour': HOUR } as const;
type Interval = keyof typeof INTERVALS;

const SHARES = ['0_persons', '1_person', '2_persons', '3_persons', '4_plus_persons'] as const;
const MEASURES = ['presence_seconds', 'occupancy_confidence', 'occupancy_peak', ...WITH_PERSONS];

const OccupancySchema = Type.Object(
  {
    summary: Type.Object(
      {
        average_occupancy: Type.Number({ description: 'Mean over the observed time.' }),
        peak_occupancy: Type.Integer(),
        peak_time: Type.String({
          format: 'date-time',
          description: "The first minute with that number; the range's start if nobody was there.",
        }),
        total_person_hours: Type.Number(),
      },
      closed,
    ),
    time_series: Type.Array(
      Type.Object(
        {
          timestamp: Time,
          occupancy: Type.Integer({ description: 'The mean, rounded.' }),
          confidence: Type.Number(),
        },
        closed,
      ),
      { description: 'Without unobserved intervals.' },
    ),
    distribution: Type.Object(Object.fromEntries(SHARES.map((share) => [share, Type.Number()])), {
      ...closed,
      description: 'Percent of the observed time.',
    }),
  },
  closed,
);

interface OccupancyQuery extends RangeQuery {
  readonly interval: Interval;
}

interface Occupancy {
  readonly total: Rollups;
  readonly peak: Peak;
  readonly series: readonly (readonly [number, Rollups])[];
}

/** 4.5 and 2.10 */
export const occupancy = endpoint<OccupancyQuery, Occupancy>({
  method: 'GET',
  path: '/analytics/occupancy',
  summary: 'Number of people over a range of time.',
  access: 'viewer',
  limit: 'analytics',
  status: 200,
  async handle({ interval, ...query }, call) {
    const { environment, running: topology, reader, range } = await askedOf(query, call);
    const hourly = interval === '1hour';
    // Local hours can begin at half past in UTC; quarters work for all time zones.
    const { bucket, offset = 0 } = hourly
      ? localBuckets(range, environment)
      : { bucket: INTERVALS[interval] };
    const room = { environment: environment.id, subject: null };
    const until = reachedTime(topology, call.deployment.clock);
    const figures = await figuresOver(reader, environment, range, until, (measured) =>
      reader.aggregates({ ...room, ...measured, names: MEASURES, bucket, offset }),
    );
    const rows = [...figures.measured, ...figures.running];
    const peak = await peakOccupancy(reader, environment.id, range, figures, bucket);
    const startOf = (time: number) =>
      hourly ? startOfPeriod('hour', environment.timezone, time) : Math.floor(time / bucket) * bucket;
    return { total: new Rollups(rows), peak, series: seriesOf(rows, startOf) };
  },
  b: formView({
    query: Type.Object(
      {
        ...RangeParameters,
        interval: Type.Enum(Object.keys(INTERVALS) as Interval[], { default: '15min' }),
      },
      closed,
    ),
    response: OccupancySchema,
    read: ({ query }) => query,
    render: (result) => ({ data: occupancyBody(result) }),
  }),
});

const seriesOf = (rows: readonly Aggregate[], startOf: (time: number) => number) =>
  byStart(rows, startOf).filter(([, part]) => part.observedSeconds > 0);

const occupancyBody = ({ total, peak, series }: Occupancy) => ({
  summary: {
    average_occupancy: rounded(total.occupancy),
    peak_occupancy: peak.persons,
    peak_time: isoTime(peak.time),
    total_person_hours: rounded(total.sum('presence_seconds') / 3600),
  },
  time_series: series.map(([start, part]) => ({
    timestamp: isoTime(start),
    occupancy: Math.round(part.occupancy),
    confidence: rounded(part.mean('occupancy_confidence')),
  })),
  distribution: Object.fromEntries(
    SHARES.map((share, index) => [
      share,
      rounded(100 * over(total.sum(WITH_PERSONS[index]!), total.observedSeconds)),
    ]),
  ),
});
