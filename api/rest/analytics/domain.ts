import { Type, type TSchema } from 'typebox';
import type { Reader } from '../../../pipeline/component/index.js';
import type { Environment } from '../../../pipeline/model/index.js';
import { PERIODS, periodUntil, type Period, type Range } from '../../service/queries/analytics/periods.js';
import { FROM_POSE_FRAMES } from '../../service/queries/analytics/pose-frame-figures.js';
import { measuresOf, Rollups, type RangeFigures } from '../../service/queries/analytics/rollups.js';
import { figuresOver } from '../../service/queries/analytics/unmeasured.js';
import { endpointsWith, formView, type AnyEndpoint } from '../../contract/endpoint.js';
import { ApiError } from '../../service/errors.js';
import { environmentOf, reachedTime, readerOf, type Sensing } from '../../service/deployment/environments.js';
import { refuseEmpty } from '../requests/ranges.js';

const endpoint = endpointsWith<Sensing | 'clock'>();

/** Input of a metric. */
export interface Question {
  readonly reader: Reader;
  readonly environment: Environment;
  readonly range: Range;
  /** The measures that the requested metrics need, over the whole range. */
  readonly rollups: Rollups;
  readonly figures: RangeFigures;
}

export interface Metric {
  readonly schema: TSchema;
  /** Measures of its rollups. */
  readonly measures: readonly string[];
  readonly compute: (question: Question) => unknown;
}

interface Asked {
  readonly period: Period;
  readonly metrics: string | undefined;
}

interface Answer {
  readonly period: Period;
  readonly date: string;
  readonly metrics: Readonly<Record<string, unknown>>;
}

const closed = { additionalProperties: false } as const;

/**
 * 4.5: a domain's analytics of the current hour, day, week or month. One handler for all domains, from a
 * table of metrics.
 */
export function domainEndpoint(
  domain: string,
  summary: string,
  metrics: Readonly<Record<string, Metric>>,
): AnyEndpoint {
  return endpoint<Asked, Answer>({
    method: 'GET',
    path: `/analytics/${domain}`,
    summary,
    access: 'viewer',
    limit: 'analytics',
    status: 200,
    async handle({ period, metrics: list }, call) {
      const { deployment } = call;
      const names = namesOf(list, Object.keys(metrics));
      const { environment, running: topology } = environmentOf(deployment, undefined);
      const { date, ...range } = periodUntil(deployment.clock.now(), period, environment);
      const chosen = names.map((name) => [name, metrics[name]!] as const);
      const measures = [...new Set(['frames', ...chosen.flatMap(([, metric]) => metric.measures)])];
      const named = (given: boolean) => measures.filter((name) => FROM_POSE_FRAMES.has(name) === given);
      const reader = await readerOf(topology, call);
      const until = reachedTime(topology, deployment.clock);
      const [figures, others] = await Promise.all([
        figuresOver(reader, environment, range, until, (measured) =>
          measuresOf(reader, environment.id, measured, named(true)),
        ),
        measuresOf(reader, environment.id, range, named(false)),
      ]);
      const rollups = new Rollups([...figures.measured, ...figures.running, ...others]);
      if (rollups.isEmpty) await refuseWithoutEvents(reader, environment.id, range);
      const question = { reader, environment, range, rollups, figures };
      const values = await Promise.all(
        chosen.map(async ([name, { compute }]) => [name, await compute(question)] as const),
      );
      return { period, date, metrics: Object.fromEntries(values) };
    },
    a: viewOf(metrics),
  });
}

function viewOf(metrics: Readonly<Record<string, Metric>>) {
  const schemas = Object.entries(metrics).map(([name, { schema }]) => [name, Type.Optional(schema)]);
  return formView({
    query: Type.Object(
      {
        period: Type.Enum([...PERIODS], {
          default: 'day',
          description: 'The current one, in the time zone of the environment; weeks begin on Monday.',
        }),
        metrics: Type.Optional(
          Type.String({
            maxLength: 1000,
            description: `Metrics, separated by commas: ${Object.keys(metrics).join(', ')}. Default: all.`,
          }),
        ),
      },
      closed,
    ),
    response: Type.Object(
      {
        period: Type.String(),
        date: Type.String({
          pattern: '^\\d{4}-\\d{2}-\\d{2}$',
          description: "Local date of the period's start.",
        }),
        metrics: Type.Object(Object.fromEntries(schemas) as Record<string, TSchema>, closed),
      },
      closed,
    ),
    read: ({ query }) => ({ period: query.period, metrics: query.metrics }),
    render: (answer: Answer) => ({ data: answer }),
  });
}

/** @throws ApiError 422 for an unknown metric */
function namesOf(list: string | undefined, known: readonly string[]): readonly string[] {
  if (list === undefined) return known;
  const asked = [...new Set(list.split(',').map((name) => name.trim()))];
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown === undefined) return asked;
  const message = `unknown metric '${unknown.slice(0, 64)}'; use one of ${known.join(', ')}`;
  throw new ApiError('VALIDATION_ERROR', `metrics: ${message}`, {
    details: { fields: [{ field: 'metrics', message, received: list }] },
  });
}

/** @throws ApiError 404 if the range has no event either */
async function refuseWithoutEvents(reader: Reader, environment: string, range: Range): Promise<void> {
  if ((await reader.countEvents({ environment, ...range })) > 0) return;
  throw refuseEmpty(range, await reader.range(environment));
}
