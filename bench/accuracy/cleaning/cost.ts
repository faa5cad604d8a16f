import { Value } from 'typebox/value';
import type { CsiBlock } from '../../../pipeline/model/index.js';
import { median } from '../../../operators/shared/median.js';
import { benchContext } from '../../shared/context.js';
import type { Step } from './frames.js';

/** Repetitions for each step; the median counts. */
const ROUNDS = 5;

/** Nanoseconds of processor time per frame that a step costs, once its code is compiled. */
export function cost({ component, settings = {} }: Step, frames: readonly CsiBlock[]): number {
  const config = Value.Default(component.config, { ...settings });
  const count = frames.reduce((sum, block) => sum + block.count, 0);
  const times = Array.from({ length: ROUNDS + 1 }, () => {
    const operator = component.create(config as never, benchContext(1));
    const before = process.cpuUsage();
    for (const block of frames) void operator.process(block, 'frames');
    const used = process.cpuUsage(before);
    return ((used.user + used.system) * 1000) / count;
  });
  return median(times.slice(1));
}
