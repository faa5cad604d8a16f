import { describe, expect, it } from 'vitest';
import { denoise } from '../../operators/denoise/denoise.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { throughChain } from '../../operators/training/front-end.js';
import { window as windowOperator } from '../../operators/window/window.js';
import type { AnyOperator, Context } from '../../pipeline/component/index.js';
import {
  allocateBlock,
  csiLayout,
  frameSize,
  type CsiBlock,
  type Window,
} from '../../pipeline/model/index.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';

const LAYOUT = csiLayout({
  rx: 1,
  tx: 1,
  bandwidthMhz: 20,
  centreMhz: 2437,
  training: 'lltf',
  subcarriers: Array.from({ length: 30 }, (_, i) => i - 15),
});
const STEP = 20_000;

/** Frames at an uneven pace, with outliers, a few lost ones and a long gap. */
function frames(): { readonly times: Float64Array; readonly values: Float32Array } {
  const random = new Random(7);
  const times: number[] = [];
  for (let time = 3000; time < 6_000_000; time += 21_000 + random.uniform(-4000, 4000)) {
    const hole = time > 2_500_000 && time < 3_100_000;
    if (!hole && !random.chance(0.1)) times.push(Math.round(time));
  }
  const size = frameSize(LAYOUT);
  const values = new Float32Array(times.length * size);
  for (let i = 0; i < values.length; i++)
    values[i] = 20 + 5 * random.normal() + (random.chance(0.01) ? 60 : 0);
  return { times: Float64Array.from(times), values };
}

const made = (component: AnyOperator, config: object, context: Context) =>
  component.create(withDefaults(component, config) as never, context);

/** The windows of the operators themselves. */
function windowsOf({ times, values }: ReturnType<typeof frames>): Window[] {
  const { context } = testContext();
  const block: CsiBlock = allocateBlock(LAYOUT, times.length);
  block.values.set(values);
  block.time.set(times);
  let data: readonly unknown[] = [block];
  const windows = made(windowOperator, { length_ms: 2000, hop_ms: 2000, points: 100 }, context);
  for (const operator of [made(denoise, {}, context), made(phaseSanitize, {}, context), windows]) {
    data = data.flatMap(
      (one) => (operator.process(one as never, 'before') as { data: readonly unknown[] }).data,
    );
  }
  return windows.watermark!(5_900_000).data as Window[];
}

const amplitudes = (values: Float32Array): number[] =>
  Array.from({ length: values.length / 2 }, (_, i) => Math.hypot(values[2 * i]!, values[2 * i + 1]!));

describe('training input from frames', () => {
  it('equals the output of denoise, phase-sanitize and window: the same amplitudes and gaps', () => {
    const given = frames();
    const [window] = windowsOf(given);
    const course = throughChain({ layout: LAYOUT, ...given }, STEP, 295);
    const first = window!.start / STEP;
    const link = window!.links[0]!;
    const size = frameSize(LAYOUT);
    expect(Array.from(link.gaps)).toEqual(Array.from(course.gaps.subarray(first, first + 100)));
    const reported = amplitudes(course.values.subarray(first * size, (first + 100) * size));
    amplitudes(link.values).forEach((amplitude, i) => {
      expect(Math.abs(amplitude - reported[i]!)).toBeLessThan(1e-3);
    });
    expect(link.gaps.some((gap) => gap === 1)).toBe(true);
  });
});
