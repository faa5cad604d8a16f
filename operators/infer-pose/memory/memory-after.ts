import type { Scene } from '../inputs/scene.js';
import { BEAT_S, noMemory, type MemoryState, type Reading } from '../networks/memory-layers.js';
import type { Memory, Recall, Step } from './memory.js';

/** What a window leaves for the next one of its sequence. */
export interface MemoryAfter {
  readonly state: MemoryState;
  /** Seconds for which somebody has been there and kept still; 0: they move, or nobody is there. */
  readonly stillS: number;
  /** The memory from which windows are judged while they keep still; null: the present one. */
  readonly held: MemoryState | null;
}

export const NOTHING_YET: MemoryAfter = { state: noMemory(), stillS: 0, held: null };

/** Probability of walking below which somebody keeps still. */
export const STILL = 0.1;
/** Probability from which somebody is more likely there than not. */
export const THERE = 0.5;
/**
 * Seconds after which somebody who keeps still is judged by the memory that was left then: it was trained on rooms of
 * 75 s. In longer rests it drifts, until everybody lies, and elsewhere (docs/decisions/0165-an-older-memory-judges-rests.md).
 */
const HELD_AFTER_S = 20;
/**
 * Seconds in which the memory loses all but 1/e of itself while somebody walks: what it never forgets adds up, until it
 * no longer sees somebody who walks about. While nobody walks, nothing fades, since those who keep still show nothing
 * new (docs/decisions/0137-the-memory-fades.md).
 */
const FADE_S = 40;

/**
 * Adds one more window. The memory itself always continues, and says when somebody moves or is gone; only what is
 * reported of somebody who keeps still comes from the held one.
 * @param seconds since the window before
 */
export function nextMemory(
  memory: Memory,
  before: MemoryAfter,
  { reading, size }: { readonly reading: Reading; readonly size: Scene['size'] },
  seconds = BEAT_S,
): { readonly recall: Recall; readonly after: MemoryAfter } {
  const step = memory.step(before.state, reading, size);
  const { counts, alone } = step.recall;
  const isStill = 1 - counts[0]! >= THERE && alone.moving < STILL;
  const stillS = isStill ? before.stillS + seconds : 0;
  const held = isStill ? before.held : null;
  const state = faded(step, seconds);
  return {
    recall: held ? memory.step(held, reading, size).recall : step.recall,
    after: { state, stillS, held: held ?? (stillS >= HELD_AFTER_S ? state : null) },
  };
}

/** What is left of the memory for the next window. @param seconds since the window before */
export function faded({ state, recall }: Step, seconds = BEAT_S): MemoryState {
  const left = Math.exp((-seconds * recall.alone.moving) / FADE_S);
  const fade = (value: number): number => left * value;
  return { cells: state.cells.map(fade), room: state.room.map(fade) };
}
