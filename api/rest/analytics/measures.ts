import { Type } from 'typebox';
import { isoTime } from '../../../pipeline/base/iso-time.js';
import type { Aggregate } from '../../../pipeline/component/index.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import type { Sensing } from '../../service/deployment/environments.js';
import { MINUTE } from '../../service/queries/analytics/periods.js';
import { Time } from '../requests/ranges.js';
import { askedOf, RangeParameters, type RangeQuery } from '../requests/asked.js';

const endpoint = endpointsWith<Sensing | 'clock'>();

const closed = { additionalProperties: false } as const;

const INTERVALS = { '1min': MINUTE, '5min': 5 * MINUTE, '15min': 15 * MINUTE, '1hour': 60 * MINUTE } as const;
type Interval = keyof typeof INTERVALS;

interface MeasuresQuery extends RangeQuery {
  readonly names: string;
  readonly interval: Interval;
}

/** Measures as operators wrote them, summed up by time. */
export const measures = endpoint<MeasuresQuery, readonly Aggregate[]>({
  method: 'GET',
  path: '/analytics/measures',
  summary: 'Measures of operators over a range of time, by name, subject and interval.',
  access: 'viewer',
  limit: 'analytics',
  status: 200,
  async handle({ names, interval, ...query }, call) {
    const { environment, reader, range } = await askedOf(query, call);
    const bucket = INTERVALS[interval];
    return reader.aggregates({ environment: environment.id, ...range, names: names.split(','), bucket });
  },
  b: formView({
    query: Type.Object(
      {
        ...RangeParameters,
        names: Type.String({
          pattern: '^[a-z][a-z0-9_]{0,63}(,[a-z][a-z0-9_]{0,63}){0,19}$',
          description: 'Names of measures, 20 at most: `breathing_rate_bpm,presence_seconds`.',
        }),
        interval: Type.Enum(Object.keys(INTERVALS) as Interval[], { default: '5min' }),
      },
      closed,
    ),
    response: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          subject: Type.Union([Type.String(), Type.Null()], {
            description: 'A zone or a person, say; null: the environment.',
          }),
          timestamp: Time,
          count: Type.Integer(),
          sum: Type.Number(),
          min: Type.Number(),
          max: Type.Number(),
        },
        closed,
      ),
      { description: 'Oldest first, without intervals in which nothing was measured.' },
    ),
    read: ({ query }) => query,
    render: (rows) => ({
      data: rows.map(({ start, name, subject, count, sum, min, max }) => ({
        ...{ name, subject, timestamp: isoTime(start) },
        ...{ count, sum, min, max },
      })),
    }),
  }),
});
