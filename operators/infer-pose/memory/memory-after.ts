import { BEAT_S, noMemory, type MemoryState } from '../networks/memory-layers.js';
import type { Step } from './memory.js';

/** What a window leaves for the next one of its sequence. */
export interface MemoryAfter {
  readonly state: MemoryState;
  /** Seconds for which somebody has been there and kept still; 0: they move, or nobody is there. */
  readonly stillS: number;
}

export const NOTHING_YET: MemoryAfter = { state: noMemory(), stillS: 0 };

/** Probability of walking below which somebody keeps still. */
export const STILL = 0.1;
/** Probability from which somebody is more likely there than not. */
export const THERE = 0.5;
/**
 * Seconds after which the memory of somebody who keeps still stays as it is: it was trained on rooms of 75 s. In longer
 * rests it drifts, until everybody lies, elsewhere, or is gone (docs/decisions/0165-the-memory-rests-with-people.md).
 */
const HELD_AFTER_S = 20;
/**
 * Seconds in which the memory loses all but 1/e of itself while somebody walks: what it never forgets adds up, until it
 * no longer sees somebody who walks about. While nobody walks, nothing fades, since those who keep still show nothing
 * new (docs/decisions/0137-the-memory-fades.md).
 */
const FADE_S = 40;

/** @param before what {@link step} started from @param seconds since the window before */
export function memoryAfter(before: MemoryAfter, step: Step, seconds = BEAT_S): MemoryAfter {
  const { counts, alone } = step.recall;
  const isStill = 1 - counts[0]! >= THERE && alone.moving < STILL;
  const stillS = isStill ? before.stillS + seconds : 0;
  return { state: stillS > HELD_AFTER_S ? before.state : faded(step, seconds), stillS };
}

function faded({ state, recall }: Step, seconds: number): MemoryState {
  const left = Math.exp((-seconds * recall.alone.moving) / FADE_S);
  const fade = (value: number): number => left * value;
  return { cells: state.cells.map(fade), room: state.room.map(fade) };
}
