import { describe, expect, it } from 'vitest';
import { conjugateMultiply } from '../../operators/conjugate-multiply/conjugate-multiply.js';
import { csiRatio } from '../../operators/csi-ratio/csi-ratio.js';
import { divideByAntenna, multiplyByConjugate } from '../../operators/shared/against-antenna.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { withDefaults } from '../kit/definition.js';
import { throughDisk } from '../../pipeline/testing/kit/run-operator.js';
import { testContext } from '../support/context.js';
import { breaksNothing } from './bad-links.js';
import { expectRelative } from './close.js';
import { blockOf, golden, goldenFrames, layoutOf, outputs } from './frames.js';

const reference = golden();

const both = [
  { name: 'csi-ratio', component: csiRatio, kernel: divideByAntenna, golden: reference?.ratio_a1a0_k10 },
  {
    name: 'conjugate-multiply',
    component: conjugateMultiply,
    kernel: multiplyByConjugate,
    golden: reference?.conjmult_a1a0_k10,
  },
];

const make = (component: typeof csiRatio | typeof conjugateMultiply, settings: object = {}) => {
  const { context, recorded } = testContext();
  return { operator: component.create(withDefaults(component, settings) as never, context), recorded };
};

/**
 * Frames of three antennas and one subcarrier: the first has jitter, the second is steady, the third is
 * silent.
 */
const three = layoutOf({ rx: 3, subcarriers: Int16Array.of(1) });
const unequal = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    values: [10 + 5 * Math.sin(i), 0, 8 + 0.1 * Math.sin(i), 0, 0, 0],
  }));

describe.each(both)('$name', ({ component, kernel, golden: expected }) => {
  it.skipIf(!reference)('equals numpy: 1e-9 in Float64, 1e-4 through the operator', () => {
    const { layout, frames } = goldenFrames(reference!);
    const at = (values: ArrayLike<number>, frame = 0) => [
      values[frame * 120 + 20]!,
      values[frame * 120 + 21]!,
    ];
    const wanted = frames.flatMap((_, i) => [expected!.re[i]!, expected!.im[i]!]);
    const exact = frames.flatMap((frame) => {
      const output = new Float64Array(120);
      kernel(layout, 0, Float64Array.from(frame), 0, output, 0);
      return at(output);
    });
    expectRelative(exact, wanted, 1e-9);
    const [block] = outputs(make(component, { reference_antenna: 0 }).operator, [
      blockOf(
        layout,
        frames.map((values) => ({ values })),
      ),
    ]) as [CsiBlock];
    expect(block.layout.rx).toBe(2);
    expectRelative(
      frames.flatMap((_, i) => at(block.values, i)),
      wanted,
      1e-4,
    );
  });

  it('takes the strongest and steadiest antenna as reference, and keeps it across a restart', () => {
    const { operator, recorded } = make(component, { learn_frames: 10 });
    const blocks = outputs(operator, [blockOf(three, unequal(15))]) as CsiBlock[];
    expect(blocks.map(({ count }) => count)).toEqual([6]);
    expect(recorded.dropped).toEqual({ reference_unknown: 9 });
    // The output of the silent antenna is zero, that of the other is not: it is not the reference itself.
    const [first, , third] = blocks[0]!.values;
    expect(first).not.toBe(0);
    expect(first).not.toBe(1);
    expect(third).toBe(0);
    const after = make(component, { learn_frames: 10 }).operator;
    after.restore!(throughDisk(operator.snapshot!()));
    const next = blockOf(three, unequal(3));
    expect(outputs(after, [next])).toEqual(outputs(operator, [next]));
  });

  it('removes the same offset from all antennas', () => {
    const turned = (angle: number) => ({
      values: [3, 1, 2, -1, 1, 4].map((_, i, all) => {
        const [re, im] = [all[i & ~1]!, all[i | 1]!];
        return i % 2 === 0
          ? re * Math.cos(angle) - im * Math.sin(angle)
          : re * Math.sin(angle) + im * Math.cos(angle);
      }),
    });
    const { operator } = make(component, { reference_antenna: 1 });
    const [block] = outputs(operator, [blockOf(three, [0, 0.7, 2, -2.5].map(turned))]) as [CsiBlock];
    const [still, ...others] = [0, 1, 2, 3].map((i) => block.values.slice(4 * i, 4 * i + 4));
    for (const other of others) expectRelative(other, still!, 1e-6);
  });

  it('keeps the statistics of the antennas that remain', () => {
    const { operator } = make(component, { reference_antenna: 1 });
    const block = blockOf(three, unequal(2));
    block.antenna.set([2, 0, 1, 2, 0, 1]);
    block.agc.set([10, 20, 30, 11, 21, 31]);
    block.fftGain.set([-3, -4]);
    const [found] = outputs(operator, [block]) as [CsiBlock];
    expect(Array.from(found.antenna)).toEqual([2, 1, 2, 1]);
    expect(Array.from(found.agc)).toEqual([10, 30, 11, 31]);
    expect(Array.from(found.fftGain)).toEqual([-3, -4]);
  });

  it.each([
    [{}, layoutOf({ rx: 1 }), 'one_antenna', 'link link-1 has one receive antenna'],
    [{ reference_antenna: 2 }, layoutOf({ rx: 2 }), 'no_such_antenna', 'link link-1 has 2 receive antennas'],
  ])('drops frames without the required antennas, and reports it: %o', (settings, layout, reason, text) => {
    const { operator, recorded } = make(component, settings);
    const values = new Float32Array(24).fill(1);
    expect(outputs(operator, [blockOf(layout, [{ values: values.slice(0, 12 * layout.rx) }])])).toEqual([]);
    expect(recorded.dropped).toEqual({ [reason]: 1 });
    expect(recorded.problem).toContain(text);
    outputs(operator, [blockOf(three, unequal(1))]);
    expect(recorded.problem).toBeNull();
  });

  breaksNothing(component, { learn_frames: 4 });
});

describe('conjugate-multiply with a raised reference', () => {
  it('equals the definition: alpha the least amplitude, beta 1,000 times their mean', () => {
    const layout = layoutOf({ rx: 2, subcarriers: Int16Array.of(1) });
    const pairs = [
      [4, 10],
      [6, 12],
      [5, 11],
    ] as const;
    const frames = pairs.map(([a, b]) => ({ values: [0, a, b, 0] }));
    const { operator } = make(conjugateMultiply, {
      reference_antenna: 1,
      learn_frames: 3,
      raise_reference: true,
    });
    const [block] = outputs(operator, [blockOf(layout, [...frames, { values: [0, 7, 9, 0] }])]) as [CsiBlock];
    const beta = (1000 * (4 + 10)) / 2;
    // The imaginary part: the first antenna leads by a quarter turn.
    expectRelative(block.values, [0, (5 - 4) * (11 + beta), 0, (7 - 4) * (9 + beta)], 1e-6);
  });
});
