import { Type } from 'typebox';
import { defineOperator, NOTHING, type Output } from '../../pipeline/component/index.js';
import type { CsiBlock, Data } from '../../pipeline/model/index.js';
import { createRunner } from '../../pipeline/runtime/runner.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import type { Tracer } from '../../pipeline/telemetry/traces/index.js';
import { benchContext } from '../shared/context.js';
import {
  BLOCK,
  createSteps,
  csiBlocks,
  lineOf,
  median,
  sourceNode,
  STEPS,
  withFolder,
} from './bench-line.js';

/** Overhead of the runtime (queue, pump, gate, RxJS, marks, counting) over a plain loop of the same steps. */
export interface RuntimeOverhead {
  /**
   * Median over the pairs of the runtime's time over that of the loop, less one. Wall-clock time: processor
   * time would include the concurrent work of V8's helper threads and the state store, which does not slow
   * the pump.
   */
  readonly overhead: number;
  /**
   * The same for the loop over itself, measured beside each pair: a difference from 0 is measurement noise.
   */
  readonly control: number;
  readonly loopMicrosecondsPerFrame: number;
  readonly runtimeMicrosecondsPerFrame: number;
  readonly pairs: number;
}

const LINKS = 20;

/**
 * Each pair sends the same `blocks` blocks of 64 frames through the loop, the runtime, and the loop again.
 */
export async function runtimeOverhead(pairs = 9, blocks = 1500): Promise<RuntimeOverhead> {
  const input = csiBlocks(blocks, LINKS);
  plainLoop(input);
  await throughRuntime(input);
  const loops: number[] = [];
  const runs: number[] = [];
  const ratios: number[] = [];
  const controls: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const first = plainLoop(input);
    const run = await throughRuntime(input);
    const second = plainLoop(input);
    loops.push(first, second);
    runs.push(run);
    ratios.push(run / ((first + second) / 2));
    controls.push(second / first);
  }
  const perFrame = 1 / (blocks * BLOCK);
  return {
    overhead: median(ratios) - 1,
    control: median(controls) - 1,
    loopMicrosecondsPerFrame: median(loops) * perFrame,
    runtimeMicrosecondsPerFrame: median(runs) * perFrame,
    pairs,
  };
}

/** Time of the loop, microseconds. */
function plainLoop(input: readonly CsiBlock[]): number {
  const operators = createSteps(benchContext(LINKS));
  const started = performance.now();
  let windows = 0;
  const through = (data: Data, step: number): void => {
    const operator = operators[step];
    if (!operator) {
      windows++;
      return;
    }
    for (const record of (operator.process(data, '') as Output<Data>).data) through(record, step + 1);
  };
  for (const block of input) {
    through(block, 0);
    for (const record of operators.at(-1)!.watermark?.(block.time[BLOCK - 1]! - 1).data ?? [])
      through(record, STEPS.length);
  }
  if (windows === 0) throw new Error('the loop produced no window');
  return since(started);
}

/** Time from the first block to the last result, microseconds. */
export function throughRuntime(input: readonly CsiBlock[], tracer: Tracer | null = null): Promise<number> {
  return withFolder(async (folder) => {
    let go: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      go = resolve;
    });
    const source = sourceNode(async (output) => {
      output.ready?.();
      await started;
      for (const [index, block] of input.entries()) {
        const taken = output.offer({ position: index, data: [block] });
        if (taken !== true) await taken;
      }
    });
    let done: (microseconds: number) => void = () => undefined;
    const finished = new Promise<number>((resolve) => {
      done = resolve;
    });
    let begun = performance.now();
    const end = defineOperator({
      name: 'end',
      summary: 'Ends.',
      config: Type.Object({}),
      examples: [],
      inputs: ['window'],
      outputs: ['measure'],
      create: () => ({
        process: () => NOTHING,
        watermark: (time) => {
          if (time === Infinity) done(since(begun));
          return NOTHING;
        },
      }),
    });
    const nodes = [source, ...STEPS, { id: 'end', component: end, config: {} }];
    const topology = lineOf(nodes, LINKS, { stateFolder: folder, checkpointIntervalMs: 600_000 });
    const runner = createRunner(topology, { log: createLogger({ level: 'error' }), tracer });
    await runner.start();
    begun = performance.now();
    go();
    const microseconds = await finished;
    await runner.stop({ force: true });
    return microseconds;
  });
}

/** Microseconds. */
const since = (started: number): number => (performance.now() - started) * 1000;
