import { Value } from 'typebox/value';
import { requiredPorts, type AnyOperator, type Output } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { errorText } from '../../pipeline/base/error-text.js';
import { newestOf } from '../../pipeline/runtime/signals/signal.js';
import { benchContext } from '../shared/context.js';
import { spreadOf, type Spread } from '../shared/spread.js';
import { INPUT_PORTS, madeInput, type Input, type InputPort } from './operator-input.js';
import { LINKS } from './operators.js';

/** Processor time of an operator by record: a frame, a window, or a result. */
export interface OperatorCost {
  readonly operator: string;
  readonly config: object;
  /** The records that it was measured with. */
  readonly reads: readonly InputPort[];
  /** Microseconds, over the rounds. */
  readonly microseconds: Spread;
  /** The same measured again in each round, over the first: what the machine adds. Median. */
  readonly control: number;
}

export interface NotMeasured {
  readonly operator: string;
  readonly reason: string;
}

export interface OperatorOptions {
  readonly rounds: number;
  /** Least processor time of a measurement, milliseconds. */
  readonly atLeastMs: number;
  readonly progress: (line: string) => void;
}

/**
 * Operators that return their results at once, each alone with its first example and the records that this example
 * reads: of 20 links of 64 subcarriers with 100 frames/s, or made-up results.
 */
export async function operatorCosts(
  operators: readonly AnyOperator[],
  options: OperatorOptions,
): Promise<{ readonly costs: readonly OperatorCost[]; readonly notMeasured: readonly NotMeasured[] }> {
  const input = madeInput();
  const costs: OperatorCost[] = [];
  const notMeasured: NotMeasured[] = [];
  for (const component of operators) {
    options.progress(component.name);
    try {
      costs.push(await costOf(component, input, options));
    } catch (error) {
      notMeasured.push({ operator: component.name, reason: errorText(error) });
    }
  }
  return { costs, notMeasured };
}

/** @throws Error with the reason if it cannot be measured */
async function costOf(
  component: AnyOperator,
  input: Input,
  { rounds, atLeastMs }: OperatorOptions,
): Promise<OperatorCost> {
  if (component.asynchronous !== undefined) throw new Error('it works in a thread');
  const config = component.examples[0]!.config;
  const reads = portsRead(component, config);
  const records = reads.flatMap((port) => input[port]).sort((a, b) => newestOf(a) - newestOf(b));
  const once = () => measure(component, config, records, atLeastMs);
  await once();
  const pairs: (readonly [number, number])[] = [];
  for (let round = 0; round < rounds; round++) pairs.push([await once(), await once()]);
  return {
    operator: component.name,
    config,
    reads,
    microseconds: spreadOf(pairs.map(([first]) => first)),
    control: spreadOf(pairs.map(([first, again]) => again / first))[0],
  };
}

/**
 * The records that its configuration needs. If it needs none in particular, those of its first port in
 * {@link INPUT_PORTS}.
 * @throws Error if there are none such
 */
function portsRead(component: AnyOperator, config: object): readonly InputPort[] {
  const required = requiredPorts(component, configOf(component, config));
  const ports = required.length > 0 ? required : component.inputs;
  const made = INPUT_PORTS.filter((port) => ports.includes(port));
  if (made.length < required.length || made.length === 0) throw new Error(`it reads ${ports.join(', ')}`);
  return required.length > 0 ? made : made.slice(0, 1);
}

const configOf = (component: AnyOperator, config: object) =>
  Value.Default(component.config, { ...config }) as object;

/**
 * Microseconds of processor time per record. A new instance, so that every measurement begins alike.
 * @throws Error if it rejects the records, has no results, or only passes them: what it does not do takes no time
 */
async function measure(
  component: AnyOperator,
  config: object,
  input: readonly Data[],
  atLeastMs: number,
): Promise<number> {
  let [records, used, results, passed] = [0, 0, 0, 0];
  while (used < atLeastMs * 1000) {
    const operator = component.create(configOf(component, config) as never, benchContext(LINKS));
    await operator.open?.();
    const before = process.cpuUsage();
    for (const record of input) {
      const { data, routes, failed = [] } = operator.process(record, 'bench') as Output<Data>;
      if (failed.length > 0) throw new Error(`it rejects made-up records: ${failed[0]!.reason}`);
      results += data.length + (operator.watermark?.(newestOf(record)).data.length ?? 0);
      // Operators on frames change them in place.
      if (record.port !== 'csi' && data[0] === record && !routes) passed++;
      records += record.port === 'csi' ? record.count : 1;
    }
    const { user, system } = process.cpuUsage(before);
    used += user + system;
    await operator.close?.();
    if (results === 0) throw new Error('it has no results for made-up records');
    if (passed === records && results === records) throw new Error('it passes made-up records unchanged');
  }
  return used / records;
}
