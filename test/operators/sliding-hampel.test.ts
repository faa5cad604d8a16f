import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SlidingHampel } from '../../operators/denoise/hampel.js';
import { sortedDeviation, sortedMedian } from '../../operators/shared/median.js';

/** The filter as it is defined: each window is sorted anew. */
class Definition {
  /** By column, oldest first. */
  readonly #windows: number[][];
  readonly #window: number;
  readonly #limit: number;

  constructor(columns: number, window: number, threshold: number) {
    this.#windows = Array.from({ length: columns }, () => []);
    this.#window = window;
    this.#limit = threshold * 1.4826;
  }

  apply(frame: Float32Array): { values: Float32Array; replaced: number } {
    let replaced = 0;
    const values = frame.slice();
    for (const [column, window] of this.#windows.entries()) {
      const [re, im] = [frame[2 * column]!, frame[2 * column + 1]!];
      const amplitude = Math.fround(Math.sqrt(re * re + im * im));
      const usable = amplitude < Infinity;
      const value = usable ? amplitude : (window.toSorted((a, b) => a - b)[window.length >> 1] ?? 0);
      if (window.push(value) > this.#window) window.shift();
      const sorted = window.toSorted((a, b) => a - b);
      const median = sortedMedian(sorted, 0, sorted.length);
      const deviation = sortedDeviation(sorted, 0, sorted.length, median);
      if (usable && !(Math.abs(value - median) > this.#limit * deviation)) continue;
      replaced++;
      const hasPhase = usable && amplitude > 0;
      values[2 * column] = hasPhase ? (re * median) / amplitude : median;
      values[2 * column + 1] = hasPhase ? (im * median) / amplitude : 0;
    }
    return { values, replaced };
  }
}

/** Many equal values, as of coarse receivers; any float32; and what is no number. */
const value = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 4, arbitrary: fc.float({ min: -100, max: 100, noNaN: true }) },
  { weight: 1, arbitrary: fc.float() },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, NaN, Infinity, -Infinity) },
);

const course = fc
  .record({
    columns: fc.integer({ min: 1, max: 13 }),
    window: fc.oneof(fc.constantFrom(3, 5, 9), fc.constantFrom(21, 101)),
    threshold: fc.oneof(fc.constantFrom(0, 3, 100), fc.double({ min: 0, max: 10, noNaN: true })),
  })
  .chain(({ columns, window, threshold }) =>
    fc.record({
      columns: fc.constant(columns),
      window: fc.constant(window),
      threshold: fc.constant(threshold),
      values: fc.array(value, { minLength: 7, maxLength: 40 }),
      count: fc.integer({ min: 1, max: 2 * window + 5 }),
      restored: fc.nat(2 * window),
    }),
  );

test('the filter equals its definition to the last bit, also after a restart', () => {
  const other = new SlidingHampel(150, 101, 3);
  fc.assert(
    fc.property(course, ({ columns, window, threshold, values, count, restored }) => {
      const definition = new Definition(columns, window, threshold);
      let filter = new SlidingHampel(columns, window, threshold);
      for (let frame = 0; frame < count; frame++) {
        const input = new Float32Array(2 * columns + 3);
        for (let i = 0; i < input.length; i++) input[i] = values[(frame * 7 + i * i) % values.length]!;
        if (frame === restored) {
          const state = structuredClone(filter.snapshot());
          filter = new SlidingHampel(columns, window, threshold);
          filter.restore(state);
        }
        const output = new Float32Array(input.length);
        const replaced = filter.apply(input, output, 3);
        expect({ values: output.subarray(3), replaced }).toEqual(definition.apply(input.subarray(3)));
        // Another filter uses the same memory between two frames.
        other.apply(new Float32Array(300).fill(frame), new Float32Array(300), 0);
      }
    }),
  );
});

test('a filter continues when a larger one enlarges the memory that both use', () => {
  const [one, other] = [new SlidingHampel(4, 3, 3), new SlidingHampel(4, 3, 3)];
  const frames = Array.from({ length: 8 }, (_, f) => Float32Array.from({ length: 8 }, (_, i) => (f * i) % 5));
  const filtered = (filter: SlidingHampel, from: number, until: number) =>
    frames.slice(from, until).map((frame) => {
      const output = new Float32Array(8);
      filter.apply(frame, output, 0);
      return output;
    });
  const before = filtered(one, 0, 5);
  new SlidingHampel(20_000, 101, 3);
  expect([...before, ...filtered(one, 5, 8)]).toEqual(filtered(other, 0, 8));
});
