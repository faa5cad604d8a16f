import { denoise } from '../../../operators/denoise/denoise.js';
import { normalizeGain } from '../../../operators/normalize-gain/normalize-gain.js';
import { selectSubcarriers } from '../../../operators/select-subcarriers/select-subcarriers.js';
import { median } from '../../../operators/shared/median.js';
import { frameSize, type CsiBlock } from '../../../pipeline/model/index.js';
import { rocAuc } from '../statistics.js';
import { through, type Step } from './frames.js';

/** Frames of a stretch that is judged separately: half a second. */
const STRETCH = 50;

const NULLS: Step = { component: selectSubcarriers };
const HAMPEL: Step = { component: denoise };
const MEAN: Step = { component: normalizeGain, settings: { method: 'mean' } };
const LOW_PASS: Step = {
  component: denoise,
  settings: { method: 'butterworth', high_hz: 10, rate_hz: 100 },
};

/** Chains in the terms of a topology. All of them drop null subcarriers. */
export const CHAINS: Readonly<Record<string, readonly Step[]>> = {
  none: [NULLS],
  'denoise hampel': [NULLS, HAMPEL],
  'normalize-gain mean': [NULLS, MEAN],
  'normalize-gain mean, denoise hampel': [NULLS, MEAN, HAMPEL],
  'normalize-gain mean, butterworth to 10 Hz': [NULLS, MEAN, LOW_PASS],
  'normalize-gain mean, denoise pca': [NULLS, MEAN, { component: denoise, settings: { method: 'pca' } }],
};

/** How well stretches of movement separate from those of the empty room. */
export interface Separation {
  readonly chain: string;
  /** Median of the movement's stretches over that of the baseline's. */
  readonly times: number;
  /** Probability that a stretch of movement has more than one of the baseline. */
  readonly auc: number;
}

export const separation = (
  baseline: readonly CsiBlock[],
  movement: readonly CsiBlock[],
): readonly Separation[] =>
  Object.entries(CHAINS).map(([chain, steps]) => {
    const of = (blocks: readonly CsiBlock[]): readonly number[] =>
      blocks.flatMap((block) => unrest(through(steps, [block]) as readonly CsiBlock[]));
    const [still, moved] = [of(baseline), of(movement)];
    return { chain, times: median(moved) / median(still), auc: rocAuc(moved, still) };
  });

/** Standard deviation of the amplitude over its mean in each stretch, averaged over subcarriers. */
function unrest(blocks: readonly CsiBlock[]): readonly number[] {
  const size = frameSize(blocks[0]!.layout);
  const rows = blocks.flatMap((block) =>
    Array.from({ length: block.count }, (_, i) => block.values.subarray(i * size, (i + 1) * size)),
  );
  return Array.from({ length: Math.floor(rows.length / STRETCH) }, (_, stretch) => {
    const part = rows.slice(stretch * STRETCH, (stretch + 1) * STRETCH);
    let sum = 0;
    for (let column = 0; column < size; column += 2) {
      const amplitudes = part.map((row) => Math.hypot(row[column]!, row[column + 1]!));
      const mean = amplitudes.reduce((total, value) => total + value, 0) / STRETCH;
      const power = amplitudes.reduce((total, value) => total + (value - mean) ** 2, 0) / STRETCH;
      sum += mean > 0 ? Math.sqrt(power) / mean : 0;
    }
    return sum / (size / 2);
  });
}
