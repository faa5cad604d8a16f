import { BEAT_S, MIN_PROBABILITY } from '../networks/memory-layers.js';
import type { Recall } from './memory.js';
import { STILL, THERE } from './memory-after.js';

/**
 * Confirms that newcomers are people. Pets, and at times fans and curtains, resemble people. Somebody who comes
 * into an empty room soon shows that they are a person: they walk, and are located well. This evidence is summed
 * up, window by window, until it suffices (a sequential probability ratio test: Wald, 1945). The confirmation
 * then holds, however still people keep, until the networks see nobody for a while. Anybody present when a room
 * is first seen needs none: they may be asleep.
 */

/** Weights of {@link confirmationInputs}, then the bias: the log odds of a person over anything else. */
export type ConfirmationLaw = readonly number[];

/** Standing of a room after a window. */
export interface Confirmation {
  /** Event time of the window, microseconds. */
  readonly time: number;
  /** Event time at which the networks last took something for a person, microseconds. */
  readonly seen: number;
  /** Log odds so far, at least 0. */
  readonly evidence: number;
  readonly confirmed: boolean;
  /** Whether evidence confirmed them; absent or false: somebody present at first, who was believed. */
  readonly shown?: boolean;
  /** Whether they are seen only because they were before: see {@link KEPT}. */
  readonly kept?: boolean;
}

/** Probability of somebody from which evidence counts, and people are reported: the default of `presence`. */
export const CLAIMED = 0.9;
/**
 * Probability of somebody down to which a person who was confirmed, was seen a window before, and keeps still is kept:
 * more likely there than not. Things that move are not kept. Those who keep still show little, and the probability
 * wavers below what newcomers need.
 */
const KEPT = THERE;
/**
 * The law was fitted and measured with four links. With fewer, the networks are less certain of people too,
 * and somebody who walks in may never be confirmed. With three, everybody counts; for fewer, see `movement.ts`.
 */
export const CONFIRMING_LINKS = 4;
/** Log odds that suffice. */
const ENOUGH = 3;
/** Largest log odds of one window of {@link BEAT_S}: no single one confirms or refutes. */
const MOST = 2;
/** A room in which the networks have seen nobody for longer is empty: the next ones are newcomers. */
const HOLD_US = 2_000_000;
/** The same after people who were confirmed: who fell or lies down may be lost for some seconds. */
const SHOWN_HOLD_US = 20_000_000;
/** After a longer break, people may have come and gone unseen: as for the memory. */
export const MAX_BREAK_US = 10_000_000;
const BEAT_US = BEAT_S * 1e6;

/** Numbers that tell people from other things. */
export function confirmationInputs({
  counts,
  alone: { scale, moving, postures },
}: Pick<Recall, 'counts' | 'alone'>): number[] {
  const nobody = Math.max(MIN_PROBABILITY, counts[0]!);
  return [Math.log((1 - counts[0]!) / nobody), ...postures, Math.log(scale), moving];
}

/** The standing after one more window. A late window changes nothing, and one far in the past starts again. */
export function confirm(
  law: ConfirmationLaw,
  before: Confirmation | undefined,
  recall: Pick<Recall, 'counts' | 'alone'>,
  time: number,
): Confirmation {
  const isKnown = before !== undefined && Math.abs(time - before.time) <= MAX_BREAK_US;
  const known = isKnown ? before : { time: time - BEAT_US, seen: time, evidence: 0, confirmed: true };
  if (time <= known.time) return known;
  if (keeps(known, recall)) return { ...known, time, seen: time, kept: true };
  if (1 - recall.counts[0]! < CLAIMED)
    return time - known.seen > (known.shown ? SHOWN_HOLD_US : HOLD_US)
      ? { time, seen: known.seen, evidence: 0, confirmed: false }
      : { ...known, time, kept: false };
  const logOdds = Math.min(MOST, Math.max(-MOST, logOddsOf(law, confirmationInputs(recall))));
  const share = Math.min(1, (time - known.time) / BEAT_US);
  const evidence = Math.min(ENOUGH, Math.max(0, known.evidence + share * logOdds));
  const shown = known.shown === true || evidence >= ENOUGH;
  return { time, seen: time, evidence, confirmed: known.confirmed || shown, shown };
}

/** Probability of somebody from which people are reported who are kept. @param presence of others; a stricter one holds */
export const keptFrom = (presence: number): number =>
  presence > CLAIMED ? presence : Math.min(presence, KEPT);

/** Whether somebody who was seen before counts as seen, although they are not certain enough for a newcomer. */
const keeps = (
  { shown = false, confirmed, seen, time }: Confirmation,
  { counts, alone }: Pick<Recall, 'counts' | 'alone'>,
): boolean => {
  const somebody = 1 - counts[0]!;
  return (
    shown && confirmed && seen === time && somebody < CLAIMED && somebody >= KEPT && alone.moving < STILL
  );
};

const logOddsOf = (law: ConfirmationLaw, inputs: readonly number[]): number =>
  inputs.reduce((sum, value, i) => sum + law[i]! * value, law[inputs.length]!);

/** Probabilities of nobody, one person and so on, less the probability that it is no person. */
export function confirmedCounts(
  counts: readonly number[],
  { confirmed, evidence }: Confirmation,
): readonly number[] {
  if (confirmed) return counts;
  const person = 1 / (1 + Math.exp(ENOUGH - evidence));
  return counts.map((count, i) => (i === 0 ? 1 - person * (1 - count) : person * count));
}
