import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { denoise } from '../../operators/denoise/denoise.js';
import { hampel, SlidingHampel } from '../../operators/denoise/hampel.js';
import { median, quantile, sortedDeviation } from '../../operators/shared/median.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { arbitraryBlock, blockOf, golden, layoutOf, outputs, pieces, valuesOf } from './frames.js';

const reference = golden();
const config = withDefaults(denoise, { window: 5 }) as Parameters<typeof denoise.create>[0];
const operator = (window = config.window) => denoise.create({ ...config, window }, testContext().context);

describe('hampel', () => {
  it.skipIf(!reference)('equals the centred reference', () => {
    const filtered = hampel(reference!.x_spiky, { before: 5, after: 5, threshold: 3 });
    expectClose(filtered, reference!.hampel_w5_n3_symmetric, 1e-12);
  });

  it.skipIf(!reference)('equals the reference with the window of SHARP', () => {
    const filtered = hampel(reference!.x_spiky, { before: 10, after: 9, threshold: 3 });
    expectClose(filtered, reference!.hampel_w10_n3_SHARP_asym, 1e-12);
  });

  it('replaces a value beyond three times 1.4826 MAD from the median, and none within', () => {
    // Around the last value that stays: median 1, MAD 3.
    const around = (value: number): number =>
      hampel([-5, -4, -3, -2, -1, value, 1, 2, 3, 4, 5], { before: 5, after: 5, threshold: 3 })[5]!;
    const edge = 1 + 3 * 1.4826 * 3;
    expect([around(edge - 1e-9), around(edge + 1e-9)]).toEqual([edge - 1e-9, 1]);
  });

  it('leaves a clean series unchanged', () => {
    const rising = Array.from({ length: 100 }, (_, i) => 10 + i / 5);
    expect(Array.from(hampel(rising, { before: 8, after: 0, threshold: 3 }))).toEqual(rising);
    expect(Array.from(hampel(rising, { before: 5, after: 5, threshold: 3 }))).toEqual(rising);
  });
});

describe('the sliding filter', () => {
  /** Filters one frame after the other, and returns the amplitudes of its last column. */
  const filtered = (window: number, ...columns: readonly (readonly number[])[]) => {
    const filter = new SlidingHampel(columns.length, window, 3);
    const replaced: number[] = [];
    const last = columns.at(-1)!.map((_, frame) => {
      const input = Float32Array.from(columns.flatMap((amplitudes) => [amplitudes[frame]!, 0]));
      const output = new Float32Array(input.length);
      replaced.push(filter.apply(input, output, 0));
      return output.at(-2);
    });
    return { last, replaced };
  };

  it('takes the median for a value that is not a number, before the window is full', () => {
    // The deviation of 10, 10, 10 and 10.5 is 0; that of 10, 10, 0 and 10.5 would not be.
    expect(filtered(5, [10, 10, NaN, 10.5])).toEqual({ last: [10, 10, 10, 10], replaced: [0, 0, 1, 1] });
  });

  it.each([
    ['the only column', [[10, 10, 10, NaN, 10.5, 10, 10, 10.5]]],
    ['the second one', [Array<number>(8).fill(90), [10, 10, 10, NaN, 10.5, 10, 10, 10.5]]],
  ])('takes the median of its own column once the window is full: %s', (_, columns) => {
    const { last, replaced } = filtered(3, ...columns);
    expect(last).toEqual(Array<number>(8).fill(10));
    expect(replaced).toEqual([0, 0, 0, 1, 1, 0, 0, 1]);
  });

  it('replaces nothing of a constant series', () => {
    expect(filtered(3, Array<number>(9).fill(10)).replaced).toEqual(Array<number>(9).fill(0));
  });
});

describe('order statistics', () => {
  const numbers = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 15 });

  it('the merged deviation is the median of the deviations', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const sorted = Float64Array.from(values).sort();
        const middle = median(values);
        const deviations = values.map((value) => Math.abs(value - middle));
        expect(sortedDeviation(sorted, 0, sorted.length, middle)).toBe(median(deviations));
      }),
    );
  });

  it('quantiles lie between neighbours', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([1, 2, 3, 4, 5], 0.1)).toBeCloseTo(1.4, 12);
  });
});

describe('denoise', () => {
  it('is the causal filter on the amplitude, and keeps the phase', () => {
    const layout = layoutOf({ subcarriers: Int16Array.of(1) });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: -40, max: 40 }), fc.integer({ min: -40, max: 40 })), {
          minLength: 1,
          maxLength: 60,
        }),
        fc.constantFrom(3, 5, 9, 11),
        (pairs, window) => {
          const [block] = outputs(operator(window), [
            blockOf(
              layout,
              pairs.map((values) => ({ values })),
            ),
          ]) as [CsiBlock];
          const amplitude = Float32Array.from(pairs, ([re, im]) => Math.sqrt(re * re + im * im));
          const expected = hampel(amplitude, { before: window - 1, after: 0, threshold: 3 });
          pairs.forEach(([re, im], i) => {
            const [x, y] = [block.values[2 * i]!, block.values[2 * i + 1]!];
            // Float32 has seven digits: amplitudes up to 57 are exact to 1e-5.
            expect(Math.abs(Math.hypot(x, y) - expected[i]!)).toBeLessThan(1e-5);
            if (re !== 0 || im !== 0) expect(Math.abs(x * im - y * re)).toBeLessThan(1e-2);
          });
        },
      ),
    );
  });

  it('gives finite values for any input', () => {
    fc.assert(
      fc.property(arbitraryBlock(), (block) => {
        expect(valuesOf(outputs(operator(), [block])).every(Number.isFinite)).toBe(true);
      }),
    );
  });

  it('counts replaced values', () => {
    const { context, recorded } = testContext();
    const layout = layoutOf({ subcarriers: Int16Array.of(1) });
    const values = [10, 11, 10, 11, 10, 11, 500, 10].map((re) => ({ values: [re, 0] }));
    const [block] = outputs(denoise.create(config, context), [blockOf(layout, values)]) as [CsiBlock];
    expect(recorded.counts).toEqual({ outliers_replaced: 1 });
    expect(block.values[12]).toBe(11);
  });

  it('never changes its input', () => {
    fc.assert(
      fc.property(arbitraryBlock(), (block) => {
        const before = structuredClone(block);
        outputs(operator(), [block]);
        expect(block).toEqual(before);
      }),
    );
  });

  it('gives the same for one block and for its pieces', () => {
    fc.assert(
      fc.property(arbitraryBlock(), fc.array(fc.nat(5), { minLength: 1 }), (block, sizes) => {
        expect(valuesOf(outputs(operator(), pieces(block, sizes)))).toEqual(
          valuesOf(outputs(operator(), [block])),
        );
      }),
    );
  });

  it('continues from a snapshot as if it had never stopped', () => {
    fc.assert(
      fc.property(arbitraryBlock(), arbitraryBlock(), (first, second) => {
        const one = operator();
        outputs(one, [first]);
        const state = structuredClone(one.snapshot!());
        const other = operator();
        other.restore!(state);
        expect(valuesOf(outputs(other, [second]))).toEqual(valuesOf(outputs(one, [second])));
        expect(other.snapshot!()).toEqual(one.snapshot!());
      }),
    );
  });

  it('forgets the least recently used layout when a link invents many', () => {
    const one = operator();
    for (let centreMhz = 2000; centreMhz < 2100; centreMhz++)
      outputs(one, [blockOf(layoutOf({ centreMhz }), [{ values: new Float32Array(12) }])]);
    expect(one.snapshot!()).toHaveLength(8);
  });

  it('rejects an even window', () => {
    expect(denoise.check!({ ...config, window: 6 })).toHaveLength(1);
    expect(denoise.check!(config)).toEqual([]);
  });
});

function expectClose(actual: ArrayLike<number>, expected: readonly number[], tolerance: number): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, i) => {
    expect(Math.abs(actual[i]! - value)).toBeLessThanOrEqual(tolerance);
  });
}
