import { NOTHING, type Context, type Operator, type Output } from '../../pipeline/component/index.js';
import { errorText } from '../../pipeline/base/error-text.js';
import type { Data, Failure, Port, ResultPort } from '../../pipeline/model/index.js';
import { compileExpression, type Expression } from './expression.js';

/** What general operators share: which series a record belongs to, state for each series, records that fail. */

/** Series that an operator remembers; of more the one that was used longest ago is forgotten, and counted. */
const MAX_SERIES = 10_000;

export type Result = Data<ResultPort>;

/**
 * What a record is one of: the poses of an environment; its events of a type about a person; its measures of a name
 * about a subject.
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

/** Whether an expression is about records of this port. */
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

/** What a checkpoint stores of series: `S` has event times in the field `time` alone. */
interface SeriesSnapshot<S> {
  readonly series: readonly { readonly name: string; readonly state: S }[];
}

/**
 * An operator that passes a record on or not by what its series had before.
 * @param skipped is called for each record that is not passed on
 * @param decide whether a record passes, and the state of its series from then on; `last` is undefined for a new one
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
    restore: (state) => {
      states.clear();
      for (const { name, state: restored } of (state as SeriesSnapshot<S>).series) states.set(name, restored);
    },
  };
}

/** What `work` gives; a record for which an expression fails goes to the dead letters. */
export function attempt(record: Result, work: () => Output<Result>): Output<Result> {
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

/** `gives` of an operator that passes on the ports that it takes in. */
export const takenPorts = (_config: unknown, taken: readonly Port[]): readonly ResultPort[] =>
  taken as readonly ResultPort[];

/** One record as an operator's output. */
export const one = (record: Result): Output<Result> => ({ data: [record] });

export const none: Output<never> = NOTHING;
