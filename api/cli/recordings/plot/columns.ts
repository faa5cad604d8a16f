import { Fourier } from '../../../../operators/shared/fourier.js';
import type { PlotFrames } from './frames.js';

/** The middle one. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  return sorted.length === 0 ? NaN : sorted[sorted.length >> 1]!;
}

/** The value below which a share of all values lies; NaN are ignored. */
export function percentile(values: Float32Array, share: number): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  return sorted.length === 0 ? NaN : sorted[Math.round(share * (sorted.length - 1))]!;
}

/** Seconds between two frames, of each frame to the next. */
export const intervals = ({ time }: PlotFrames): Float64Array => time.slice(1).map((at, i) => at - time[i]!);

/** A silence that is drawn as a gap, seconds: far longer than the usual interval between frames. */
export const longSilence = (frames: PlotFrames): number => Math.max(5 * median(intervals(frames)), 0.02);

/** Columns of a picture over time. */
export function columnCount({ count, time }: PlotFrames, most: number): number {
  const usual = median(intervals({ time } as PlotFrames));
  const wanted = usual > 0 ? Math.ceil(time[count - 1]! / usual) : count;
  return Math.max(1, Math.min(most, wanted));
}

/**
 * [column, subcarrier]: the last frame of each stretch of time; in a short pause the previous one, in a long
 * one NaN.
 */
export function overTime(frames: PlotFrames, values: Float32Array, columns: number): Float32Array {
  const { count, time } = frames;
  const tones = frames.layout.subcarriers.length;
  const out = new Float32Array(columns * tones).fill(NaN);
  const duration = time[count - 1]! || 1;
  const silence = longSilence(frames);
  let frame = 0;
  for (let column = 0; column < columns; column++) {
    const end = ((column + 1) / columns) * duration;
    while (frame + 1 < count && time[frame + 1]! <= end) frame++;
    if ((column / columns) * duration - time[frame]! > silence) continue;
    out.set(values.subarray(frame * tones, (frame + 1) * tones), column * tones);
  }
  return out;
}

/** Movement by speed. */
export interface Spectrogram {
  readonly columns: number;
  /** Frequencies, from 0 up. */
  readonly rows: number;
  /** Frequency of the highest row, hertz. */
  readonly highest: number;
  /** [column, frequency]: decibels. */
  readonly values: Float32Array;
}

/** Subcarriers whose spectra are summed. */
const MAX_TONES = 16;

/**
 * Spectrum over time of the amplitudes, each relative to the mean of its frame (which removes the gain), on
 * an even grid of the usual rate. Null if there are too few frames.
 */
export function spectrogram(frames: PlotFrames, most: number): Spectrogram | null {
  const rate = 1 / median(intervals(frames));
  const samples = Math.floor(frames.time[frames.count - 1]! * rate);
  const window =
    2 ** Math.max(5, Math.min(9, Math.round(Math.log2(2 * rate)), Math.floor(Math.log2(samples / 4))));
  if (!Number.isFinite(rate) || samples < 2 * window) return null;
  const series = evenSeries(frames, rate, samples);
  const columns = Math.min(most, samples - window + 1);
  const isSilent = silences(frames);
  const rows = window / 2;
  const values = new Float32Array(columns * rows);
  const fourier = new Fourier(window);
  const taper = Float64Array.from(
    { length: window },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (window - 1)),
  );
  const input = new Float64Array(2 * window);
  for (let column = 0; column < columns; column++) {
    const start = Math.round((column / Math.max(1, columns - 1)) * (samples - window));
    const powers = values.subarray(column * rows, (column + 1) * rows);
    if (isSilent((start + window / 2) / rate)) {
      powers.fill(NaN);
      continue;
    }
    for (const tone of series) {
      let mean = 0;
      for (let i = 0; i < window; i++) mean += tone[start + i]! / window;
      for (let i = 0; i < window; i++) input[2 * i] = (tone[start + i]! - mean) * taper[i]!;
      fourier.transform(input);
      for (let row = 0; row < rows; row++)
        powers[row]! += fourier.output[2 * row]! ** 2 + fourier.output[2 * row + 1]! ** 2;
    }
    for (let row = 0; row < rows; row++) powers[row] = 10 * Math.log10(powers[row]! + 1e-12);
  }
  return { columns, rows, highest: rate / 2, values };
}

/** For times that do not decrease: whether one lies in a long silence. */
function silences(frames: PlotFrames): (at: number) => boolean {
  const { time, count } = frames;
  const long = longSilence(frames);
  let frame = 0;
  return (at) => {
    while (frame + 1 < count && time[frame + 1]! <= at) frame++;
    return frame + 1 < count && time[frame + 1]! - time[frame]! > long;
  };
}

/** Relative amplitudes of the subcarriers that vary most, on an even grid. */
function evenSeries(
  { time, amplitude, count, layout }: PlotFrames,
  rate: number,
  samples: number,
): Float32Array[] {
  const tones = layout.subcarriers.length;
  const relative = new Float32Array(amplitude.length);
  for (let i = 0; i < count; i++) {
    const frame = amplitude.subarray(i * tones, (i + 1) * tones);
    const mean = frame.reduce((sum, value) => sum + value, 0) / tones || 1;
    for (let k = 0; k < tones; k++) relative[i * tones + k] = frame[k]! / mean;
  }
  const chosen = Array.from({ length: tones }, (_, k) => ({ k, spread: spreadOf(relative, tones, k) }))
    .sort((a, b) => b.spread - a.spread)
    .slice(0, MAX_TONES);
  return chosen.map(({ k }) => {
    const even = new Float32Array(samples);
    for (let i = 0, frame = 0; i < samples; i++) {
      while (frame + 1 < count && time[frame + 1]! <= i / rate) frame++;
      even[i] = relative[frame * tones + k]!;
    }
    return even;
  });
}

function spreadOf(values: Float32Array, stride: number, from: number): number {
  let [sum, squares, count] = [0, 0, 0];
  for (let i = from; i < values.length; i += stride, count++) {
    sum += values[i]!;
    squares += values[i]! ** 2;
  }
  return squares / count - (sum / count) ** 2;
}
