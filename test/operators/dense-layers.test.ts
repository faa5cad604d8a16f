import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offsetsOf } from '../../operators/shared/dense/layers.js';
import { DenseLayers } from '../../operators/shared/dense/dense-layers.js';

const numbers = (size: number) =>
  fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: size, maxLength: size });

/** A layer's outputs by plain multiplication in float64. */
const plain = (x: readonly number[], weights: readonly number[], outputs: number): number[] =>
  Array.from({ length: outputs }, (_, o) =>
    x.reduce((sum, value, i) => sum + value * weights[i * outputs + o]!, weights[x.length * outputs + o]!),
  );

const near = (actual: Iterable<number>, expected: readonly number[]) => {
  const values = [...actual];
  expect(values).toHaveLength(expected.length);
  values.forEach((value, i) => {
    expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-5 * (1 + Math.abs(expected[i]!)));
  });
};

const layer = fc
  .record({ inputs: fc.integer({ min: 1, max: 40 }), outputs: fc.integer({ min: 1, max: 40 }) })
  .chain(({ inputs, outputs }) =>
    fc.record({
      inputs: fc.constant(inputs),
      outputs: fc.constant(outputs),
      weights: numbers((inputs + 1) * outputs),
      x: numbers(inputs),
    }),
  );

test('layers of any size equal plain multiplication', () => {
  fc.assert(
    fc.property(layer, layer, (first, second) => {
      const offsets = offsetsOf([
        { name: 'first', ...first },
        { name: 'second', ...second },
      ]);
      const layers = new DenseLayers(Float32Array.from([...first.weights, ...second.weights]), offsets, 0);
      near(layers.apply('first', Float32Array.from(first.x)), plain(first.x, first.weights, first.outputs));
      near(
        layers.apply('second', Float32Array.from(second.x)),
        plain(second.x, second.weights, second.outputs),
      );
    }),
  );
});

test('a layer reads stretches at each position, and adds to the bias', () => {
  const weights = Array.from({ length: 7 * 3 }, (_, i) => Math.sin(i));
  const offsets = offsetsOf([{ name: 'only', inputs: 6, outputs: 3 }]);
  const layers = new DenseLayers(Float32Array.from(weights), offsets, 12);
  layers.inputs.set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  const outputs = layers.applyAt(
    'only',
    [0, 1],
    { runs: 2, length: 3, stride: 5 },
    Float32Array.of(10, 20, 30),
  );
  const said = [
    [1, 2, 3, 6, 7, 8],
    [2, 3, 4, 7, 8, 9],
  ].flatMap((x) => plain(x, weights, 3).map((value, o) => value + 10 * (o + 1)));
  near(outputs, said);
});

test('what reads another number of inputs is refused', () => {
  const layers = new DenseLayers(
    new Float32Array(9),
    offsetsOf([{ name: 'only', inputs: 2, outputs: 3 }]),
    0,
  );
  expect(() => layers.apply('only', new Float32Array(3))).toThrow('only takes 2 inputs, not 3');
});
