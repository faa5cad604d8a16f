import type { Output, RawBatch } from '../../pipeline/component/index.js';
import { adr018 } from '../../pipeline/formats/devices/adr018/adr018.js';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { RawBuilder } from '../../pipeline/formats/contract/raw-builder.js';
import type { Data } from '../../pipeline/model/index.js';
import { benchContext } from '../shared/context.js';
import { BLOCK, createSteps, median } from './bench-line.js';

/** Speed of decode, denoise, phase-sanitize and window on one core. */
export interface ChainSpeed {
  readonly bins: number;
  /** Medians over the rounds, processor time; steps are added cumulatively. */
  readonly microsecondsPerFrame: {
    readonly decode: number;
    readonly denoise: number;
    readonly phase: number;
    readonly window: number;
  };
  readonly framesPerSecond: number;
  /**
   * The same chain measured again in each round, over the first: a difference from 1 is measurement noise.
   */
  readonly control: number;
}

/** That send in turn. */
export const LINKS = 20;
const BATCHES = 100;
const PERIOD_US = 10_000;
/** Position of `window` among the operators. */
const WINDOW = 2;

/** Twenty links at 100 frames/s in batches of 64; each round runs the chain with one, two, three and four steps, and once more with four. */
export function chainSpeed(bins: 64 | 256, rounds = 9): ChainSpeed {
  const times: number[][] = [[], [], [], [], []];
  run(4, bins, 0);
  for (let round = 1; round <= rounds; round++)
    for (const [i, steps] of [1, 2, 3, 4, 4].entries()) times[i]!.push(run(steps, bins, round));
  const [decode, two, three, four] = times.map(median) as [number, number, number, number];
  return {
    bins,
    microsecondsPerFrame: { decode, denoise: two, phase: three, window: four },
    framesPerSecond: 1e6 / four,
    control: median(times[4]!.map((time, i) => time / times[3]![i]!)),
  };
}

/** Microseconds of processor time per frame with the first `steps` steps. */
function run(steps: number, bins: number, round: number): number {
  const context = benchContext(LINKS);
  const decoder = adr018.decoder(context);
  const operators = createSteps(context).slice(0, steps - 1);
  const batches = Array.from({ length: BATCHES }, (_, i) => madeBatch(bins, round * BATCHES + i));
  const before = process.cpuUsage();
  for (const raw of batches) {
    let data: readonly Data[] = decoder.decode(raw).data.filter(({ port }) => port === 'csi');
    for (const operator of operators)
      data = data.flatMap((block) => (operator.process(block, 'bench') as Output<Data>).data);
    operators[WINDOW]?.watermark?.(raw.time[raw.count - 1]!);
  }
  const used = process.cpuUsage(before);
  return (used.user + used.system) / (BATCHES * BLOCK);
}

/** Datagrams of a slowly changing channel, each with a random phase. */
export function madeBatch(bins: number, index: number): RawBatch {
  const builder = new RawBuilder(BLOCK, 'simulated');
  for (let i = 0; i < BLOCK; i++) {
    const k = index * BLOCK + i;
    const phase = (k * 2.399963) % (2 * Math.PI);
    const pairs = new Int8Array(bins * 2);
    for (let bin = 0; bin < bins; bin++) {
      const noise = ((k * 7919 + bin * 104_729) % 97) / 97 - 0.5;
      const amplitude = 40 + 20 * Math.sin(bin / 9 + k / 2000) + 4 * noise;
      pairs[2 * bin] = Math.round(amplitude * Math.sin(phase + bin * 0.07));
      pairs[2 * bin + 1] = Math.round(amplitude * Math.cos(phase + bin * 0.07));
    }
    const frame = {
      node: k % LINKS,
      bins,
      mhz: 2437,
      sequence: Math.floor(k / LINKS),
      rssi: -40,
      noise: -90,
    };
    const time = 1.7e15 + (k * PERIOD_US) / LINKS;
    builder.add(time, encodePairs(frame, pairs), 0, undefined, `10.0.0.${k % LINKS}:4000`);
  }
  return builder.take();
}
