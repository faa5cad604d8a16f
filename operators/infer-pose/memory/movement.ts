import type { Window } from '../../../pipeline/model/index.js';
import { isMeasured, linkMotion, motionOf } from '../../shared/link-motion.js';
import { MAX_BREAK_US } from './confirmation.js';
import { BEAT_S } from '../networks/memory-layers.js';

/**
 * Confirms people over one or two links by their movement. So few links hardly distinguish somebody who keeps
 * still from an empty room, but any link shows movement. So somebody counts once something has moved, and for as
 * long as something moves now and then.
 */

/** Standing of a room with few links after a window. */
export interface Movement {
  /** Event time of the window, microseconds. */
  readonly time: number;
  /** 0 to {@link ENOUGH}. */
  readonly evidence: number;
  readonly confirmed: boolean;
}

/** From this number on, links locate people, and the networks tell a still person from an empty room. */
export const LOCATING_LINKS = 3;
/** Motion of the strongest link's carriers from which something moves: as in `detect-motion`. */
const MOVES = 0.03;
/** Probability from which the networks see somebody walk: they notice weaker movement, of people only. */
const WALKS = 0.5;
/** Windows of {@link BEAT_S} with movement that suffice: not a single one of those that overlap. */
const ENOUGH = 1;
/** Time without any movement after which nobody is confirmed any more, microseconds. */
const HOLD_US = 60_000_000;
const BEAT_US = BEAT_S * 1e6;

/** Motion of the strongest link, 0 to 1; NaN if no link has enough measurements. */
export function strongestMotion(window: Window): number {
  const motions = window.links.flatMap((link) => {
    const seen = linkMotion(link, window);
    return isMeasured(seen) ? [motionOf(seen, seen.correlation, 1)] : [];
  });
  return motions.length === 0 ? NaN : Math.max(...motions);
}

/** What a window shows of movement. */
export interface Stir {
  /** Event time, microseconds. */
  readonly time: number;
  /** Motion of the strongest link; NaN: not measured. */
  readonly motion: number;
  /** Probability that the person whom the networks see is walking. */
  readonly walking: number;
}

/**
 * The standing after one more window. A late window changes nothing, and one far in the past starts again.
 * @param confirmed whether people are confirmed without a known standing: more links saw them a moment ago
 */
export function confirmByMovement(
  before: Movement | undefined,
  { time, motion, walking }: Stir,
  confirmed: boolean,
): Movement {
  const isKnown = before !== undefined && Math.abs(time - before.time) <= MAX_BREAK_US;
  const known = isKnown ? before : { time: time - BEAT_US, evidence: confirmed ? ENOUGH : 0, confirmed };
  if (time <= known.time) return known;
  const elapsed = time - known.time;
  const moves = motion >= MOVES || walking >= WALKS;
  const lost = Number.isNaN(motion) ? 0 : (ENOUGH * elapsed) / HOLD_US;
  const change = moves ? Math.min(1, elapsed / BEAT_US) : -lost;
  const evidence = Math.min(ENOUGH, Math.max(0, known.evidence + change));
  return { time, evidence, confirmed: evidence >= ENOUGH || (known.confirmed && evidence > 0) };
}

/**
 * Probabilities of nobody, one person and so on. Without movement, few links cannot tell: that somebody is there
 * has a probability of a half at most.
 */
export const countsByMovement = (counts: readonly number[], { confirmed }: Movement): readonly number[] =>
  confirmed ? counts : counts.map((count, i) => (i === 0 ? (1 + count) / 2 : count / 2));
