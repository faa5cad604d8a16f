import { GROUPS, POINTS } from './grid.js';

const FREQUENCIES = 40;
const DELAYS = 5;

/** Numbers of a map. */
export const MAP = FREQUENCIES * DELAYS;

/**
 * Log power of the two-dimensional Fourier transform of the dynamic part: frequencies 0.5 to 20 Hz in steps
 * of 0.5 Hz, by delays of -1 to 1 in steps of half a bin (1/16.25 MHz). The sign of the delay gives the
 * direction in which fringes move over the subcarriers, and so separates receding from approaching.
 *
 * The dynamic part is real: values at a delay and at its opposite follow from the same two real series. Points t,
 * POINTS / 2 - t, POINTS / 2 + t and POINTS - t share their cosines and sines but for the sign. Together, this is
 * an eighth of the work of the direct transform.
 */
export function dopplerMap(course: Float64Array, out: Float32Array, at: number): void {
  fold(course);
  for (let f = 1; f <= FREQUENCIES; f++) {
    const { even, odd } = folded[f % 2]!;
    const first = at + (f - 1) * DELAYS + STEPS_ASIDE;
    const angles = f * ROW;
    for (let delay = 0; delay <= STEPS_ASIDE; delay++) {
      // Transforms x - j x' of the cosine series and y - j y' of the sine series.
      const cosines = 2 * delay * ROW;
      const sines = cosines + ROW;
      let x = 0;
      let y = 0;
      let xx = 0;
      let yy = 0;
      for (let t = 0; t < ROW; t++) {
        const c = tables.cos[angles + t]!;
        const s = tables.sin[angles + t]!;
        x += even[cosines + t]! * c;
        y += even[sines + t]! * c;
        xx += odd[cosines + t]! * s;
        yy += odd[sines + t]! * s;
      }
      out[first + delay] = logPower(x + yy, y - xx);
      out[first - delay] = logPower(x - yy, y + xx);
    }
  }
}

const logPower = (re: number, im: number): number =>
  (Math.log((re * re + im * im) / POINTS + 1e-6) + 7) / 2.5;

/**
 * For each delay from 0 up the cosine and the sine series over the bands, with Hann's window, `ROW` numbers each: what
 * the four points with the same cosines and sines contribute at even frequencies, then at odd ones.
 */
function fold(course: Float64Array): void {
  const [atEven, atOdd] = folded;
  for (const { even, odd } of folded) {
    even.fill(0);
    odd.fill(0);
  }
  for (let t = 0; t < POINTS; t++) {
    const isLate = t > POINTS / 2;
    const mirrored = isLate ? POINTS - t : t;
    const isFar = mirrored >= ROW;
    const place = isFar ? POINTS / 2 - mirrored : mirrored;
    for (let row = 0; row < ROWS; row++) {
      let sum = 0;
      for (let g = 0; g < GROUPS; g++) sum += course[t * GROUPS + g]! * tables.bands[row * GROUPS + g]!;
      const value = sum * tables.hann[t]!;
      const to = row * ROW + place;
      const turned = isLate ? -value : value;
      atEven.even[to]! += value;
      atOdd.even[to]! += isFar ? -value : value;
      atEven.odd[to]! += isFar ? -turned : turned;
      atOdd.odd[to]! += turned;
    }
  }
}

/** Delays to either side of 0. */
const STEPS_ASIDE = (DELAYS - 1) / 2;
/** Points of a folded series, and such series. */
const ROW = POINTS / 4 + 1;
const ROWS = 2 * (STEPS_ASIDE + 1);

/** Series of the points that share cosines, and of those that share sines. */
interface Folded {
  readonly even: Float64Array;
  readonly odd: Float64Array;
}

/** [ROWS, ROW] each, for even and for odd frequencies. */
const folded = [0, 1].map(() => ({
  even: new Float64Array(ROWS * ROW),
  odd: new Float64Array(ROWS * ROW),
})) as [Folded, Folded];

const tables = (() => {
  const turn = (i: number, n: number) => (2 * Math.PI * i) / n;
  const bands = Array.from({ length: ROWS * GROUPS }, (_, i) => {
    const row = Math.floor(i / GROUPS);
    const angle = turn((row >> 1) * ((i % GROUPS) - (GROUPS - 1) / 2), 2 * GROUPS);
    return row % 2 === 0 ? Math.cos(angle) : Math.sin(angle);
  });
  const angles = Array.from({ length: (FREQUENCIES + 1) * ROW }, (_, i) =>
    turn((Math.floor(i / ROW) * (i % ROW)) % POINTS, POINTS),
  );
  return {
    hann: Float64Array.from({ length: POINTS }, (_, t) => 0.5 - 0.5 * Math.cos(turn(t + 0.5, POINTS))),
    /** [FREQUENCIES + 1, ROW] */
    cos: Float64Array.from(angles, Math.cos),
    sin: Float64Array.from(angles, Math.sin),
    /** [ROWS, GROUPS]: cosine and sine of each delay in turn. */
    bands: Float64Array.from(bands),
  };
})();
