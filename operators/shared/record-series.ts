import { NOTHING, type Context, type Operator, type Output } from '../../pipeline/component/index.js';
import { errorText } from '../../pipeline/base/error-text.js';
import type { Data, Failure, Port, ResultPort } from '../../pipeline/model/index.js';
import { compileExpression, type Expression } from './expression.js';

/** Shared by the general operators: the series of a record, state per series, failing records. */

/** Largest number of series of an operator; beyond it, the least recently used one is dropped and counted. */
const MAX_SERIES = 10_000;

export type Result = Data<ResultPort>;

/**
 * The default series of a record: the poses of an environment; its events of a type about a person; its
 * measures of a name about a subject.
 */
export function seriesOf(record: Result): string {
  const { port, environment } = record;
  switch (port) {
    case 'pose':
      return textOf([port, environment]);
    case 'event':
      return textOf([port, environment, record.type, record.person]);
    case 'measure':
      return textOf([port, environment, record.name, record.subject]);
  }
}

/** The series of a record by an expression, within its environment; without one, by {@link seriesOf}. */
export function seriesBy(by: string | undefined): (record: Result) => string {
  if (by === undefined) return seriesOf;
  const expression = compileExpression(by, 'key');
  return (record) =>
    concerns(expression, record)
      ? textOf([record.port, record.environment, expression.evaluate(record)])
      : seriesOf(record);
}

const textOf = (parts: readonly unknown[]): string => JSON.stringify(parts);

/** Whether an expression reads records of this port. */
export const concerns = ({ port }: Expression, record: Result): boolean =>
  port === null || port === record.port;

/** A state for each series, in the order of their last use. */
export class SeriesStates<T> {
  readonly #states = new Map<string, T>();
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  get(series: string): T | undefined {
    return this.#states.get(series);
  }

  set(series: string, state: T): void {
    this.#states.delete(series);
    this.#states.set(series, state);
    if (this.#states.size <= MAX_SERIES) return;
    const [oldest] = this.#states.keys();
    this.#states.delete(oldest!);
    this.#context.metrics.count('series_forgotten', 1);
  }

  delete(series: string): void {
    this.#states.delete(series);
  }

  clear(): void {
    this.#states.clear();
  }

  entries(): Iterable<[string, T]> {
    return this.#states.entries();
  }

  values(): Iterable<T> {
    return this.#states.values();
  }

  get size(): number {
    return this.#states.size;
  }
}

/** The form of series in a checkpoint: `S` has event times only in the field `time`. */
interface SeriesSnapshot<S> {
  readonly series: readonly { readonly name: string; readonly state: S }[];
}

/**
 * An operator that passes or drops a record depending on the previous records of its series.
 * @param skipped called for each dropped record
 * @param decide whether a record passes, and the new state of its series; `last` is undefined for a new one
 */
export function passingBySeries<S extends { readonly time: number }>(
  by: string | undefined,
  context: Context,
  skipped: () => void,
  decide: (record: Result, last: S | undefined) => { readonly passes: boolean; readonly next: S },
): Operator<ResultPort, ResultPort> {
  const series = seriesBy(by);
  const states = new SeriesStates<S>(context);
  return {
    process: (data) =>
      attempt(data, () => {
        const name = series(data);
        const { passes, next } = decide(data, states.get(name));
        states.set(name, next);
        if (passes) return one(data);
        skipped();
        return none;
      }),
    snapshot: (): SeriesSnapshot<S> => ({
      series: Array.from(states.entries(), ([name, state]) => ({ name, state })),
    }),
    restore: (state: SeriesSnapshot<S>) => {
      states.clear();
      for (const { name, state: restored } of state.series) states.set(name, restored);
    },
  };
}

/** The result of `work`; a record for which an expression fails becomes a dead letter. */
export function attempt<Given extends Result>(record: Result, work: () => Output<Given>): Output<Given> {
  try {
    if (!Number.isFinite(record.time)) throw new Error('the record has no time');
    return work();
  } catch (error) {
    return { data: [], failed: [failureOf(record, error)] };
  }
}

const failureOf = (record: unknown, error: unknown): Failure => ({
  record,
  code: 'expression.failed',
  reason: errorText(error),
  retriable: false,
});

/** `gives` of an operator that passes on the ports of its input. */
export const takenPorts = (_config: unknown, taken: readonly Port[]): readonly ResultPort[] =>
  taken as readonly ResultPort[];

/** One record as an operator's output. */
export const one = (record: Result): Output<Result> => ({ data: [record] });

export const none: Output<never> = NOTHING;
