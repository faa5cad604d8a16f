import type { Row, TappedFrame } from './records.js';

/** Frequencies at which the power of a link varies, over time. */
export interface Doppler {
  /** Decibels below the strongest, by frequency from low to high; oldest first. */
  readonly columns: readonly Row[];
  /** Lowest and highest frequency, hertz. */
  readonly low: number;
  readonly high: number;
}

/** Frames of a window, and from one to the next. */
const [WINDOW, HOP] = [32, 2];
/** Frames per second below which steps and gestures are too fast to be seen. */
const MIN_RATE = 20;
const FLOOR_DB = -40;
/** Share of the static power, squared, below which a spectrum is that of rounding. */
const ROUNDING = 1e-9;

/**
 * Spectrogram of the power of an antenna pair, summed over its subcarriers. The power of a moving reflection
 * beats against the static paths at the Doppler frequency; unlike the phase, it does not depend on the clocks
 * of sender and receiver. The direction of the motion is lost. Null if the frames are too few or too rare, or
 * if no subcarrier is known in all of them.
 */
export function dopplerOf(frames: readonly TappedFrame[], rx: number, tx: number): Doppler | null {
  const times = frames.map(({ time }) => Date.parse(time) / 1000);
  const rate = (times.length - 1) / (times.at(-1)! - times[0]!);
  if (frames.length < WINDOW || !(rate >= MIN_RATE && rate < Infinity)) return null;
  const rows = frames.map(({ amplitudes }) => amplitudes[rx]![tx]!);
  const signals = rows[0]!.flatMap((_, k) => {
    const powers = rows.map((row) => row[k] ?? null);
    return powers.every((power) => power !== null)
      ? [
          evenly(
            times,
            powers.map((amplitude) => amplitude ** 2),
            rate,
          ),
        ]
      : [];
  });
  if (signals.length === 0) return null;
  const spectra: number[][] = [];
  for (let start = 0; start + WINDOW <= frames.length; start += HOP)
    spectra.push(sumOf(signals.map((signal) => spectrumOf(signal.slice(start, start + WINDOW)))));
  const still = signals.reduce((sum, [power = 0]) => sum + power ** 2, 0);
  const strongest = Math.max(ROUNDING * still, ...spectra.flat());
  const decibels = (power: number): number => Math.max(FLOOR_DB, 10 * Math.log10(power / strongest));
  return {
    columns: spectra.map((spectrum) => spectrum.map(decibels)),
    low: rate / WINDOW,
    high: rate / 2,
  };
}

/** Interpolated at even times: frames do not arrive evenly. */
function evenly(times: readonly number[], values: readonly number[], rate: number): readonly number[] {
  let before = 0;
  return times.map((_, index) => {
    const time = times[0]! + index / rate;
    while (before < times.length - 2 && times[before + 1]! < time) before++;
    const step = times[before + 1]! - times[before]!;
    const share = step > 0 ? Math.min(1, (time - times[before]!) / step) : 0;
    return values[before]! + share * (values[before + 1]! - values[before]!);
  });
}

/** Power at 1 to WINDOW / 2 periods per window, without the mean. */
function spectrumOf(signal: readonly number[]): readonly number[] {
  const mean = signal.reduce((sum, value) => sum + value, 0) / WINDOW;
  const tapered = signal.map(
    (value, n) => (value - mean) * (0.5 - 0.5 * Math.cos((2 * Math.PI * n) / WINDOW)),
  );
  return Array.from({ length: WINDOW / 2 }, (_, index) => {
    const turn = (2 * Math.PI * (index + 1)) / WINDOW;
    const re = tapered.reduce((sum, value, n) => sum + value * Math.cos(turn * n), 0);
    const im = tapered.reduce((sum, value, n) => sum + value * Math.sin(turn * n), 0);
    return re * re + im * im;
  });
}

const sumOf = (spectra: readonly (readonly number[])[]): number[] =>
  Array.from(spectra[0] ?? [], (_, k) => spectra.reduce((sum, spectrum) => sum + spectrum[k]!, 0));
