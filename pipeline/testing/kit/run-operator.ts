import { deserialize, serialize } from 'node:v8';
import type { AnyOperator, Operator, Output } from '../../component/index.js';
import {
  knownAt,
  sliceBlock,
  type CsiBlock,
  type Data,
  type Environment,
  type Failure,
} from '../../model/index.js';
import { moveTimes, reanchor } from '../../runtime/shared/move-times.js';
import { testContext } from './context.js';

/** A new operator of a driver's configuration, opened. */
export async function makeOperator(
  component: AnyOperator,
  config: object,
  environments?: readonly Environment[],
): Promise<Operator> {
  const { context } = testContext(environments ? { environments } : {});
  const operator = component.create(config as never, context);
  await operator.open?.();
  return operator;
}

/**
 * Feeds records as the runtime does: before each, the operator receives its time as a watermark, and results
 * are settled in order.
 * @param onFailed receives the failures
 */
export async function feed(
  operator: Operator,
  input: readonly Data[],
  from: string,
  onFailed?: (failed: readonly Failure[]) => void,
): Promise<Data[]> {
  const out: Data[] = [];
  const take = (output: Output<Data> | undefined): void => {
    out.push(...results(output));
    if (output?.failed) onFailed?.(output.failed);
  };
  for (const data of input) {
    const time = knownAt(data);
    if (Number.isFinite(time)) take(operator.watermark?.(time - 1));
    const answer = await operator.process(data, from);
    take(operator.settle?.(answer) ?? answer);
  }
  return out;
}

/** The same for an asynchronous operator, with `inFlight` records processed at a time. Watermarks wait for them. */
export async function feedTogether(
  operator: Operator,
  input: readonly Data[],
  from: string,
  inFlight: number,
): Promise<Data[]> {
  const out: Data[] = [];
  for (let start = 0; start < input.length; start += inFlight) {
    const some = input.slice(start, start + inFlight);
    const answers = await Promise.all(some.map((data) => Promise.resolve(operator.process(data, from))));
    for (const [index, answer] of answers.entries()) {
      out.push(...results(operator.watermark?.(knownAt(some[index]!) - 1)));
      out.push(...results(operator.settle?.(answer) ?? answer));
    }
  }
  return out;
}

/** The operator's event time jumps, as the runtime makes it. */
export const jump = (component: AnyOperator, operator: Operator, by: number): readonly Data[] =>
  results(reanchor(component, operator, by));

/** The names of all event times in records. */
const TIMES = new Set(['time', 'start', 'windowEnd', 'since']);

/** The records as if the clock had been `by` ahead. Ids of events end with their time, and lose it. */
export const moved = (records: readonly Data[], by: number): Data[] =>
  records.map((data) => {
    if (data.port === 'csi') return { ...data, time: data.time.map((time) => time + by) };
    const other = moveTimes(data, TIMES, by);
    return other.port === 'event' ? { ...other, id: other.id.replace(/\D\d{10,}$/, '') } : other;
  });

export const finish = (operator: Operator): readonly Data[] => results(operator.watermark?.(Infinity));

const results = (output: Output<Data> | undefined): readonly Data[] => output?.data ?? [];

/** The effect of a checkpoint on a state. */
export const throughDisk = (state: unknown): unknown => deserialize(serialize(state));

/** Each csi block as blocks of one frame. */
export const singles = (input: readonly Data[]): Data[] =>
  input.flatMap((data): Data[] =>
    data.port === 'csi'
      ? Array.from({ length: data.count }, (_, index) => sliceBlock(data, index, index + 1))
      : [data],
  );

/** Records for comparison: frames one by one, without the parts that may differ between two runs. */
export const comparable = (output: readonly Data[]): unknown[] =>
  output.flatMap((data): unknown[] => {
    if (data.port === 'pose') return [{ ...data, processingMs: 0 }];
    if (data.port !== 'csi') return [data];
    return Array.from({ length: data.count }, (_, index) => frameOf(sliceBlock(data, index, index + 1)));
  });

/** All columns of a block of one frame. */
const frameOf = ({ layout, ...block }: CsiBlock): Readonly<Record<string, unknown>> => ({
  layout: layout.key,
  ...Object.fromEntries(
    Object.entries(block).flatMap(([name, column]) =>
      ArrayBuffer.isView(column) ? [[name, Array.from(column as Float64Array)]] : [],
    ),
  ),
});

/** A batch may hold frames of several layouts, one block each: their order in the batch does not matter. */
export const inAnyOrder = (records: readonly unknown[]): unknown[] =>
  records
    .map((record) => ({ record, key: JSON.stringify(record) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ record }) => record);
