import { reserve, type SimdMemory } from './simd-module.js';

type Numbers = Float32Array | Float64Array;

/** The type and the length of an array. */
export type Shape<Array> = readonly [
  type: (new (buffer: ArrayBuffer, offset: number, length: number) => Array) & {
    readonly BYTES_PER_ELEMENT: number;
  },
  length: number,
];

export type Shapes<Arrays> = { readonly [Name in keyof Arrays]: Shape<Arrays[Name]> };

/**
 * Arrays start at multiples of this number of bytes. So a kernel that computes two vectors at a time may read and write
 * past the end of an array, up to the next multiple.
 */
const STRIDE = 32;

/**
 * Arrays in the memory of a shared instance, for the inputs and outputs of one call. All callers use the same bytes,
 * so nothing remains there until a caller's next call.
 */
export class Scratch<Arrays extends Readonly<Record<string, Numbers>>> {
  /** Position of each array, bytes: a pointer for the kernel. */
  readonly at: Readonly<Record<keyof Arrays, number>>;
  readonly #memory: SimdMemory;
  readonly #shapes: Shapes<Arrays>;
  #arrays: Arrays;
  /** One of them. */
  #probe: Numbers;

  constructor(memory: SimdMemory, shapes: Shapes<Arrays>) {
    const at: Record<string, number> = {};
    let end = 0;
    for (const [name, [type, length]] of Object.entries<Shape<Numbers>>(shapes)) {
      at[name] = end;
      end += Math.ceil((length * type.BYTES_PER_ELEMENT) / STRIDE) * STRIDE;
    }
    reserve(memory, end);
    this.at = at as Record<keyof Arrays, number>;
    this.#memory = memory;
    this.#shapes = shapes;
    [this.#arrays, this.#probe] = this.#lay();
  }

  /** Get them anew for each call: another caller may have enlarged the memory, which empties them. */
  get arrays(): Arrays {
    if (this.#probe.length === 0) [this.#arrays, this.#probe] = this.#lay();
    return this.#arrays;
  }

  #lay(): [arrays: Arrays, probe: Numbers] {
    const { buffer } = this.#memory;
    const arrays = Object.fromEntries(
      Object.entries<Shape<Numbers>>(this.#shapes).map(([name, [type, length]]) => [
        name,
        new type(buffer, this.at[name]!, length),
      ]),
    );
    return [arrays as Arrays, Object.values(arrays)[0]!];
  }
}
