import type { Window, WindowLink } from '../../../pipeline/model/index.js';
import { rateOf } from './shortage.js';
import { CHANNELS, Changes, MOTION, STEPS_PER_S, STEP_US, type ChangesState } from './changes.js';
import { DropFinder, type DropFinderState } from './drops.js';

/** Steps before and after the end of motion that are judged. */
export const BACK = 5 * STEPS_PER_S;
export const AHEAD = 10 * STEPS_PER_S;
/** Data known a second and a half after the end: four groups of the network, one of them after it. */
export const EARLY = { back: 45, ahead: 15 } as const;
const WHOLE = { back: BACK, ahead: AHEAD } as const;
/** A hole between windows after which everything restarts, microseconds. */
const MAX_HOLE_US = 2_000_000;
/** As long as an end of motion is judged, so that single windows do not decide. */
const RATE_STEPS = BACK + AHEAD;
/** Share of the steps whose motion must be known. */
const MIN_KNOWN = 0.6;
/** Steps relative to the end of motion between which its peak is searched. */
const PEAK = [-15, 3] as const;

/** A sudden end of a room's motion as seen by all its links, and what followed. */
export interface Impact {
  /** Event time of the end, microseconds. */
  readonly time: number;
  /** Whether it was reported early: `antennas` then holds the steps of {@link EARLY}. */
  readonly early: boolean;
  /** For each antenna, [step, channel]: {@link BACK} steps before the end and {@link AHEAD} after it. */
  readonly antennas: readonly Float32Array[];
  /** Links with enough data; two or more. */
  readonly links: number;
  /** Mean frames a second of the room's links over about the last {@link RATE_STEPS}; NaN: unknown. */
  readonly rateHz: number;
  /** Steps behind the least learnt noise floor. */
  readonly learnt: number;
  /** Highest motion of a link above its noise floor before the end, log10 of relative power. */
  readonly peak: number;
  /** Seconds of the last five in which a link saw more than half of that. */
  readonly duration: number;
}

/**
 * Tracks the changes of a room's links, and finds where all its motion ends together. Memory is bounded by
 * the number of antennas.
 */
export class Impacts {
  readonly #links = new Map<string, Changes[]>();
  readonly #drops = new DropFinder(AHEAD);
  readonly #early: DropFinder | null;
  /** Microseconds per grid point; 0 before the first window. */
  #grid = 0;
  /** Number of the next grid point, -1 before the first. */
  #next = -1;
  /** Frames a second of the links, averaged over about {@link RATE_STEPS}. */
  #rateHz = NaN;

  /** @param early whether each end of motion is also returned immediately, before the data after it is known */
  constructor(early = false) {
    this.#early = early ? new DropFinder(EARLY.ahead) : null;
  }

  /** Restarts the tracks with the next window; the noise floors stay. */
  restart(): void {
    this.#next = -1;
  }

  /** Adds the new part of a window; returns the resulting impacts, in order of time. */
  take(window: Window): Impact[] {
    const { step, points } = window;
    const first = Math.round(window.start / step);
    if (step !== this.#grid) this.#begin(step);
    if (this.#next < 0 || (first - this.#next) * step > MAX_HOLE_US) this.#restartAt(first);
    const found: Impact[] = [];
    for (; this.#next < first + points; this.#next++) {
      this.#push(window, this.#next - first);
      if (stepOf(this.#next + 1, step) > stepOf(this.#next, step)) found.push(...this.#end(window));
    }
    return found;
  }

  #begin(grid: number): void {
    this.#grid = grid;
    this.#next = -1;
    this.#links.clear();
  }

  #restartAt(point: number): void {
    this.#next = point;
    this.#drops.restart();
    this.#early?.restart();
    for (const antennas of this.#links.values()) for (const antenna of antennas) antenna.restart();
  }

  /** @param at index of the point in the window; negative if it lies before the window */
  #push({ links }: Window, at: number): void {
    for (const link of links) pushLink(this.#antennasOf(link), link, at);
    if (this.#links.size === links.length) return;
    const here = new Set(links.map(({ id }) => id));
    for (const [id, antennas] of this.#links)
      if (!here.has(id)) for (const antenna of antennas) antenna.skip();
  }

  #antennasOf({ id, rx, tx, subcarriers }: WindowLink): Changes[] {
    const known = this.#links.get(id);
    if (known?.length === rx * tx && known[0]!.subcarriers === subcarriers.length) return known;
    const made = Array.from({ length: rx * tx }, () => new Changes(subcarriers.length, this.#grid));
    this.#links.set(id, made);
    return made;
  }

  #end(window: Window): Impact[] {
    const { points, step: grid, links } = window;
    const step = stepOf(this.#next, grid);
    const spacing = new Map(links.map(({ id, frames }) => [id, (points * grid) / frames]));
    this.#follow(rateOf(window));
    let [sum, count] = [0, 0];
    for (const [id, antennas] of this.#links) {
      for (const antenna of antennas) {
        antenna.end(step, spacing.get(id) ?? Infinity);
        const motion = antenna.motion(step);
        if (Number.isNaN(motion)) continue;
        sum += motion;
        count++;
      }
    }
    const motion = count === 0 ? NaN : sum / count;
    return [this.#impactOf(this.#drops, step, motion), this.#impactOf(this.#early, step, motion)].filter(
      (impact) => impact !== null,
    );
  }

  /** A window in which all links are silent has no rate. */
  #follow(rateHz: number): void {
    if (Number.isNaN(this.#rateHz)) this.#rateHz = rateHz;
    else if (!Number.isNaN(rateHz)) this.#rateHz += (rateHz - this.#rateHz) / RATE_STEPS;
  }

  #impactOf(finder: DropFinder | null, step: number, motion: number): Impact | null {
    const drop = finder?.follow(step, motion) ?? null;
    return drop === null ? null : this.#impact(drop, finder === this.#early);
  }

  /** Null if fewer than two links have enough data. */
  #impact(drop: number, early: boolean): Impact | null {
    const { back, ahead } = early ? EARLY : WHOLE;
    const seen = [...this.#links.values()].map((antennas) =>
      antennas
        .filter(({ learnt }) => learnt > 0)
        .map((antenna) => ({
          learnt: antenna.learnt,
          changes: antenna.between(drop - back, drop + ahead, antenna.floors()),
        }))
        .filter(({ changes }) => isKnown(changes)),
    );
    const links = seen.filter((antennas) => antennas.length > 0).length;
    if (links < 2) return null;
    const antennas = seen.flat();
    return {
      time: (drop + 1) * STEP_US,
      early,
      links,
      rateHz: this.#rateHz,
      learnt: Math.min(...antennas.map(({ learnt }) => learnt)),
      antennas: antennas.map(({ changes }) => changes),
      ...burstOf(
        antennas.map(({ changes }) => changes),
        back,
      ),
    };
  }

  snapshot(): ImpactsState {
    return {
      grid: this.#grid,
      next: this.#next,
      rateHz: this.#rateHz,
      drops: this.#drops.snapshot(),
      early: this.#early?.snapshot() ?? null,
      links: [...this.#links].map(([id, antennas]) => ({ id, antennas: antennas.map((a) => a.snapshot()) })),
    };
  }

  restore(state: ImpactsState): void {
    this.#grid = state.grid;
    this.#next = state.next;
    this.#rateHz = state.rateHz ?? NaN;
    this.#drops.restore(state.drops);
    if (state.early) this.#early?.restore(state.early);
    this.#links.clear();
    for (const { id, antennas } of state.links)
      this.#links.set(
        id,
        antennas.map((antenna) => Changes.restore(antenna, state.grid)),
      );
  }
}

export interface ImpactsState {
  readonly grid: number;
  readonly next: number;
  /** Missing in states of earlier versions. */
  readonly rateHz?: number;
  readonly drops: DropFinderState;
  /** Missing in states of earlier versions. */
  readonly early?: DropFinderState | null;
  readonly links: readonly { readonly id: string; readonly antennas: readonly ChangesState[] }[];
}

/** The step that contains a grid point. */
const stepOf = (point: number, grid: number): number => Math.floor((point * grid) / STEP_US);

function pushLink(antennas: readonly Changes[], { values, gaps, subcarriers }: WindowLink, at: number): void {
  const width = subcarriers.length * 2;
  antennas.forEach((antenna, i) => {
    if (at < 0) antenna.skip();
    else antenna.push(values, (at * antennas.length + i) * width, gaps[at] !== 0);
  });
}

function isKnown(changes: Float32Array): boolean {
  let known = 0;
  for (let at = MOTION; at < changes.length; at += CHANNELS) if (!Number.isNaN(changes[at]!)) known++;
  return known >= MIN_KNOWN * (changes.length / CHANNELS);
}

/** @param back steps before the end of motion */
function burstOf(antennas: readonly Float32Array[], back: number): Pick<Impact, 'peak' | 'duration'> {
  const top = Array.from({ length: antennas[0]!.length / CHANNELS }, (_, step) =>
    Math.max(0, ...antennas.map((changes) => changes[step * CHANNELS + MOTION]!).filter(Number.isFinite)),
  );
  const [from, to] = [back + PEAK[0], back + PEAK[1]];
  const peak = Math.max(...top.slice(from, to));
  const duration = top.slice(0, to).filter((value) => value > peak / 2).length / STEPS_PER_S;
  return { peak, duration };
}
