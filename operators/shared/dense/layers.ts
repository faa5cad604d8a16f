/** A dense layer: a kernel [inputs, outputs] and a bias [outputs]. */
export interface Layer<Name extends string = string> {
  readonly name: Name;
  readonly inputs: number;
  readonly outputs: number;
}

/** Position of a layer's kernel and bias in all weights, and its size. */
export interface LayerOffsets {
  readonly kernel: number;
  readonly bias: number;
  readonly end: number;
  readonly inputs: number;
  readonly outputs: number;
}

/** Layer by layer, kernel then bias, in one array. */
export function offsetsOf<Name extends string>(
  layers: readonly Layer<Name>[],
): ReadonlyMap<Name, LayerOffsets> {
  let at = 0;
  return new Map(
    layers.map(({ name, inputs, outputs }) => {
      const kernel = at;
      const bias = kernel + inputs * outputs;
      at = bias + outputs;
      return [name, { kernel, bias, end: at, inputs, outputs }] as const;
    }),
  );
}
