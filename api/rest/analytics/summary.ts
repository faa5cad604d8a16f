import { Type } from 'typebox';
import { ACTIVITY_TYPES, ALERT_TYPES } from '../../../pipeline/model/index.js';
import {
  localBuckets,
  MINUTE,
  startOfPeriod,
  type Period,
  type Range,
} from '../../service/queries/analytics/periods.js';
import {
  byStart,
  over,
  peakOccupancy,
  rounded,
  Rollups,
  type Peak,
} from '../../service/queries/analytics/rollups.js';
import { figuresOver, SETTLED } from '../../service/queries/analytics/unmeasured.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';
import { Time } from '../requests/ranges.js';
import { askedOf, RangeParameters, type Asked, type RangeQuery } from '../requests/asked.js';
import { Count } from './events.js';
import { reachedTime, type Sensing } from '../../service/deployment/environments.js';

const endpoint = endpointsWith<Sensing | 'clock'>();

const closed = { additionalProperties: false } as const;

const GRANULARITIES = ['hour', 'day', 'week'] as const satisfies readonly Period[];
const MEASURES = [
  'frames',
  'detections',
  'detection_confidence',
  'person_seconds',
  'moving_seconds',
  'occupancy_peak',
];

/** Dead letters that are read at a time. */
const LETTERS = 1_000;

const SummarySchema = Type.Object(
  {
    time_period: Type.Object({ start: Time, end: Time, duration_hours: Type.Number() }, closed),
    detection_stats: Type.Object(
      {
        total_detections: Count('Sum of persons over all frames.'),
        unique_persons: Count('Distinct persons.'),
        average_confidence: Type.Number({ minimum: 0, maximum: 1 }),
        peak_occupancy: Count('Largest number of persons at a time.'),
        peak_occupancy_time: Type.String({
          format: 'date-time',
          description: "The first minute with that number; the range's start if nobody was there.",
        }),
      },
      closed,
    ),
    activity_stats: Type.Object(
      {
        total_movement_events: Count('Zones entered and left, changes of activity.'),
        fall_detections: Count('Falls.'),
        alert_count: Count('Events that notify people, including falls.'),
        average_activity_level: Type.Number({
          minimum: 0,
          maximum: 1,
          description: "Share of the persons' time with movement.",
        }),
      },
      closed,
    ),
    system_stats: Type.Object(
      {
        uptime_percentage: Type.Number({ minimum: 0, maximum: 100 }),
        average_processing_time: Type.Number({
          description: 'Mean inference time of a frame, milliseconds; 0 without frames.',
        }),
        frames_processed: Count('Pose frames.'),
        error_count: Count('Dead letters of the topology with their last failure in this range.'),
      },
      closed,
    ),
    hourly_breakdown: Type.Array(
      Type.Object(
        {
          hour: Type.String({ format: 'date-time', description: 'Start of the local hour, day or week.' }),
          detections: Count('As above.'),
          unique_persons: Count('As above.'),
          average_confidence: Type.Number({ minimum: 0, maximum: 1 }),
        },
        closed,
      ),
      { description: 'Only those with frames.' },
    ),
  },
  closed,
);

interface SummaryQuery extends RangeQuery {
  readonly granularity: (typeof GRANULARITIES)[number];
}

interface Summary {
  readonly range: Range;
  readonly total: Rollups;
  readonly peak: Peak;
  readonly movements: number;
  readonly falls: number;
  readonly alerts: number;
  readonly processingMs: number;
  readonly errors: number;
  /** Share of finished minutes with pose frames; if no minute is finished, that of the current one. */
  readonly uptime: number;
  readonly parts: readonly (readonly [number, Rollups])[];
}

/** 4.5 */
export const summary = endpoint<SummaryQuery, Summary>({
  method: 'GET',
  path: '/analytics/summary',
  summary: 'Detections, activity and system statistics over a range of time.',
  access: 'viewer',
  limit: 'analytics',
  status: 200,
  async handle({ granularity, ...asked }, call) {
    const { environment, running: topology, reader, range } = await askedOf(asked, call);
    const query = { environment: environment.id, ...range };
    const buckets = localBuckets(range, environment);
    const until = reachedTime(topology, call.deployment.clock);
    const [figures, movements, falls, alerts, processingMs, errors] = await Promise.all([
      figuresOver(reader, environment, range, until, (measured) =>
        reader.aggregates({ environment: environment.id, ...measured, names: MEASURES, ...buckets }),
      ),
      reader.countEvents({ ...query, types: ACTIVITY_TYPES }),
      reader.countEvents({ ...query, types: ['fall_detection'] }),
      reader.countEvents({ ...query, types: ALERT_TYPES }),
      reader.meanProcessingMs(query),
      errorsIn(topology, range),
    ]);
    const { measured, running } = figures;
    const rows = [...measured, ...running];
    const peak = await peakOccupancy(reader, environment.id, range, figures, buckets.bucket);
    const settled = Math.min(range.end, call.deployment.clock.now() - SETTLED);
    const parts = byStart(rows, (time) => startOfPeriod(granularity, environment.timezone, time));
    const minutes = Math.max(0, Math.ceil(settled / MINUTE) - Math.ceil(range.start / MINUTE));
    return {
      ...{ range, total: new Rollups(rows), peak, movements, falls, alerts, processingMs, errors },
      uptime: minutes > 0 ? over(new Rollups(measured).count('frames'), minutes) : Number(running.length > 0),
      parts: parts.filter(([, part]) => part.sum('frames') > 0),
    };
  },
  b: formView({
    query: Type.Object(
      {
        ...RangeParameters,
        granularity: Type.Enum([...GRANULARITIES], { default: 'hour' }),
      },
      closed,
    ),
    response: SummarySchema,
    read: ({ query }) => query,
    render: (result) => ({ data: summaryBody(result) }),
  }),
});

async function errorsIn(running: Asked['running'], { start, end }: Range): Promise<number> {
  let count = 0;
  for (let offset = 0; ; offset += LETTERS) {
    const { letters } = await running.letters.list({ offset, limit: LETTERS });
    count += letters.filter(({ at }) => at >= start && at < end).length;
    if (letters.length < LETTERS) return count;
  }
}

const summaryBody = ({ range, total, peak, parts, ...rest }: Summary) => ({
  time_period: {
    start: isoTime(range.start),
    end: isoTime(range.end),
    duration_hours: rounded((range.end - range.start) / 3.6e9),
  },
  detection_stats: {
    ...detections(total),
    peak_occupancy: peak.persons,
    peak_occupancy_time: isoTime(peak.time),
  },
  activity_stats: {
    total_movement_events: rest.movements,
    fall_detections: rest.falls,
    alert_count: rest.alerts,
    average_activity_level: rounded(
      Math.min(1, over(total.sum('moving_seconds'), total.sum('person_seconds'))),
    ),
  },
  system_stats: {
    uptime_percentage: rounded(Math.min(100, 100 * rest.uptime)),
    average_processing_time: rounded(rest.processingMs),
    frames_processed: total.sum('frames'),
    error_count: rest.errors,
  },
  hourly_breakdown: parts.map(([start, part]) => {
    const { total_detections, ...figures } = detections(part);
    return { hour: isoTime(start), detections: total_detections, ...figures };
  }),
});

const detections = (part: Rollups) => ({
  total_detections: part.sum('detections'),
  unique_persons: part.subjects('person_seconds').size,
  average_confidence: rounded(part.mean('detection_confidence')),
});
