import { Value } from 'typebox/value';
import { conjugateMultiply } from '../../operators/conjugate-multiply/conjugate-multiply.js';
import { csiRatio } from '../../operators/csi-ratio/csi-ratio.js';
import { denoise } from '../../operators/denoise/denoise.js';
import { doppler } from '../../operators/doppler/doppler.js';
import { normalizeGain } from '../../operators/normalize-gain/normalize-gain.js';
import { passOnChange } from '../../operators/pass-on-change/pass-on-change.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { removeStatic } from '../../operators/remove-static/remove-static.js';
import { resample } from '../../operators/resample/resample.js';
import { selectSubcarriers } from '../../operators/select-subcarriers/select-subcarriers.js';
import { seededRandom } from '../../pipeline/base/random.js';
import { allocateBlock, csiLayout, type CsiBlock } from '../../pipeline/model/index.js';
import { median } from '../../operators/shared/median.js';
import type { Step } from '../accuracy/cleaning/frames.js';
import { benchContext } from '../shared/context.js';
import { spreadOf } from '../shared/spread.js';
import { FULL, silent, type Amount, type Progress } from './formats.js';

/** The cost of one step. */
export interface StepCost {
  readonly step: string;
  /** Frames of each measurement: fewer for slow steps. */
  readonly frames: number;
  /** Processor time, nanoseconds: the median, and of the fastest and the slowest measurement. */
  readonly nsPerFrame: number;
  readonly fastest: number;
  readonly slowest: number;
  /** The second measurement of each pair over the first, less one: a difference from 0 is measurement noise. */
  readonly control: number;
}

const methods = (component: Step['component'], field: string, names: readonly string[]) =>
  names.map((name) => ({ component, settings: { [field]: name } }));

const STEPS: readonly Step[] = [
  ...methods(denoise, 'method', ['hampel', 'median', 'savitzky-golay', 'butterworth', 'wavelet', 'pca']),
  ...methods(phaseSanitize, 'method', ['linear', 'spotfi', 'sharp']),
  { component: csiRatio },
  { component: conjugateMultiply },
  ...methods(normalizeGain, 'method', ['mean', 'steps']),
  { component: resample },
  { component: removeStatic },
  { component: selectSubcarriers },
  { component: doppler },
  { component: passOnChange },
];

/** Frames as sent by a card with three antennas: 56 subcarriers, 20 MHz, 100 per second. */
const FRAMES = 4096;
const PER_BLOCK = 64;
const STEP_US = 10_000;

export function stepCosts(
  amount: Amount = FULL,
  progress: Progress = silent,
  steps: readonly Step[] = STEPS,
): readonly StepCost[] {
  const blocks = madeFrames();
  return steps.map((each, index) => {
    const step = [each.component.name, ...Object.values(each.settings ?? {}).map(String)].join(' ');
    progress(`${step}, cleaning step ${index + 1} of ${steps.length}`);
    return { step, ...costOf(each, blocks, amount) };
  });
}

/**
 * Takes about three times `long`, however slow the step is: after the warm-up it is known how many blocks fit. One
 * operator processes all of them, so that its window is full when it is measured.
 */
function costOf(
  { component, settings = {} }: Step,
  blocks: readonly CsiBlock[],
  { long, pairs: rounds }: Amount,
): Omit<StepCost, 'step'> {
  const config = Value.Default(component.config, { ...settings });
  const operator = component.create(config as never, benchContext(1));
  const frames = endless(blocks);
  const secondsOf = (count: number): number => {
    const next = Array.from({ length: count }, () => frames.next().value);
    const before = process.cpuUsage();
    for (const block of next) void operator.process(block, 'frames');
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  let [warm, used] = [0, 0];
  for (let next = 1; used < long; next *= 2) {
    used += secondsOf(next);
    warm += next;
  }
  const count = Math.max(1, Math.round((long / rounds / used) * warm));
  const once = () => (secondsOf(count) * 1e9) / (count * PER_BLOCK);
  const pairs = Array.from({ length: rounds }, () => [once(), once()] as const);
  const [nsPerFrame, fastest, slowest] = spreadOf(pairs.flat());
  const control = median(pairs.map(([first, again]) => again / first)) - 1;
  return { frames: count * PER_BLOCK, nsPerFrame, fastest, slowest, control };
}

/** The blocks again and again, each time later. */
function* endless(blocks: readonly CsiBlock[]): Generator<CsiBlock, never> {
  for (let shift = 0; ; shift += FRAMES * STEP_US)
    for (const block of blocks) yield { ...block, time: block.time.map((time) => time + shift) };
}

function madeFrames(): readonly CsiBlock[] {
  const carriers = Array.from({ length: 56 }, (_, i) => (i < 28 ? i - 28 : i - 27));
  const layout = csiLayout({
    rx: 3,
    tx: 1,
    subcarriers: carriers,
    bandwidthMhz: 20,
    centreMhz: 2437,
    training: 'ht-ltf',
  });
  const random = seededRandom(1, 'bench formats');
  return Array.from({ length: FRAMES / PER_BLOCK }, (_, b) => {
    const block = allocateBlock(layout, PER_BLOCK);
    block.rssi.fill(-50);
    block.noise.fill(-92);
    block.agc.fill(20);
    block.fftGain.fill(0);
    block.bits.fill(8);
    for (let i = 0; i < PER_BLOCK; i++) block.time[i] = (b * PER_BLOCK + i) * STEP_US;
    for (let i = 0; i < block.values.length; i++) block.values[i] = 20 + 10 * random();
    return block;
  });
}
