import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Logger } from '../../../pipeline/component/index.js';
import { HEAD_BYTES, type FileFormat, type Format } from '../../../pipeline/formats/contract/format.js';
import { RawBuilder } from '../../../pipeline/formats/contract/raw-builder.js';
import { LinkTable, type CsiBlock, type Environment } from '../../../pipeline/model/index.js';
import { RATE_HZ } from '../motion/tracks.js';
import { viewOf } from '../../../pipeline/base/view-of.js';
import { amplitudeAt } from '../../shared/amplitude.js';

/** Amplitudes of one link on the 20 Hz grid: the input of training and evaluation. */
export interface Recording {
  /** An antenna counts once for each shift of the grid, see `Resampler`. */
  readonly antennas: number;
  readonly subcarriers: number;
  readonly samples: number;
  /** [sample, antenna, subcarrier]. */
  readonly amplitudes: Float32Array;
  /** One per sample: 1 if no frame was within one step of the grid. */
  readonly gaps: Uint8Array;
}

/** Reads a file of one link, gzipped if its name ends in `.gz`; uses frames of the first layout. */
export function readRecording(path: string, file: FileFormat, format: Format): Recording {
  const bytes = readWhole(path);
  const { cutter } = file.open(bytes.subarray(0, HEAD_BYTES));
  const decoder = format.decoder({ links: new LinkTable([ANY_LINK]), metrics: NO_METRICS, log: NO_LOG });
  const builder = new RawBuilder(65_536, 'replay');
  const blocks: CsiBlock[] = [];
  for (let at = 0; at < bytes.length;) {
    const taken = cutter.cut(bytes.subarray(at), builder, at, true);
    at += taken;
    for (const data of decoder.decode(builder.take()).data) if (data.port === 'csi') blocks.push(data);
    if (taken === 0) break;
  }
  return ofBlocks(blocks);
}

function ofBlocks(blocks: readonly CsiBlock[]): Recording {
  const layout = blocks[0]?.layout;
  if (!layout)
    return {
      antennas: 1,
      subcarriers: 1,
      samples: 0,
      amplitudes: new Float32Array(0),
      gaps: new Uint8Array(0),
    };
  const same = blocks.filter((block) => block.layout.key === layout.key);
  const width = layout.rx * layout.tx * layout.subcarriers.length;
  const count = same.reduce((sum, block) => sum + block.count, 0);
  const times = new Float64Array(count);
  const amplitudes = new Float32Array(count * width);
  let row = 0;
  for (const block of same) {
    times.set(block.time, row);
    for (let i = 0; i < block.count * width; i++) {
      amplitudes[row * width + i] = amplitudeAt(block.values, 2 * i);
    }
    row += block.count;
  }
  return onGrid(times, amplitudes, layout.rx * layout.tx, layout.subcarriers.length);
}

/** The nearest frame to each point of the 20 Hz grid, from the first frame to the last. `times` in microseconds, ascending. */
export function onGrid(
  times: ArrayLike<number>,
  amplitudes: Float32Array,
  antennas: number,
  subcarriers: number,
): Recording {
  const step = 1e6 / RATE_HZ;
  const width = antennas * subcarriers;
  const first = Math.ceil(times[0]! / step);
  const samples = Math.floor(times[times.length - 1]! / step) - first + 1;
  const grid = new Float32Array(Math.max(0, samples) * width);
  const gaps = new Uint8Array(Math.max(0, samples));
  for (let i = 0, nearest = 0; i < samples; i++) {
    const time = (first + i) * step;
    while (
      nearest + 1 < times.length &&
      Math.abs(times[nearest + 1]! - time) <= Math.abs(times[nearest]! - time)
    ) {
      nearest++;
    }
    gaps[i] = Math.abs(times[nearest]! - time) > step ? 1 : 0;
    grid.set(amplitudes.subarray(nearest * width, (nearest + 1) * width), i * width);
  }
  return { antennas, subcarriers, samples: gaps.length, amplitudes: grid, gaps };
}

/** A numpy file of float64 [subcarrier, frame] at `rateHz`: the format of esp32-continuous. */
export function readNumpy(path: string, rateHz: number): Recording {
  const bytes = readWhole(path);
  const view = viewOf(bytes);
  const start = 10 + view.getUint16(8, true);
  const header = Buffer.from(bytes.subarray(10, start)).toString('latin1');
  const shape = /'descr': '<f8', 'fortran_order': False, 'shape': \((\d+), (\d+)\)/.exec(header);
  if (!shape)
    throw new Error(`${path}: expected a numpy array of float64 [subcarrier, frame], found ${header.trim()}`);
  const subcarriers = Number(shape[1]);
  const frames = Number(shape[2]);
  const amplitudes = new Float32Array(frames * subcarriers);
  for (let k = 0; k < subcarriers; k++) {
    for (let n = 0; n < frames; n++) {
      amplitudes[n * subcarriers + k] = view.getFloat64(start + 8 * (k * frames + n), true);
    }
  }
  const times = Float64Array.from({ length: frames }, (_, n) => (n * 1e6) / rateHz);
  return onGrid(times, amplitudes, 1, subcarriers);
}

function readWhole(path: string): Uint8Array {
  const bytes = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

const ANY_LINK: Environment = {
  id: 'recording',
  size: { x: 5, y: 4, z: 2.5 },
  links: [{ id: 'link', transmitter: [0, 0, 1], receiver: [5, 4, 1], sender: '*' }],
  walls: [],
  zones: [],
  timezone: 'UTC',
  assumed: [],
};

const ignore = (): void => undefined;
const NO_METRICS = { dropped: ignore, missing: ignore, failed: ignore, gauge: ignore, count: ignore };
const NO_LOG: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
