import { COUNTS } from '../../operators/infer-pose/networks/layers.js';
import { MEMORY_OFFSETS } from '../../operators/infer-pose/networks/memory-layers.js';

/**
 * Odds of three people and more, against two. In the rooms of the training they are as common as two, because the
 * network must learn to count them; where people live, they are rarer.
 */
export const CROWD_ODDS = 1 / 2;

/** The memory network's weights, with the odds of three people and more multiplied by `odds`. */
export function withCrowdOdds(weights: Float32Array, odds: number): Float32Array {
  const { bias } = MEMORY_OFFSETS.get('count')!;
  const shifted = weights.slice();
  for (let people = 3; people < COUNTS; people++) shifted[bias + people]! += Math.log(odds);
  return shifted;
}
