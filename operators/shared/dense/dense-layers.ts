import { reserve, SimdModule } from '../simd/simd-module.js';
import type { LayerOffsets } from './layers.js';
import { CODE } from './products.wasm.js';

/** As in assembly/products.ts; pointers in bytes. */
type Products = (
  values: number,
  runs: number,
  length: number,
  stride: number,
  kernel: number,
  start: number,
  outputs: number,
  out: number,
) => void;

/** A layer in the memory of WebAssembly. Positions count numbers. */
interface Placed {
  readonly kernel: number;
  readonly bias: number;
  readonly inputs: number;
  readonly outputs: number;
  /** `outputs`, rounded up to whole blocks. */
  readonly width: number;
}

/** Where a layer finds its inputs: stretches of the same length at equal distances. In numbers. */
export interface Stretches {
  readonly runs: number;
  readonly length: number;
  readonly stride: number;
}

/** Outputs that WebAssembly computes at once. */
const BLOCK = 16;
const BYTES = Float32Array.BYTES_PER_ELEMENT;

const kernel = new SimdModule<{ readonly products: Products }>(CODE);

/**
 * Dense layers without activation, in float32, by the SIMD instructions of WebAssembly. They serve networks
 * so small that a call of a tensor library costs more than their multiplications.
 */
export class DenseLayers<Name extends string> {
  /** What {@link applyAt} reads. Zero at first. */
  readonly inputs: Float32Array;
  readonly #layers: ReadonlyMap<Name, Placed>;
  readonly #numbers: Float32Array;
  readonly #vector: number;
  readonly #products: Products;
  readonly #start: number;
  readonly #out: number;

  /**
   * @param weights in the order of `offsets` @param most numbers in {@link inputs}
   * @throws Error if the processor has no SIMD
   */
  constructor(weights: Float32Array, offsets: ReadonlyMap<Name, LayerOffsets>, most: number) {
    const all = [...offsets.values()];
    const widest = inBlocks(Math.max(...all.map(({ outputs }) => outputs)));
    this.#vector = inBlocks(most);
    this.#start = this.#vector + inBlocks(Math.max(...all.map(({ inputs }) => inputs)));
    this.#out = this.#start + widest;
    let end = this.#out + widest;
    this.#layers = new Map(
      [...offsets].map(([name, { inputs, outputs }]) => {
        const width = inBlocks(outputs);
        const kernel = end;
        const bias = kernel + inputs * width;
        end = bias + width;
        return [name, { kernel, bias, inputs, outputs, width }];
      }),
    );
    const { memory, products } = kernel.instantiate();
    reserve(memory, end * BYTES);
    this.#products = products;
    this.#numbers = new Float32Array(memory.buffer);
    this.inputs = this.#numbers.subarray(0, most);
    for (const [name, placed] of this.#layers) this.#lay(weights, offsets.get(name)!, placed);
  }

  /** @param x [inputs] @returns [outputs] */
  apply(name: Name, x: Float32Array): Float32Array {
    const layer = this.#layers.get(name)!;
    if (x.length !== layer.inputs)
      throw new RangeError(`${name} takes ${layer.inputs} inputs, not ${x.length}`);
    this.#numbers.set(x, this.#vector);
    this.#compute(layer, this.#vector, { runs: 1, length: x.length, stride: 0 }, layer.bias);
    return this.#numbers.slice(this.#out, this.#out + layer.outputs);
  }

  /** Applies a layer to each row; overwrites {@link inputs}. @param rows [rows, inputs] @returns [rows, outputs] */
  applyToRows(name: Name, rows: Float32Array): Float32Array {
    const { inputs, outputs } = this.#layers.get(name)!;
    this.inputs.set(rows);
    const starts = Array.from({ length: rows.length / inputs }, (_, row) => row * inputs);
    return this.applyAt(name, starts, { runs: 1, length: inputs, stride: 0 }, new Float32Array(outputs));
  }

  /**
   * Applies a layer at many positions of {@link inputs}, for example a convolution over a grid.
   * @param positions where the first stretch begins
   * @param added to the bias: [outputs]
   * @returns [positions, outputs]
   */
  applyAt(name: Name, positions: readonly number[], stretches: Stretches, added: Float32Array): Float32Array {
    const layer = this.#layers.get(name)!;
    const { bias, inputs, outputs } = layer;
    const read = stretches.runs * stretches.length;
    if (read !== inputs) throw new RangeError(`${name} takes ${inputs} inputs, not ${read}`);
    if (added.length !== outputs) throw new RangeError(`${name} has ${outputs} outputs, not ${added.length}`);
    const numbers = this.#numbers;
    const start = this.#start;
    for (let o = 0; o < outputs; o++) numbers[start + o] = numbers[bias + o]! + added[o]!;
    const results = new Float32Array(positions.length * outputs);
    for (let i = 0, to = 0; i < positions.length; i++) {
      this.#compute(layer, positions[i]!, stretches, start);
      for (let o = 0; o < outputs; o++) results[to++] = numbers[this.#out + o]!;
    }
    return results;
  }

  #compute({ kernel, width }: Placed, position: number, stretches: Stretches, start: number): void {
    const { runs, length, stride } = stretches;
    const [from, to] = [start * BYTES, this.#out * BYTES];
    this.#products(position * BYTES, runs, length, stride, kernel * BYTES, from, width, to);
  }

  /** The bias follows the kernel like one more row; what fills up blocks is zero. */
  #lay(weights: Float32Array, { kernel, end }: LayerOffsets, { kernel: to, outputs, width }: Placed): void {
    for (let row = 0, at = kernel; at < end; row++, at += outputs)
      this.#numbers.set(weights.subarray(at, at + outputs), to + row * width);
  }
}

const inBlocks = (numbers: number): number => Math.ceil(numbers / BLOCK) * BLOCK;
