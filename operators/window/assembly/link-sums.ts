// AssemblyScript, a dialect of TypeScript that compiles to WebAssembly: `npm run simd` writes ../link-sums.wasm.ts.
//
// Sums over the frames of one link, as float64. Each sum is added up in the order of frames and carriers, so results
// are those of JavaScript to the last bit. All pointers are in bytes.

/** Carriers of a block, and bytes of a complex float32 and float64. */
const WIDTH = 12;
const PAIR = 8;
const COMPLEX = 16;

/**
 * The power of eight frames: the sum of squares, for two frames in the two lanes of a vector.
 * @param frames [8, columns, (re, im)]
 * @param powers [8]
 */
export function sumSquares(frames: usize, columns: i32, powers: usize): void {
  const row = columns * PAIR;
  let a = f64x2.splat(0);
  let b = f64x2.splat(0);
  let c = f64x2.splat(0);
  let d = f64x2.splat(0);
  for (const end = frames + row; frames < end; frames += PAIR) {
    a = withSquares(a, frames, row);
    b = withSquares(b, frames + 2 * row, row);
    c = withSquares(c, frames + 4 * row, row);
    d = withSquares(d, frames + 6 * row, row);
  }
  v128.store(powers, a);
  v128.store(powers, b, 16);
  v128.store(powers, c, 32);
  v128.store(powers, d, 48);
}

/** Adds the squares of a pair of two successive frames: of re, then of im. */
function withSquares(sums: v128, pair: usize, row: i32): v128 {
  const first = v128.load64_zero(pair);
  const second = v128.load64_zero(pair + row);
  const re = f64x2.promote_low_f32x4(v128.shuffle<f32>(first, second, 0, 4, 0, 4));
  const im = f64x2.promote_low_f32x4(v128.shuffle<f32>(first, second, 1, 5, 1, 5));
  return f64x2.add(f64x2.add(sums, f64x2.mul(re, re)), f64x2.mul(im, im));
}

/**
 * Adds the scaled power of each carrier of frames, two carriers at a time.
 * @param frames [count, columns, (re, im)], and a pair more
 * @param scales [count]; frames with 0 are left out, because their values may not be numbers
 * @param power [columns], rounded up to an even number
 */
export function addPowers(frames: usize, columns: i32, count: i32, scales: usize, power: usize): void {
  for (let column = 0; column < columns; column += 2, frames += 2 * PAIR, power += COMPLEX) {
    let sums = v128.load(power);
    for (let frame = 0; frame < count; frame++) {
      const scale = load<f64>(scales + (frame << 3));
      if (!(scale > 0)) continue;
      const pairs = v128.load(frames + frame * columns * PAIR);
      const re = f64x2.promote_low_f32x4(v128.shuffle<f32>(pairs, pairs, 0, 2, 0, 2));
      const im = f64x2.promote_low_f32x4(v128.shuffle<f32>(pairs, pairs, 1, 3, 1, 3));
      const squares = f64x2.add(f64x2.mul(re, re), f64x2.mul(im, im));
      sums = f64x2.add(sums, f64x2.mul(f64x2.splat(scale), squares));
    }
    v128.store(power, sums);
  }
}

/**
 * Adds frames to the covariances of blocks of carriers: for each carrier and each up to it, the product of the first,
 * scaled, with the conjugate of the second. A vector holds a complex number.
 * @param carriers [count, blocks, WIDTH, (re, im)]
 * @param scales [count]; frames with 0 are left out
 * @param covariance [blocks, WIDTH, WIDTH, (re, im)]; lower triangles
 */
export function addProducts(
  carriers: usize,
  blocks: i32,
  count: i32,
  scales: usize,
  covariance: usize,
): void {
  for (let frame = 0; frame < count; frame++) {
    const scale = load<f64>(scales + (frame << 3));
    for (let block = 0; block < blocks; block++, carriers += WIDTH * COMPLEX)
      if (scale > 0) addBlock(carriers, f64x2.splat(scale), covariance + block * WIDTH * WIDTH * COMPLEX);
  }
}

function addBlock(carriers: usize, scales: v128, row: usize): void {
  const end = carriers + WIDTH * COMPLEX;
  for (let carrier = carriers; carrier < end; carrier += COMPLEX, row += WIDTH * COMPLEX) {
    const scaled = f64x2.mul(scales, v128.load(carrier));
    // (im, -re)
    const turned = v128.xor(v128.shuffle<f64>(scaled, scaled, 1, 0), f64x2(0, -0.0));
    let sum = row;
    for (let other = carriers; other <= carrier; other += COMPLEX, sum += COMPLEX) {
      const product = f64x2.add(
        f64x2.mul(scaled, v128.load64_splat(other)),
        f64x2.mul(turned, v128.load64_splat(other, 8)),
      );
      v128.store(sum, f64x2.add(v128.load(sum), product));
    }
  }
}
