// AssemblyScript, a dialect of TypeScript that compiles to WebAssembly: `npm run simd` writes ../products.wasm.ts.

/**
 * Multiplies values by rows of weights and adds the products: out = start + values x kernel, 16 outputs at a
 * time in four vectors of four float32.
 *
 * The values are `runs` stretches of `length` numbers each, whose beginnings are `stride` numbers apart. A
 * dense layer has one stretch; a convolution over the rows of a grid has one for each row of its window.
 *
 * All pointers are in bytes; `outputs` must be a multiple of 16.
 * @param kernel [runs * length, outputs]
 * @param start [outputs], the bias
 * @param out [outputs]
 */
export function products(
  values: usize,
  runs: i32,
  length: i32,
  stride: i32,
  kernel: usize,
  start: usize,
  outputs: i32,
  out: usize,
): void {
  for (let first = 0; first < outputs; first += 16) {
    const from = start + (first << 2);
    let a = v128.load(from);
    let b = v128.load(from, 16);
    let c = v128.load(from, 32);
    let d = v128.load(from, 48);
    let row = kernel + (first << 2);
    for (let run = 0; run < runs; run++) {
      let at = values + ((run * stride) << 2);
      const end = at + (length << 2);
      for (; at < end; at += 4) {
        const value = v128.load32_splat(at);
        a = f32x4.add(a, f32x4.mul(value, v128.load(row)));
        b = f32x4.add(b, f32x4.mul(value, v128.load(row, 16)));
        c = f32x4.add(c, f32x4.mul(value, v128.load(row, 32)));
        d = f32x4.add(d, f32x4.mul(value, v128.load(row, 48)));
        row += outputs << 2;
      }
    }
    const to = out + (first << 2);
    v128.store(to, a);
    v128.store(to, b, 16);
    v128.store(to, c, 32);
    v128.store(to, d, 48);
  }
}
