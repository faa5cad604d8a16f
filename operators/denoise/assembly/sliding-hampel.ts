// AssemblyScript, a dialect of TypeScript that compiles to WebAssembly: `npm run simd` writes ../sliding-hampel.wasm.ts.

/**
 * The Hampel filter of one frame whose windows are full: replaces the oldest amplitude of each column by the new
 * one, and values too far from the median of their window by that median, with unchanged phase. Four columns are
 * computed at a time, as float32 where this is exact (comparisons) and otherwise as float64, as in JavaScript.
 *
 * All pointers are in bytes. `columns` must be a multiple of 4. Amplitudes in windows are finite and never negative.
 * @param input [columns, (re, im)], any float32
 * @param output [columns, (re, im)]
 * @param history [columns], the oldest amplitudes; becomes the newest ones
 * @param sorted [columns / 4, window, 4], each column ascending
 * @param window an odd number
 * @param limit distance from the median in median absolute deviations from which a value is an outlier
 * @returns the number of replaced values
 */
export function slide(
  input: usize,
  output: usize,
  history: usize,
  sorted: usize,
  columns: i32,
  window: i32,
  limit: f64,
): i32 {
  const end = columns << 2;
  const half = (window >> 1) << 4;
  let replaced = 0;
  for (let at = 0; at < end; at += 16, sorted += window << 4) {
    const pairs = v128.load(input + (at << 1));
    const nextPairs = v128.load(input + (at << 1), 16);
    const amplitude = v128.shuffle<f32>(amplitudes(pairs), amplitudes(nextPairs), 0, 1, 4, 5);
    const usable = f32x4.lt(amplitude, f32x4.splat(f32.POSITIVE_INFINITY));
    const value = v128.bitselect(amplitude, v128.load(sorted + half), usable);
    exchange(sorted, half, v128.load(history + at), value);
    v128.store(history + at, value);

    const median = v128.load(sorted + half);
    const outlier = v128.or(v128.not(usable), outliers(sorted, half, value, median, limit));
    const to = output + (at << 1);
    if (v128.any_true(outlier)) {
      replaced += popcnt(i32x4.bitmask(outlier));
      const from = v128.and(amplitude, usable);
      v128.store(to, withMedians(pairs, from, median, outlier));
      v128.store(to, withMedians(nextPairs, high(from), high(median), high(outlier)), 16);
    } else {
      v128.store(to, pairs);
      v128.store(to, nextPairs, 16);
    }
  }
  return replaced;
}

/** Amplitudes of two pairs, in the first two lanes. */
function amplitudes(pairs: v128): v128 {
  const first = f64x2.promote_low_f32x4(pairs);
  const second = f64x2.promote_low_f32x4(v128.shuffle<f32>(pairs, pairs, 2, 3, 2, 3));
  const a = f64x2.mul(first, first);
  const b = f64x2.mul(second, second);
  const powers = f64x2.add(v128.shuffle<f64>(a, b, 0, 2), v128.shuffle<f64>(a, b, 1, 3));
  return f32x4.demote_f64x2_zero(f64x2.sqrt(powers));
}

/** Removes `oldest` from the sorted windows and inserts `value`. */
function exchange(sorted: usize, half: i32, oldest: v128, value: v128): void {
  let current = v128.load(sorted);
  let before = f32x4.splat(0);
  let at = sorted;
  for (const last = sorted + 2 * half; at < last; at += 16) {
    const next = v128.load(at, 16);
    const rest = v128.bitselect(current, next, f32x4.lt(current, oldest));
    v128.store(at, f32x4.pmin(rest, f32x4.pmax(before, value)));
    before = rest;
    current = next;
  }
  v128.store(at, f32x4.pmax(before, value));
}

/**
 * Whether the distance of each value from the median exceeds the limit. Half of the samples of a window, and one more,
 * lie within the median absolute deviation, and they are neighbours in order: it is the least deviation within which
 * that many neighbours lie.
 */
function outliers(sorted: usize, half: i32, value: v128, median: v128, limit: f64): v128 {
  const middles = f64x2.promote_low_f32x4(median);
  const highMiddles = f64x2.promote_low_f32x4(high(median));
  let deviation = f64x2.splat(f64.POSITIVE_INFINITY);
  let highDeviation = deviation;
  for (let at = sorted; at <= sorted + half; at += 16) {
    const below = v128.load(at);
    const above = v128.load(at + half);
    deviation = f64x2.pmin(deviation, farther(middles, below, above));
    highDeviation = f64x2.pmin(highDeviation, farther(highMiddles, high(below), high(above)));
  }
  const scale = f64x2.splat(limit);
  const distance = f64x2.abs(f64x2.sub(f64x2.promote_low_f32x4(value), middles));
  const highDistance = f64x2.abs(f64x2.sub(f64x2.promote_low_f32x4(high(value)), highMiddles));
  return v128.shuffle<f32>(
    f64x2.gt(distance, f64x2.mul(scale, deviation)),
    f64x2.gt(highDistance, f64x2.mul(scale, highDeviation)),
    0,
    2,
    4,
    6,
  );
}

/** The larger distance of `below` and `above` (low lanes) from the median between them. */
function farther(median: v128, below: v128, above: v128): v128 {
  return f64x2.pmax(
    f64x2.sub(median, f64x2.promote_low_f32x4(below)),
    f64x2.sub(f64x2.promote_low_f32x4(above), median),
  );
}

/** Lanes 2 and 3 as lanes 0 and 1. */
function high(lanes: v128): v128 {
  return v128.shuffle<f32>(lanes, lanes, 2, 3, 2, 3);
}

/** Two pairs, the outliers with another amplitude; amplitudes and outliers in the first two lanes. */
function withMedians(pairs: v128, from: v128, to: v128, outlier: v128): v128 {
  const first = rescaled(
    pairs,
    v128.shuffle<f32>(from, from, 0, 0, 0, 0),
    v128.shuffle<f32>(to, to, 0, 0, 0, 0),
  );
  const second = rescaled(
    high(pairs),
    v128.shuffle<f32>(from, from, 1, 1, 1, 1),
    v128.shuffle<f32>(to, to, 1, 1, 1, 1),
  );
  const changed = v128.shuffle<f32>(first, second, 0, 1, 4, 5);
  return v128.bitselect(changed, pairs, v128.shuffle<f32>(outlier, outlier, 0, 0, 1, 1));
}

/** The first pair with the amplitude `to` and its own phase; a value of amplitude 0 has no phase and gets phase 0. */
function rescaled(pairs: v128, from: v128, to: v128): v128 {
  const product = f64x2.mul(f64x2.promote_low_f32x4(pairs), f64x2.promote_low_f32x4(to));
  const scaled = f32x4.demote_f64x2_zero(f64x2.div(product, f64x2.promote_low_f32x4(from)));
  return v128.bitselect(scaled, f32x4.replace_lane(to, 1, 0), f32x4.gt(from, f32x4.splat(0)));
}
