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
import { cost } from '../accuracy/cleaning/cost.js';
import type { Step } from '../accuracy/cleaning/frames.js';
import type { Progress } from './formats.js';

/** The cost of one step. */
export interface StepCost {
  readonly step: string;
  /** Processor time, nanoseconds. */
  readonly nsPerFrame: number;
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

export function stepCosts(progress: Progress): readonly StepCost[] {
  const frames = madeFrames();
  return STEPS.map((each, index) => {
    const step = [each.component.name, ...Object.values(each.settings ?? {}).map(String)].join(' ');
    progress(`${step}, cleaning step ${index + 1} of ${STEPS.length}`);
    return { step, nsPerFrame: cost(each, frames) };
  });
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
    for (let i = 0; i < PER_BLOCK; i++) block.time[i] = (b * PER_BLOCK + i) * 10_000;
    for (let i = 0; i < block.values.length; i++) block.values[i] = 20 + 10 * random();
    return block;
  });
}
