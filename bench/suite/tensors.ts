import type { Environment, Window, WindowLink } from '../../pipeline/model/index.js';
import type { Grid } from './clips.js';
import { BREATH_POINTS, CARRIERS, CLIP_POINTS, ROOM_LINKS, WINDOW_POINTS } from './contracts.js';
import type { Tensor } from './task.js';

/** Resamples carriers to another number by linear interpolation. */
function toCarriers(
  from: ArrayLike<number>,
  at: number,
  count: number,
  into: Float32Array,
  to: number,
): void {
  for (let k = 0; k < CARRIERS; k++) {
    const rank = (k * (count - 1)) / (CARRIERS - 1);
    const below = Math.min(count - 1, Math.floor(rank));
    const next = Math.min(count - 1, below + 1);
    const [a, b] = [from[at + below]!, from[at + next]!];
    into[to + k] = a + (rank - below) * (b - a);
  }
}

/** Divided by its mean, so that a model sees the same scale for every receiver. Zeros stay zeros. */
function overMean(data: Float32Array): Float32Array {
  let sum = 0;
  for (const value of data) sum += value;
  const mean = sum / data.length;
  return mean > 0 ? data.map((value) => value / mean) : data;
}

/** A clip in the layout of the clip contracts. */
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

export const WINDOW_S = 2;

/** The first antenna's window of 2 s that ends at a time, in the layout of the contracts of seconds. */
export function windowTensor(
  { start, step, amplitude, points, antennas, carriers }: Grid,
  end: number,
): Tensor {
  const data = new Float32Array(WINDOW_POINTS * CARRIERS);
  const until = Math.round((end - start) / step);
  for (let t = 0; t < WINDOW_POINTS; t++) {
    const from = Math.max(0, Math.min(points - 1, until - WINDOW_POINTS + t));
    toCarriers(amplitude, from * antennas * carriers, carriers, data, t * CARRIERS);
  }
  return { shape: [WINDOW_POINTS, CARRIERS], data: overMean(data) };
}

export const geometryTensor = ({ links }: Environment): Tensor => ({
  shape: [ROOM_LINKS, 6],
  data: Float32Array.from(links.flatMap(({ transmitter, receiver }) => [...transmitter, ...receiver])),
});

export const sizeTensor = ({ size }: Environment): Tensor => ({
  shape: [3],
  data: Float32Array.of(size.x, size.y, size.z),
});

/** The window of a room with several links, in the layout of its contract; zeros if there is none. */
export function roomTensor({ links }: Environment, window: Window | undefined): Tensor {
  const data = new Float32Array(ROOM_LINKS * WINDOW_POINTS * CARRIERS);
  links.forEach(({ id }, rank) => {
    const link = window?.links.find((one) => one.id === id);
    for (let t = 0; link && t < WINDOW_POINTS; t++)
      toCarriers(
        firstAntenna(link, t),
        0,
        link.subcarriers.length,
        data,
        (rank * WINDOW_POINTS + t) * CARRIERS,
      );
  });
  return { shape: [ROOM_LINKS, WINDOW_POINTS, CARRIERS], data: overMean(data) };
}

/** The last 30 s before a time: the mean of the new part of each window. */
export function breathTensor({ links }: Environment, windows: readonly Window[], end: number): Tensor {
  const data = new Float32Array(ROOM_LINKS * BREATH_POINTS * CARRIERS);
  const until = windows.findLastIndex(({ start, points, step }) => start + points * step <= end);
  const row = new Float32Array(CARRIERS);
  for (let t = 0; t < BREATH_POINTS; t++) {
    const window = windows[until - BREATH_POINTS + 1 + t];
    links.forEach(({ id }, rank) => {
      const link = window?.links.find((one) => one.id === id);
      for (let point = WINDOW_POINTS - HOP; link && point < WINDOW_POINTS; point++) {
        toCarriers(firstAntenna(link, point), 0, link.subcarriers.length, row, 0);
        for (let k = 0; k < CARRIERS; k++) data[(rank * BREATH_POINTS + t) * CARRIERS + k]! += row[k]! / HOP;
      }
    });
  }
  return { shape: [ROOM_LINKS, BREATH_POINTS, CARRIERS], data: overMean(data) };
}

/** Points from a window of the shipped topologies to the next: 0.2 s. */
const HOP = 10;

/** Amplitudes of the first antenna at a point. */
function firstAntenna({ values, rx, tx, subcarriers }: WindowLink, point: number): Float64Array {
  const from = 2 * point * rx * tx * subcarriers.length;
  return Float64Array.from(subcarriers, (_, k) =>
    Math.hypot(values[from + 2 * k]!, values[from + 2 * k + 1]!),
  );
}
