import { encode } from 'fast-png';
import { csiRatio } from '../../../operators/csi-ratio/csi-ratio.js';
import { denoise } from '../../../operators/denoise/denoise.js';
import { doppler } from '../../../operators/doppler/doppler.js';
import { DopplerSpectrum, gaussian } from '../../../operators/shared/doppler-spectrum.js';
import { resample } from '../../../operators/resample/resample.js';
import { frameSize, type CsiBlock, type Measure } from '../../../pipeline/model/index.js';
import { through, type Step } from './frames.js';

const RATE_HZ = 1000;
const WINDOW = 256;
const HOP = 16;
/** Range of frequencies shown, in both directions. */
const SHOWN_HZ = 80;
/** Decibels below the maximum that are drawn black. */
const RANGE_DB = 25;
/** Pixels per window and per frequency. */
const SCALE = 3;

const CLEANED: readonly Step[] = [
  { component: csiRatio },
  { component: resample, settings: { rate_hz: RATE_HZ, max_gap_ms: 20 } },
  {
    component: denoise,
    settings: { method: 'butterworth', part: 'complex', low_hz: 2, high_hz: 80, rate_hz: RATE_HZ },
  },
];

/** The gesture as one receiver sees it. */
export interface Sight {
  readonly receiver: string;
  readonly seconds: number;
  /** Largest mean frequency in each direction, hertz. */
  readonly towards: number;
  readonly away: number;
  /** The fastest edge. */
  readonly edge: number;
}

export function gestureSeen(receiver: string, frames: readonly CsiBlock[]): Sight {
  const steps = [
    ...CLEANED,
    { component: doppler, settings: { rate_hz: RATE_HZ, window: WINDOW, hop: HOP } },
  ];
  const measures = through(steps, frames) as readonly Measure[];
  const of = (name: string): readonly number[] =>
    measures.filter((measure) => measure.name === name).map(({ value }) => value);
  const first = frames[0]!;
  const last = frames.at(-1)!;
  return {
    receiver,
    seconds: (last.time[last.count - 1]! - first.time[0]!) / 1e6,
    towards: Math.max(...of('doppler_shift_hz')),
    away: Math.min(...of('doppler_shift_hz')),
    edge: Math.max(...of('doppler_edge_hz')),
  };
}

/** A spectrogram: time to the right, shortening paths above the middle; brighter is stronger. */
export function spectrogram(frames: readonly CsiBlock[]): Uint8Array {
  const columns = windows(frames);
  const rows = columns[0]?.length ?? 0;
  const most = Math.max(...columns.flat());
  const [width, height] = [columns.length * SCALE, rows * SCALE];
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const power = columns[Math.floor(x / SCALE)]![rows - 1 - Math.floor(y / SCALE)]!;
      const shade = 1 + (10 * Math.log10(power / most)) / RANGE_DB;
      data[y * width + x] = Math.round(255 * Math.min(1, Math.max(0, shade)));
    }
  return encode({ width, height, data, channels: 1, depth: 8 });
}

/** Powers of each window, lowest frequency first: means removed, summed over antennas and subcarriers. */
function windows(frames: readonly CsiBlock[]): number[][] {
  const blocks = through(CLEANED, frames) as readonly CsiBlock[];
  const size = frameSize(blocks[0]!.layout);
  const values = Float32Array.from(blocks.flatMap((block) => Array.from(block.values)));
  const spectrum = new DopplerSpectrum(gaussian(WINDOW, WINDOW / 4), 2 * WINDOW);
  const shown = Math.round((SHOWN_HZ * spectrum.bins) / RATE_HZ);
  const zero = spectrum.bins >> 1;
  const found: number[][] = [];
  for (let from = 0; (from + WINDOW) * size <= values.length; from += HOP) {
    spectrum.clear();
    for (let column = 0; column < size; column += 2) {
      const at = (i: number): number => (from + i) * size + column;
      let [re, im] = [0, 0];
      for (let i = 0; i < WINDOW; i++) [re, im] = [re + values[at(i)]!, im + values[at(i) + 1]!];
      spectrum.add(values, at, re / WINDOW, im / WINDOW);
    }
    found.push(Array.from(spectrum.power.subarray(zero - shown, zero + shown + 1)));
  }
  return found;
}
