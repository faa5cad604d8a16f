import {
  csiLayout,
  frameSize,
  type CsiLayout,
  type LayoutFields,
  type WindowLink,
} from '../../pipeline/model/index.js';
import { layoutSnapshot } from '../shared/per-link.js';
import { blend } from '../shared/blend.js';
import { LinkMeter, type LinkMeterState } from './link-quality.js';

/** The grid to which all links are resampled. */
export interface Grid {
  /** Microseconds between points; point i lies at i * step since 1970. */
  readonly step: number;
  /** Stored points per link: those of an open window, plus its lead over the slowest link. */
  readonly capacity: number;
  /** A hole longer than this number of usual periods is not interpolated. */
  readonly maxGapPeriods: number;
  /** A hole longer than this is never interpolated, microseconds. */
  readonly maxGap: number;
}

/** Weight of the newest interval in a link's usual period. */
const PERIOD_WEIGHT = 1 / 32;

export interface LinkGridState {
  readonly link: string;
  readonly layout: LayoutFields;
  readonly newest: number;
  readonly period: number;
  readonly last: Float32Array;
  /** Number of the first stored point, and the content of the points in order. */
  readonly from: number;
  readonly values: Float32Array;
  readonly gaps: Uint8Array;
  readonly frames: Uint16Array;
  readonly rssi: Float32Array;
  readonly meter: LinkMeterState;
}

/**
 * One link's frames on the grid: each frame is resampled once, on arrival, and windows copy the result.
 *
 * Between two frames the amplitude is linear in time, and the phase takes the shorter way round (the
 * direction of the linear mean of both values). Interpolating the complex value would reduce the amplitude
 * wherever the two phases differ, because of noise, movement or a turn missed by unwrapping; interpolating
 * the unwrapped phase would need the arctangent again, without more information about the right direction.
 */
export class LinkGrid {
  readonly id: string;
  readonly layout: CsiLayout;
  /** Event time of the newest frame, microseconds. */
  newest: number;
  readonly #grid: Grid;
  readonly #size: number;
  readonly #meter: LinkMeter;
  /** The newest frame. */
  #last: Float32Array;
  /** Usual time between frames, microseconds; 0 before the second one. */
  #period = 0;
  /** Points below this one are resolved, as far as they are stored. */
  #resolved: number;

  // Rings over grid points.
  readonly #values: Float32Array;
  readonly #gaps: Uint8Array;
  readonly #frames: Uint16Array;
  /** Number of frames since the previous point. */
  readonly #rssi: Float32Array;

  /** @param first number of the first point wanted */
  constructor(id: string, layout: CsiLayout, grid: Grid, first: number) {
    this.id = id;
    this.layout = layout;
    this.newest = -Infinity;
    this.#grid = grid;
    this.#size = frameSize(layout);
    this.#meter = new LinkMeter(layout);
    this.#last = new Float32Array(this.#size);
    this.#resolved = first;
    this.#values = new Float32Array(grid.capacity * this.#size);
    this.#gaps = new Uint8Array(grid.capacity);
    this.#frames = new Uint16Array(grid.capacity);
    this.#rssi = new Float32Array(grid.capacity);
  }

  /**
   * Adds the next frame of the link, not older than the previous one.
   * @param values holds it from `at`: [rx, tx, subcarrier, (re, im)], finite @param first points below it are
   * no longer needed
   */
  add(time: number, values: Float32Array, at: number, rssi: number, first: number): void {
    const { step } = this.#grid;
    const interval = time - this.newest;
    const until = Math.floor(time / step) + 1;
    if (interval <= this.#longestHole()) this.#interpolate(time, values, at, until, first);
    else {
      // Before a link's first frame there is nothing to hold: those points get that frame.
      if (this.newest === -Infinity) copy(values, at, this.#last, 0, this.#size);
      this.hold(until, first);
      if ((until - 1) * step === time && until > first) this.#write(until - 1, values, at, 0);
    }
    if (interval <= this.#grid.maxGap)
      this.#period = this.#period > 0 ? this.#period + PERIOD_WEIGHT * (interval - this.#period) : interval;
    this.newest = time;
    this.#meter.add(values, at);
    copy(values, at, this.#last, 0, this.#size);
    if (until - 1 >= first) {
      const slot = (until - 1) % this.#grid.capacity;
      this.#frames[slot]!++;
      this.#rssi[slot]! += rssi;
    }
  }

  /** Fills the points below `until` with the newest frame, as gaps. */
  hold(until: number, first: number): void {
    for (let point = this.#begin(first); point < until; point++) this.#write(point, this.#last, 0, 1);
    this.#resolved = Math.max(this.#resolved, until);
  }

  /** The window of `points` points from `first`, all resolved; undefined if it contains no frame. */
  window(first: number, points: number): WindowLink | undefined {
    const { capacity } = this.#grid;
    let frames = 0;
    let rssi = 0;
    for (let point = first; point < first + points; point++) {
      frames += this.#frames[point % capacity]!;
      rssi += this.#rssi[point % capacity]!;
    }
    if (frames === 0) return undefined;
    return {
      id: this.id,
      layout: this.layout.key,
      rx: this.layout.rx,
      tx: this.layout.tx,
      subcarriers: this.layout.subcarriers,
      centreMhz: this.layout.centreMhz,
      values: unroll(this.#values, first, points, capacity, this.#size),
      gaps: unroll(this.#gaps, first, points, capacity, 1),
      frames,
      rssi: rssi / frames,
      quality: this.#meter.quality,
    };
  }

  /** A copy of the data needed for points from `first` on. */
  snapshot(first: number): LinkGridState {
    const { capacity } = this.#grid;
    const from = Math.min(Math.max(first, this.#resolved - capacity), this.#resolved);
    const points = this.#resolved - from;
    return {
      link: this.id,
      layout: layoutSnapshot(this.layout),
      newest: this.newest,
      period: this.#period,
      last: this.#last.slice(),
      from,
      values: unroll(this.#values, from, points, capacity, this.#size),
      gaps: unroll(this.#gaps, from, points, capacity, 1),
      frames: unroll(this.#frames, from, points, capacity, 1),
      rssi: unroll(this.#rssi, from, points, capacity, 1),
      meter: this.#meter.snapshot(),
    };
  }

  static restore(state: LinkGridState, grid: Grid): LinkGrid {
    const link = new LinkGrid(state.link, csiLayout(state.layout), grid, state.from);
    const { capacity } = grid;
    link.newest = state.newest;
    link.#period = state.period;
    link.#last = state.last.slice();
    link.#meter.restore(state.meter);
    for (let i = 0; i < state.gaps.length; i++) {
      const slot = (state.from + i) % capacity;
      link.#values.set(state.values.subarray(i * link.#size, (i + 1) * link.#size), slot * link.#size);
      link.#gaps[slot] = state.gaps[i]!;
      link.#frames[slot] = state.frames[i]!;
      link.#rssi[slot] = state.rssi[i]!;
    }
    link.#resolved = state.from + state.gaps.length;
    return link;
  }

  #interpolate(time: number, values: Float32Array, at: number, until: number, first: number): void {
    const { step, capacity } = this.#grid;
    for (let point = this.#begin(first); point < until; point++) {
      const weight = (point * step - this.newest) / (time - this.newest);
      const slot = point % capacity;
      blend(this.#last, values, at, weight, this.#values, slot * this.#size);
      this.#clear(slot, 0);
    }
    this.#resolved = Math.max(this.#resolved, until);
  }

  /** The first point to resolve. */
  #begin(first: number): number {
    return Math.max(this.#resolved, first);
  }

  #longestHole(): number {
    const { maxGap, maxGapPeriods } = this.#grid;
    return this.#period > 0 ? Math.min(maxGap, maxGapPeriods * this.#period) : maxGap;
  }

  #write(point: number, values: Float32Array, at: number, gap: 0 | 1): void {
    const slot = point % this.#grid.capacity;
    copy(values, at, this.#values, slot * this.#size, this.#size);
    this.#clear(slot, gap);
  }

  #clear(slot: number, gap: 0 | 1): void {
    this.#gaps[slot] = gap;
    this.#frames[slot] = 0;
    this.#rssi[slot] = 0;
  }
}

/** Faster than `set` with a view; called for every frame. */
function copy(from: Float32Array, at: number, to: Float32Array, start: number, count: number): void {
  for (let i = 0; i < count; i++) to[start + i] = from[at + i]!;
}

/** Rows `first` to `first + count` of a ring, in order, as a copy. */
function unroll<T extends Float32Array | Uint8Array | Uint16Array>(
  ring: T,
  first: number,
  count: number,
  capacity: number,
  size: number,
): T {
  const start = (first % capacity) * size;
  const head = Math.min(count * size, ring.length - start);
  if (head === count * size) return ring.slice(start, start + head) as T;
  const result = new (ring.constructor as new (length: number) => T)(count * size);
  result.set(ring.subarray(start, start + head));
  result.set(ring.subarray(0, count * size - head), head);
  return result;
}
