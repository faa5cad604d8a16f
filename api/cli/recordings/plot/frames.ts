import type { RawBatch } from '../../../../pipeline/component/index.js';
import type { Decoder } from '../../../../pipeline/formats/index.js';
import { frameSize, type CsiLayout } from '../../../../pipeline/model/index.js';
import type { CsiBlock } from '../../../../pipeline/model/index.js';
import { wrapAngle } from '../../../../pipeline/base/angle.js';

/** Frames of one sender and layout, for a plot. */
export interface PlotFrames {
  readonly layout: CsiLayout;
  readonly count: number;
  /** Seconds since the first. */
  readonly time: Float64Array;
  /** dBm, NaN where unknown. */
  readonly rssi: Float32Array;
  /** [count, subcarrier]: mean over the antennas. */
  readonly amplitude: Float32Array;
  /** [count, subcarrier]: of the first antennas, radians, the line over the subcarriers taken out. */
  readonly phase: Float32Array;
  /** There are more, which are not plotted. */
  readonly isCut: boolean;
}

/** Largest number of stored amplitudes: a day of frames is not plotted completely. */
const MAX_VALUES = 24_000_000;

/** Collects the frames of a decoder's only link; the layout with the most frames is plotted. */
export class FrameCollector {
  readonly #decoder: Pick<Decoder, 'decode'>;
  readonly #blocks = new Map<string, CsiBlock[]>();
  #values = 0;
  #isCut = false;

  constructor(decoder: Pick<Decoder, 'decode'>) {
    this.#decoder = decoder;
  }

  see(raw: RawBatch): void {
    if (this.#isCut) return;
    for (const data of this.#decoder.decode(raw).data) {
      if (data.port !== 'csi') continue;
      const { key } = data.layout;
      this.#blocks.set(key, [...(this.#blocks.get(key) ?? []), data]);
      this.#values += data.values.length;
    }
    this.#isCut = this.#values > MAX_VALUES;
  }

  /** Null if there are none. */
  frames(): PlotFrames | null {
    const counted = [...this.#blocks.values()].map((blocks) => ({
      blocks,
      count: blocks.reduce((sum, block) => sum + block.count, 0),
    }));
    counted.sort((a, b) => b.count - a.count || width(b.blocks) - width(a.blocks));
    const most = counted[0];
    return most ? gathered(most.blocks, most.count, this.#isCut) : null;
  }
}

const width = ([first]: readonly CsiBlock[]): number => first!.layout.subcarriers.length;

function gathered(blocks: readonly CsiBlock[], count: number, isCut: boolean): PlotFrames {
  const { layout } = blocks[0]!;
  const tones = layout.subcarriers.length;
  const made = {
    time: new Float64Array(count),
    rssi: new Float32Array(count),
    amplitude: new Float32Array(count * tones),
    phase: new Float32Array(count * tones),
  };
  const first = blocks[0]!.time[0]!;
  let at = 0;
  for (const block of blocks)
    for (let i = 0; i < block.count; i++, at++) {
      made.time[at] = (block.time[i]! - first) / 1e6;
      made.rssi[at] = block.rssi[i]!;
      const size = frameSize(layout);
      const values = block.values.subarray(i * size, (i + 1) * size);
      meanAmplitude(values, made.amplitude.subarray(at * tones, (at + 1) * tones));
      flatPhase(values, layout.subcarriers, made.phase.subarray(at * tones, (at + 1) * tones));
    }
  return { layout, count, ...made, isCut };
}

function meanAmplitude(values: Float32Array, into: Float32Array): void {
  const antennas = values.length / 2 / into.length;
  for (let i = 0; i < values.length / 2; i++)
    into[i % into.length]! += Math.hypot(values[2 * i]!, values[2 * i + 1]!) / antennas;
}

/** Unwrapped over the subcarriers, less the least-squares line, wrapped again. */
function flatPhase(values: Float32Array, subcarriers: Int16Array, into: Float32Array): void {
  const count = into.length;
  for (let k = 0; k < count; k++) into[k] = Math.atan2(values[2 * k + 1]!, values[2 * k]!);
  for (let k = 1; k < count; k++) into[k] = into[k - 1]! + wrapAngle(into[k]! - into[k - 1]!);
  let [x, y, xx, xy] = [0, 0, 0, 0];
  for (let k = 0; k < count; k++) {
    x += subcarriers[k]! / count;
    y += into[k]! / count;
    xx += subcarriers[k]! ** 2 / count;
    xy += (subcarriers[k]! * into[k]!) / count;
  }
  const slope = xx > x * x ? (xy - x * y) / (xx - x * x) : 0;
  for (let k = 0; k < count; k++) into[k] = wrapAngle(into[k]! - y - slope * (subcarriers[k]! - x));
}
