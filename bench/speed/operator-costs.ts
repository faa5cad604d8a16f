import { Value } from 'typebox/value';
import type { AnyOperator, Operator, Output } from '../../pipeline/component/index.js';
import type { CsiBlock, Data, PoseFrame, Window } from '../../pipeline/model/index.js';
import { adr018 } from '../../pipeline/formats/devices/adr018/adr018.js';
import { errorText } from '../../pipeline/base/error-text.js';
import { newestOf } from '../../pipeline/runtime/signals/signal.js';
import { benchContext } from '../shared/context.js';
import { poseFrame } from '../shared/pose-frame.js';
import { spreadOf, type Spread } from '../shared/spread.js';
import { createSteps } from './bench-line.js';
import { LINKS, madeBatch } from './operators.js';

/** Processor time of an operator by record: a frame, a window, or a pose frame. */
export interface OperatorCost {
  readonly operator: string;
  readonly config: object;
  readonly reads: 'csi' | 'window' | 'pose';
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
 * Operators that return their results at once, each alone with its first example, on 20 links of 64
 * subcarriers with 100 frames/s.
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

type Input = Readonly<Record<'csi' | 'window' | 'pose', readonly Data[]>>;

/** @throws Error with the reason if it cannot be measured */
async function costOf(
  component: AnyOperator,
  input: Input,
  { rounds, atLeastMs }: OperatorOptions,
): Promise<OperatorCost> {
  const reads = (['csi', 'window', 'pose'] as const).find((port) => component.inputs.includes(port));
  if (component.asynchronous !== undefined) throw new Error('it works in a thread');
  if (reads === undefined) throw new Error(`it reads ${component.inputs.join(', ')} only`);
  const config = component.examples[0]!.config;
  const once = () => measure(component, config, input[reads], atLeastMs);
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
 * Microseconds of processor time per record. A new instance, so that every measurement begins alike.
 * @throws Error if it rejects the records, or has no results: what it does not do takes no time
 */
async function measure(
  component: AnyOperator,
  config: object,
  input: readonly Data[],
  atLeastMs: number,
): Promise<number> {
  let [records, used, results] = [0, 0, 0];
  while (used < atLeastMs * 1000) {
    const operator = component.create(
      Value.Default(component.config, { ...config }) as never,
      benchContext(LINKS),
    );
    await operator.open?.();
    const before = process.cpuUsage();
    for (const record of input) {
      const { data, failed = [] } = operator.process(record, 'bench') as Output<Data>;
      if (failed.length > 0) throw new Error(`it rejects made-up records: ${failed[0]!.reason}`);
      results += data.length + (operator.watermark?.(newestOf(record)).data.length ?? 0);
      records += record.port === 'csi' ? record.count : 1;
    }
    const { user, system } = process.cpuUsage(before);
    used += user + system;
    await operator.close?.();
    if (results === 0) throw new Error('it has no results for made-up records');
  }
  return used / records;
}

const BATCHES = 150;

/** Two and a half seconds of frames, their windows, and a minute of pose frames. */
function madeInput(): Input {
  const context = benchContext(LINKS);
  const decoder = adr018.decoder(context);
  const csi = Array.from({ length: BATCHES }, (_, index) => decoder.decode(madeBatch(64, index)).data)
    .flat()
    .filter((record): record is CsiBlock => record.port === 'csi');
  const steps = createSteps(context);
  const window: Window[] = [];
  for (const block of csi) {
    let data: readonly Data[] = [block];
    for (const step of steps) data = data.flatMap((record) => resultsOf(step, record));
    const closed = steps.at(-1)!.watermark?.(block.time[block.count - 1]!).data ?? [];
    for (const one of closed) if (one.port === 'window') window.push(one);
  }
  const environment = context.environments[0]!.id;
  const pose: readonly PoseFrame[] = Array.from({ length: 600 }, (_, index) => ({
    ...poseFrame(index),
    environment,
  }));
  return { csi, window, pose };
}

const resultsOf = (step: Operator, record: Data): readonly Data[] =>
  (step.process(record, 'bench') as Output<Data>).data;
