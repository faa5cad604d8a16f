import { Type, type Static } from 'typebox';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { ApiError } from '../../service/errors.js';
import { fromIsoTime, isoTime } from '../../../pipeline/base/iso-time.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import {
  environmentOf,
  reachedTime,
  readerOf,
  storeOf,
  type Sensing,
} from '../../service/deployment/environments.js';
import { Answers } from '../../service/queries/pose-query/answers.js';
import { SUMMARIES } from '../../service/queries/pose-query/buckets.js';
import {
  ACTIVITIES,
  summarise,
  type PoseAnswer,
  type PoseQuestion,
  type PoseResult,
} from '../../service/queries/pose-query/summarise.js';
import type { Reader } from '../../../pipeline/component/index.js';
import { readRange, refuseEmpty, Time } from '../requests/ranges.js';

type Parts = Sensing | 'clock';

const endpoint = endpointsWith<Parts>();

const closed = { additionalProperties: false } as const;
const METRICS = ['person_count', 'avg_confidence'] as const;

const FiltersSchema = Type.Object(
  {
    person_count: Type.Optional(
      Type.Object(
        {
          min: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
          max: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
        },
        { ...closed, description: 'Only frames with this number of persons.' },
      ),
    ),
    confidence: Type.Optional(
      Type.Object(
        { min: Type.Number({ minimum: 0, maximum: 1 }) },
        { ...closed, description: 'Persons with a lower confidence are not counted.' },
      ),
    ),
    activity: Type.Optional(
      Type.Array(Type.Enum([...ACTIVITIES]), {
        minItems: 1,
        maxItems: ACTIVITIES.length,
        description: 'Only results in which one of these took place.',
      }),
    ),
  },
  closed,
);

const BodySchema = Type.Object(
  {
    query: Type.Object(
      {
        time_range: Type.Object({ start: Time, end: Time }, closed),
        filters: Type.Optional(FiltersSchema),
        aggregation: Type.Object(
          {
            type: Type.Enum([...SUMMARIES]),
            metrics: Type.Optional(
              Type.Array(Type.Enum([...METRICS]), {
                minItems: 1,
                maxItems: METRICS.length,
                description: 'Fields of each result; default: all.',
              }),
            ),
          },
          closed,
        ),
      },
      closed,
    ),
  },
  closed,
);

const ResponseSchema = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          timestamp: Time,
          person_count: Type.Optional(Type.Integer({ description: 'Largest number of persons at a time.' })),
          avg_confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
          activities: Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1 }), {
            description: "Shares of the persons' time.",
          }),
        },
        closed,
      ),
    ),
    query_metadata: Type.Object(
      {
        execution_time_ms: Type.Number(),
        total_records_scanned: Type.Integer({
          description: 'Stored rows that the database aggregated for this answer; 0 for a cached one.',
        }),
        cache_hit: Type.Boolean(),
      },
      closed,
    ),
  },
  closed,
);

type Metric = (typeof METRICS)[number];

interface Asked {
  readonly question: PoseQuestion;
  readonly metrics: readonly Metric[];
}

interface Answered {
  readonly asked: Asked;
  readonly answer: PoseAnswer;
  readonly hit: boolean;
  readonly milliseconds: number;
  /** The stored range, if the answer is empty. */
  readonly available: { readonly start: number; readonly end: number } | undefined;
}

/** 4.2 */
const query = endpoint<Static<typeof BodySchema>, Answered>({
  method: 'POST',
  path: '/pose/query',
  summary: 'Stored poses aggregated by minute, hour, day or week.',
  access: 'viewer',
  limit: 'pose_processing',
  audit: false,
  status: 200,
  async handle(body, call) {
    const { deployment } = call;
    const began = deployment.clock.elapsed();
    const asked = read(body);
    const { environment, running } = environmentOf(deployment, undefined);
    const reader = await readerOf(running, call);
    const { answer, hit } = await answersOf(deployment, await storeOf(running)).of(
      environment.id,
      asked.question,
      reader,
      reachedTime(running, deployment.clock),
      () => summarise(asked.question, environment, reader),
    );
    const available = answer.results.length === 0 ? await reader.range(environment.id) : undefined;
    const milliseconds = deployment.clock.elapsed() - began;
    return { asked, answer, hit, milliseconds, available };
  },
  a: formView({
    body: BodySchema,
    response: ResponseSchema,
    read: ({ body }) => body,
    render: (answered) => {
      const { start, end } = answered.asked.question;
      if (answered.answer.results.length === 0) throw refuseEmpty({ start, end }, answered.available);
      return { data: bodyOf(answered) };
    },
  }),
  b: formView({
    body: BodySchema,
    response: ResponseSchema,
    read: ({ body }) => body,
    render: (answered) => ({ data: bodyOf(answered) }),
  }),
});

export const poseQueryEndpoints = [query];

/** One per store; another run of the topology starts with a new one. */
const answers = new WeakMap<Reader, Answers>();

function answersOf({ clock }: Pick<Deployment, Parts>, reader: Reader): Answers {
  const known = answers.get(reader);
  if (known) return known;
  const made = new Answers(clock);
  answers.set(reader, made);
  return made;
}

/** Longest range of minutes: seven days. */
const MAX_MINUTES = 7 * 24 * 60;
const TOO_MANY_MINUTES = 'A summary by minutes covers at most 7 days: use hours or a shorter range';

/** @throws ApiError 422 or 400 */
function read({ query }: Static<typeof BodySchema>): Asked {
  const { time_range: range, filters, aggregation } = query;
  readRange(range.start, range.end, 'query.time_range.end');
  const start = fromIsoTime(range.start);
  const end = fromIsoTime(range.end);
  if (aggregation.type === 'minute_summary' && end - start > MAX_MINUTES * 60e6)
    throw new ApiError('BAD_REQUEST', TOO_MANY_MINUTES, {
      details: {
        fields: [{ field: 'query.time_range.end', message: TOO_MANY_MINUTES, received: range.end }],
      },
    });
  const { min = 0, max } = filters?.person_count ?? {};
  if (max !== undefined && max < min) {
    const message = 'must be at least filters.person_count.min';
    throw new ApiError('VALIDATION_ERROR', `query.filters.person_count.max: ${message}`, {
      details: { fields: [{ field: 'query.filters.person_count.max', message, received: max }] },
    });
  }
  return {
    question: {
      ...{ start, end, summary: aggregation.type, minPersons: min, maxPersons: max ?? null },
      minConfidence: filters?.confidence?.min ?? 0,
      activities: filters?.activity ? ACTIVITIES.filter((one) => filters.activity!.includes(one)) : null,
    },
    metrics: aggregation.metrics ?? METRICS,
  };
}

const bodyOf = ({ asked, answer, hit, milliseconds }: Answered): Static<typeof ResponseSchema> => ({
  results: answer.results.map((result) => resultBody(result, asked.metrics)),
  query_metadata: {
    execution_time_ms: Math.round(milliseconds * 1000) / 1000,
    total_records_scanned: hit ? 0 : answer.rows,
    cache_hit: hit,
  },
});

const resultBody = ({ start, persons, confidence, activities }: PoseResult, metrics: readonly Metric[]) => ({
  timestamp: isoTime(start),
  ...(metrics.includes('person_count') && { person_count: persons }),
  ...(metrics.includes('avg_confidence') && { avg_confidence: confidence }),
  activities,
});
