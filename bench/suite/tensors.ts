import type { Grid } from './clips.js';
import { CARRIERS, CLIP_POINTS } from './contracts.js';
import type { Tensor } from './task.js';

/** Carriers brought to another number: straight lines between those that are there. */
export function toCarriers(
  from: ArrayLike<number>,
  at: number,
  count: number,
  into: Float32Array,
  to: number,
): void {
  for (let k = 0; k < CARRIERS; k++) {
    const place = (k * (count - 1)) / (CARRIERS - 1);
    const below = Math.min(count - 1, Math.floor(place));
    const next = Math.min(count - 1, below + 1);
    const [a, b] = [from[at + below]!, from[at + next]!];
    into[to + k] = a + (place - below) * (b - a);
  }
}

/** Over its mean, so that a model sees the same of every receiver. Zeros stay zeros. */
export function overMean(data: Float32Array): Float32Array {
  let sum = 0;
  for (const value of data) sum += value;
  const mean = sum / data.length;
  return mean > 0 ? data.map((value) => value / mean) : data;
}

/** A clip as the contracts of clips have it. */
export function clipTensor({ amplitude, points, antennas, carriers }: Grid): Tensor {
  const data = new Float32Array(CLIP_POINTS * antennas * CARRIERS);
  const skipped = Math.max(0, (points - CLIP_POINTS) >> 1);
  for (let t = 0; t < CLIP_POINTS; t++) {
    const from = Math.min(points - 1, skipped + t);
    for (let antenna = 0; antenna < antennas; antenna++)
      toCarriers(
        amplitude,
        (from * antennas + antenna) * carriers,
        carriers,
        data,
        (t * antennas + antenna) * CARRIERS,
      );
  }
  return { shape: [CLIP_POINTS, antennas, CARRIERS], data: overMean(data) };
}
