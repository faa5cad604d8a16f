import {
  frameSize,
  SILENT_AFTER_US,
  type CsiBlock,
  type CsiLayout,
  type Environment,
  type Provenance,
  type Window,
  type WindowLink,
} from '../../pipeline/model/index.js';
import { LinkGrid, type Grid, type LinkGridState } from './link-grid.js';

export interface WindowGrid extends Grid {
  /** Points of a window. */
  readonly points: number;
  /** Points from the start of a window to the start of the next. */
  readonly hop: number;
  /** A link is idle when it lies this far behind the newest frame of its environment, microseconds. */
  readonly idle: number;
  /** Training fields in order of preference. */
  readonly training: readonly CsiLayout['training'][];
}

export interface EnvironmentGridState {
  readonly environment: string;
  readonly next: number | null;
  readonly index: number;
  readonly clock: number;
  readonly closed: number;
  /** Absent in checkpoints up to 0.5.0. */
  readonly since?: number;
  readonly links: readonly LinkGridState[];
}

/**
 * Where in a hop the windows of the first, second, ... environment start; the ninth is like the first. So
 * windows of a few environments do not wait for each other at the network, and those of many still end in
 * groups, which cost less than one by one. An environment keeps its phase when others are added after it.
 */
const PHASES = [0, 1 / 2, 1 / 4, 3 / 4, 1 / 8, 5 / 8, 3 / 8, 7 / 8];

const NONE: readonly string[] = [];

/** Why a frame was rejected; null: it was used, or belongs to an ignored training field. */
export type Refusal = 'late' | 'not_finite' | 'other_layout' | null;

/**
 * The links of one environment on one grid. A window closes when every link that is not idle has a frame at
 * its end or later. So it waits one period for the slowest link, and at most `idle` for one that fell silent.
 *
 * Every decision is made frame by frame, in the order of arrival: never by blocks or by a clock.
 */
export class EnvironmentGrid {
  readonly #environment: Environment;
  readonly #grid: WindowGrid;
  /** Points from a multiple of the hop to the start of a window. */
  readonly #phase: number;
  readonly #provenance: Provenance;
  /** In the order of the environment's links; undefined before the first frame. */
  readonly #links: (LinkGrid | undefined)[];
  /** Number of the first point of the next window; null before the first frame. */
  #next: number | null = null;
  #index = 0;
  /** The newest event time, from frames or watermarks. */
  #clock = 0;
  /** Frames before it are late: the end of the last closed window. */
  #closed = 0;
  /** Event time of the newest frame of all links. */
  #newest = -Infinity;
  /** Event time of the first frame, or of the first one after a silence of all links. */
  #since = -Infinity;

  /** @param number of the environment in its topology, from 0 */
  constructor(environment: Environment, number: number, grid: WindowGrid, provenance: Provenance) {
    this.#environment = environment;
    this.#grid = grid;
    this.#phase = Math.floor(PHASES[number % PHASES.length]! * grid.hop);
    this.#provenance = provenance;
    this.#links = environment.links.map(() => undefined);
  }

  /** All windows that end at or before this time are closed; undefined before the first frame. */
  get closedUntil(): number | undefined {
    if (this.#next === null) return undefined;
    return (this.#next + this.#grid.points - this.#grid.hop) * this.#grid.step;
  }

  /** A frame at this time or later may close a window; undefined before the first frame. */
  get nextEnd(): number | undefined {
    return this.#next === null ? undefined : this.#end(this.#next) * this.#grid.step;
  }

  /** All links that were heard, once none of them has sent for long enough to be silent; otherwise none. */
  get allSilent(): readonly string[] {
    if (this.#clock - this.#newest < SILENT_AFTER_US) return NONE;
    return this.#environment.links.flatMap(({ id }, index) => (this.#links[index] ? [id] : []));
  }

  /**
   * Adds frame `row` of a block, of the environment's link number `index`; appends windows that it closes to
   * `closed`.
   */
  add(index: number, block: CsiBlock, row: number, closed: Window[]): Refusal {
    const { layout, values } = block;
    const time = block.time[row]!;
    const size = frameSize(layout);
    const current = this.#links[index];
    const preference = this.#preference(current, layout, time);
    if (preference !== 'use') return preference === 'ignore' ? null : 'other_layout';
    if (!isFinite(time) || !allFinite(values, row * size, size)) return 'not_finite';
    if (time < (current?.newest ?? -Infinity) || time < this.#closed) return 'late';

    this.#next ??= this.#startFrom(Math.ceil(time / this.#grid.step));
    // First the windows that need no more data of this link: after a long silence, no more stay open than fit
    // in the rings.
    this.advance(time, closed);
    const link =
      current?.layout.key === layout.key
        ? current
        : new LinkGrid(this.#id(index), layout, this.#grid, this.#next);
    this.#links[index] = link;
    link.add(time, values, row * size, block.rssi[row]!, this.#next);
    if (time - this.#newest >= SILENT_AFTER_US) this.#since = time;
    if (time > this.#newest) this.#newest = time;
    this.#close(closed);
    return null;
  }

  /** Event time is `time` at least. */
  advance(time: number, closed: Window[]): void {
    if (time > this.#clock) this.#clock = time;
    this.#close(closed);
  }

  /** Event time ends: closes the windows whose end the newest frame has reached. */
  finish(closed: Window[]): void {
    const clock = this.#clock;
    while (this.#next !== null && this.#end(this.#next) * this.#grid.step <= clock) this.#emit(closed);
  }

  /** Event time jumps: complete windows are closed, and the next frame starts a new grid. */
  beginAnew(closed: Window[]): void {
    this.finish(closed);
    this.#links.fill(undefined);
    this.#next = null;
    this.#clock = this.#closed = 0;
    this.#newest = this.#since = -Infinity;
  }

  snapshot(): EnvironmentGridState {
    const first = this.#next ?? 0;
    return {
      environment: this.#environment.id,
      next: this.#next,
      index: this.#index,
      clock: this.#clock,
      closed: this.#closed,
      since: this.#since,
      links: this.#links.flatMap((link) => (link ? [link.snapshot(first)] : [])),
    };
  }

  restore(state: EnvironmentGridState): void {
    this.#next = state.next;
    this.#index = state.index;
    this.#clock = state.clock;
    this.#closed = state.closed;
    this.#newest = state.links.reduce((newest, link) => Math.max(newest, link.newest), -Infinity);
    this.#since = state.since ?? state.clock;
    const saved = new Map(state.links.map((link) => [link.link, link]));
    this.#environment.links.forEach(({ id }, index) => {
      const link = saved.get(id);
      this.#links[index] = link && LinkGrid.restore(link, this.#grid);
    });
  }

  /**
   * A link uses one layout: the first of its best training field, and another of that field only once the
   * first is idle. Other training fields are estimates of the same packets, so ignoring them loses nothing.
   */
  #preference(current: LinkGrid | undefined, layout: CsiLayout, time: number): 'use' | 'ignore' | 'refuse' {
    const { training, idle } = this.#grid;
    const rank = training.indexOf(layout.training);
    if (rank < 0) return 'ignore';
    if (!current || current.layout.key === layout.key || time - current.newest > idle) return 'use';
    const used = training.indexOf(current.layout.training);
    return rank < used ? 'use' : rank > used ? 'ignore' : 'refuse';
  }

  #close(closed: Window[]): void {
    while (this.#next !== null) {
      const end = this.#end(this.#next) * this.#grid.step;
      if (end > this.#clock) return;
      const idle = this.#clock - this.#grid.idle;
      for (const link of this.#links) if (link && link.newest < end && link.newest >= idle) return;
      this.#emit(closed);
    }
  }

  /** Closes the next window; if all links have been silent since before it, all ended ones. */
  #emit(closed: Window[]): void {
    const { points, hop, step } = this.#grid;
    const first = this.#next!;
    const links: WindowLink[] = [];
    let silent: string[] | undefined;
    for (const [index, link] of this.#links.entries()) {
      link?.hold(first + points, first);
      const view = link?.window(first, points);
      if (view) links.push(view);
      else if (link && this.#isSilent(link, this.#end(first) * step)) (silent ??= []).push(this.#id(index));
    }
    if (links.length > 0)
      closed.push({
        port: 'window',
        environment: this.#environment.id,
        index: this.#index++,
        start: first * step,
        step,
        points,
        links,
        ...(silent && { silent }),
        provenance: this.#provenance,
      });
    this.#next = first + hop;
    if (this.#newest < this.#next * step) {
      const ended = Math.floor(this.#clock / step) - points;
      this.#next = Math.max(this.#next, this.#startFrom(ended + 1));
    }
    this.#closed = (this.#next + points - hop) * step;
  }

  /**
   * Whether a link that was heard has sent nothing for long enough before this time. One that was never heard may
   * belong to another node. While all were silent, none is to blame: each has as long again once the first one is back.
   */
  #isSilent({ newest }: LinkGrid, time: number): boolean {
    return time - Math.max(this.#since, newest) >= SILENT_AFTER_US;
  }

  /** The first point at which a window may start, from this one on. */
  #startFrom(point: number): number {
    const { hop } = this.#grid;
    return Math.ceil((point - this.#phase) / hop) * hop + this.#phase;
  }

  #end(first: number): number {
    return first + this.#grid.points;
  }

  #id(index: number): string {
    return this.#environment.links[index]!.id;
  }
}

/** The sum of finite Float32 values is finite; one that is not finite makes the sum not finite too. */
function allFinite(values: Float32Array, at: number, size: number): boolean {
  let sum = 0;
  for (let i = at; i < at + size; i++) sum += values[i]! * 0;
  return sum === 0;
}
