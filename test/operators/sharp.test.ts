import { describe, expect, it } from 'vitest';
import { DelayFit } from '../../operators/phase-sanitize/delays.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { badCsi, csiInput } from '../kit/csi-input.js';
import { operatorConformance } from '../kit/operator.js';
import { testContext } from '../support/context.js';
import { blockOf, layoutOf, outputs, valuesOf } from './frames.js';

const SPACING = 312_500;
const subcarriers = Int16Array.from({ length: 56 }, (_, i) => (i < 28 ? i - 28 : i - 27));
const layout = layoutOf({ subcarriers });
const operator = () => phaseSanitize.create({ method: 'sharp' }, testContext().context);

/** [delay in ns, amplitude, phase] of each path. */
type Path = readonly [delay: number, amplitude: number, phase: number];
const channel = (paths: readonly Path[]): number[] =>
  Array.from(subcarriers).flatMap((k) => {
    const angles = paths.map(([delay, , phase]) => phase - 2e-9 * Math.PI * SPACING * k * delay);
    const sum = (of: (angle: number) => number) =>
      angles.reduce((total, angle, i) => total + paths[i]![1] * of(angle), 0);
    return [sum(Math.cos), sum(Math.sin)];
  });
const channels: Path[][] = [
  [[0, 5, 0]],
  [[37, 5, 1.2]],
  [
    [30, 10, 0.4],
    [90, 4, -1],
  ],
  [
    [-50, 3, 1],
    [120, 8, 2],
    [200, 5, 0],
  ],
  [
    [12, 6, -2],
    [21, 6, 0.3],
    [64, 2, 3],
    [171, 1, 1],
  ],
];

describe('sparse delays', () => {
  it.each(channels)(
    'solve the problem: no coefficients would explain 0.4 % more of the power, %#',
    (...paths) => {
      const values = Float32Array.from(channel(paths));
      const fit = new DelayFit(subcarriers, SPACING);
      const { first, step, count } = fit.of(values, 0)!;
      const amplitudes = Array.from(subcarriers, (_, k) => Math.hypot(values[2 * k]!, values[2 * k + 1]!));
      const scale = 56 / amplitudes.reduce((sum, amplitude) => sum + amplitude, 0);
      const h = Float64Array.from(values, (value) => value * scale);
      const x = fit.coefficients.slice(0, 2 * count);
      /** exp(-j 2 pi f delay) */
      const atom = (k: number, i: number) => {
        const angle = -2e-9 * Math.PI * SPACING * subcarriers[k]! * (first + i * step);
        return [Math.cos(angle), Math.sin(angle)] as const;
      };
      const rest = h.slice();
      for (let k = 0; k < 56; k++)
        for (let i = 0; i < count; i++) {
          const [c, s] = atom(k, i);
          rest[2 * k]! -= x[2 * i]! * c - x[2 * i + 1]! * s;
          rest[2 * k + 1]! -= x[2 * i]! * s + x[2 * i + 1]! * c;
        }
      let largest = 0;
      for (let i = 0; i < count; i++) {
        let [re, im] = [0, 0];
        for (let k = 0; k < 56; k++) {
          const [c, s] = atom(k, i);
          re += rest[2 * k]! * c + rest[2 * k + 1]! * s;
          im += rest[2 * k + 1]! * c - rest[2 * k]! * s;
        }
        largest = Math.max(largest, Math.abs(re), Math.abs(im));
      }
      // The duality gap: no coefficients have an objective below that of the dual.
      const power = (of: Float64Array) => of.reduce((sum, value) => sum + value * value, 0) / 2;
      const primal = power(rest) + 0.1 * x.reduce((sum, value) => sum + Math.abs(value), 0);
      const within = Math.min(1, 0.1 / largest);
      const dual = power(h) - power(h.map((value, i) => value - within * rest[i]!));
      expect(primal - dual).toBeGreaterThan(-1e-9);
      expect(primal - dual).toBeLessThan(power(h) / 250);
    },
  );
});

describe('`sharp`', () => {
  it('gives a still channel the same phase in each packet, whatever offsets the receiver adds', () => {
    const still: Path[] = [
      [30, 10, 0.4],
      [90, 4, -1],
    ];
    const frames = [0, 1, 2, 3, 4, 5].map((i) => ({
      values: channel(
        still.map(([delay, amplitude, phase]) => [delay + 17 * Math.sin(i * 9), amplitude, phase + 2 * i]),
      ),
    }));
    const [block] = outputs(operator(), [blockOf(layout, frames)]) as [CsiBlock];
    for (let i = 1; i < 6; i++)
      for (let k = 0; k < 56; k++) {
        const [a, b] = [2 * k, 112 * i + 2 * k];
        const [x, y, u, v] = [a, a + 1, b, b + 1].map((at) => block.values[at]!) as [
          number,
          number,
          number,
          number,
        ];
        // A tenth of a radian: delays are on a grid of 5 ns, and are shrunk.
        expect(Math.abs(Math.atan2(v * x - u * y, u * x + v * y))).toBeLessThan(0.1);
      }
  });

  it('keeps amplitudes, and frames with fewer than two values', () => {
    const block = blockOf(layout, [{ values: channel([[50, 7, 1]]) }]);
    const [found] = outputs(operator(), [block]) as [CsiBlock];
    for (let i = 0; i < 112; i += 2)
      expect(Math.hypot(found.values[i]!, found.values[i + 1]!)).toBeCloseTo(
        Math.hypot(block.values[i]!, block.values[i + 1]!),
        4,
      );
    const single = new Float32Array(112);
    single.set([3, 4], 10);
    expect(valuesOf(outputs(operator(), [blockOf(layout, [{ values: single }])]))).toEqual([...single]);
  });

  operatorConformance('phase-sanitize sharp', {
    component: phaseSanitize,
    config: { method: 'sharp' },
    input: () => csiInput(0.15),
    bad: badCsi,
    runs: 2,
  });
});
