import { deserialize, serialize } from 'node:v8';
import type { AnyOperator, Operator, Output } from '../../pipeline/component/index.js';
import { frameSize, sliceBlock, type Data, type Environment } from '../../pipeline/model/index.js';
import { timeOf } from '../../pipeline/runtime/stages/signal.js';
import { testContext } from '../support/context.js';

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

/** Feeds records as the runtime does: before each the operator hears that time has reached it. */
export async function feed(operator: Operator, input: readonly Data[], from: string): Promise<Data[]> {
  const out: Data[] = [];
  for (const data of input) {
    out.push(...results(operator.watermark?.(timeOf(data) - 1)));
    out.push(...results(await operator.process(data, from)));
  }
  return out;
}

export const finish = (operator: Operator): readonly Data[] => results(operator.watermark?.(Infinity));

const results = (output: Output<Data> | undefined): readonly Data[] => output?.data ?? [];

/** What a checkpoint does to a state. */
export const throughDisk = (state: unknown): unknown => deserialize(serialize(state));

/** Each csi block as blocks of one frame. */
export const singles = (input: readonly Data[]): Data[] =>
  input.flatMap((data): Data[] =>
    data.port === 'csi'
      ? Array.from({ length: data.count }, (_, index) => sliceBlock(data, index, index + 1))
      : [data],
  );

/** Records for comparison: frames one by one, without what may differ between two runs. */
export const comparable = (output: readonly Data[]): unknown[] =>
  output.flatMap((data): unknown[] => {
    if (data.port === 'pose') return [{ ...data, processingMs: 0 }];
    if (data.port !== 'csi') return [data];
    const size = frameSize(data.layout);
    return Array.from({ length: data.count }, (_, index) => ({
      layout: data.layout.key,
      time: data.time[index],
      link: data.link[index],
      sequence: data.sequence[index],
      rssi: data.rssi[index],
      noise: data.noise[index],
      values: Array.from(data.values.subarray(index * size, (index + 1) * size)),
    }));
  });
