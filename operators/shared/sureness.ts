import type { Person, PoseFrame } from '../../pipeline/model/index.js';

/** Below this number, links do not distinguish somebody who keeps still from an empty room. */
const LOCATING_LINKS = 3;
/**
 * Probability of nobody below which such a pose frame without people says nothing. `infer-pose` halves the
 * probability of people whom it cannot confirm, so this is where its networks see somebody.
 */
const KNOWN = 0.75;
/** Probability of nobody from which the networks are certain. */
const EMPTY = 0.9;

/**
 * Certainty of a number of people, 0 to 1: the mean confidence of the counted persons; with nobody, one minus
 * the highest confidence of the others, and over few links at most the pose frame's probability of nobody.
 * Multiplied by the share of received data.
 */
export function sureness(
  counted: readonly Person[],
  others: readonly Person[],
  poseFrame: Pick<PoseFrame, 'counts' | 'links' | 'signalQuality'>,
): number {
  const sure =
    counted.length > 0
      ? counted.reduce((sum, { confidence }) => sum + confidence, 0) / counted.length
      : Math.min(nobodyIn(poseFrame), 1 - Math.max(0, ...others.map(({ confidence }) => confidence)));
  return Math.min(1, Math.max(0, sure * poseFrame.signalQuality || 0));
}

/** Whether a pose frame in which nobody counts does not say that nobody is there either. */
export const isUndecided = (poseFrame: Pick<PoseFrame, 'counts' | 'links'>): boolean =>
  nobodyIn(poseFrame) < KNOWN;

/**
 * Whether the networks are certain that nobody is there. With fewer links they may take somebody who keeps still
 * for an empty room.
 */
export const isSurelyEmpty = ({ counts, links }: Pick<PoseFrame, 'counts' | 'links'>): boolean =>
  links >= LOCATING_LINKS && (counts?.[0] ?? 0) >= EMPTY;

const nobodyIn = ({ counts, links }: Pick<PoseFrame, 'counts' | 'links'>): number =>
  links < LOCATING_LINKS ? (counts?.[0] ?? 1) : 1;
