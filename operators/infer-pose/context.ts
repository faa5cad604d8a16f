import { sigmaOf } from '../shared/floor-error.js';
import type { Estimate, Sight } from './estimate.js';
import { COUNTS } from './layers.js';

/**
 * What windows say together: a person who stops is where he stopped, and nobody vanishes without having walked away.
 * A forward filter (Rabiner 1989, III.A) over who is in the room, and over the posture and place of one who is alone.
 *
 * States: nobody, one who walks about, one who keeps to one place, and two, three, four people.
 */
export interface Belief {
  /** Event time of the newest window, microseconds. */
  time: number;
  /** Probability of each state. */
  states: Float64Array;
  /** Logarithm of how much likelier recent windows are in an empty room than with somebody who rests. */
  quiet: number;
  /** Of upright, sitting, lying. */
  postures: Float64Array;
  /** Of one who is alone; null where nobody came yet, or several were there. */
  place: HeldPlace | null;
}

/** A floor place, metres, and the variance of each of its coordinates. */
export interface HeldPlace {
  x: number;
  y: number;
  variance: number;
}

export const NOBODY = 0;
const WALKING = 1;
const RESTING = 2;
const TWO = 3;
const STATES = TWO + COUNTS - 2;

export interface ContextTuning {
  /** Changes of state a second, [from, to]; the rest stays. */
  readonly rates: readonly (readonly number[])[];
  /** Shares of the states among the windows that the network was trained on: its answers are taken against them. */
  readonly prior: readonly number[];
  /** How much of a window's evidence counts, per second of windows: neighbouring ones overlap, and err alike. */
  readonly weight: number;
  /** The same of what parts one who walks from two and more, which errs alike for longer. */
  readonly crowdWeight: number;
  /** What parts an empty room from somebody who rests errs alike for minutes: it counts as so many windows, however long it lasts. */
  readonly quietLooks: number;
  /** Seconds that it is averaged over. */
  readonly quietSeconds: number;
  readonly postureWeight: number;
  /** Changes of posture a second. */
  readonly postureRate: number;
  /** Square metres a second that a person's place spreads by, walking and resting. */
  readonly walkingSpread: number;
  readonly restingSpread: number;
  /** How many windows of somebody who rests say as much as one. */
  readonly repeats: number;
}

export const TUNING: ContextTuning = {
  rates: [
    [0, 1 / 120, 1 / 3000, 1 / 3000, 0, 0],
    [1 / 40, 0, 1 / 8, 1 / 200, 0, 0],
    [1 / 3000, 1 / 120, 0, 1 / 120, 0, 0],
    [1 / 600, 1 / 60, 1 / 120, 0, 1 / 60, 0],
    [0, 1 / 600, 1 / 600, 1 / 60, 0, 1 / 60],
    [0, 1 / 600, 1 / 600, 1 / 600, 1 / 60, 0],
  ],
  prior: [0.15, 0.16, 0.27, 0.2, 0.12, 0.06],
  weight: 1.5,
  crowdWeight: 0.15,
  quietLooks: 3,
  quietSeconds: 2.5,
  postureWeight: 0.5,
  postureRate: 1 / 120,
  walkingSpread: 2,
  restingSpread: 0.0005,
  repeats: 60,
};

export const noBelief = (): Belief => ({
  time: -Infinity,
  states: Float64Array.from([0.4, 0.25, 0.25, 0.07, 0.02, 0.01]),
  quiet: 0,
  postures: Float64Array.of(0.8, 0.15, 0.05),
  place: null,
});

/** Longest time that a belief is carried over a hole without windows, seconds. */
const LONGEST = 60;

/** Takes in the answer for a window whose event time is `time`, microseconds; `error` is the calibrated error of its place. */
export function update(
  belief: Belief,
  sight: Sight,
  time: number,
  error: (estimate: Estimate) => number,
  tuning: ContextTuning = TUNING,
): void {
  const seconds = Math.min(LONGEST, Math.max(0, (time - belief.time) / 1e6));
  const passed = belief.time === -Infinity ? 0.2 : seconds;
  belief.time = time;
  spreadStates(belief, passed, tuning);
  weighStates(belief, sight, passed, tuning);
  weighPostures(belief, sight, passed, tuning);
  movePlace(belief, sight, passed, error(sight.alone), tuning);
}

/** Probability of each number of people. */
export function countsOf({ states, quiet }: Belief, { quietLooks }: ContextTuning = TUNING): number[] {
  // What parts an empty room from somebody who rests is weighed here, and not into the states: it would add up for ever.
  const still = states[NOBODY]! + states[RESTING]!;
  const empty = states[NOBODY]! / (states[NOBODY]! + states[RESTING]! * Math.exp(-quietLooks * quiet));
  return [still * empty, still * (1 - empty) + states[WALKING]!, ...states.subarray(TWO)];
}

/** Probability that one who is alone walks about. */
export const movingOf = ({ states }: Belief): number =>
  states[WALKING]! / Math.max(1e-9, states[WALKING]! + states[RESTING]!);

const severalOf = ({ states }: Belief): number =>
  states.subarray(TWO).reduce((sum, probability) => sum + probability, 0);

function spreadStates({ states }: Belief, seconds: number, { rates }: ContextTuning): void {
  const next = new Float64Array(STATES);
  for (let from = 0; from < STATES; from++) {
    let stays = 1;
    for (let to = 0; to < STATES; to++) {
      if (to === from) continue;
      const share = 1 - Math.exp(-rates[from]![to]! * seconds);
      next[to]! += states[from]! * share;
      stays -= share;
    }
    next[from]! += states[from]! * Math.max(0, stays);
  }
  states.set(next);
}

/** Evidence of one window against the shares of the training's windows: first of quiet against stir, then within each. */
function weighStates(belief: Belief, { counts, alone }: Sight, seconds: number, tuning: ContextTuning): void {
  const { states } = belief;
  const { prior, weight, crowdWeight, quietSeconds } = tuning;
  const answers = [
    counts[0]!,
    counts[1]! * alone.moving,
    counts[1]! * (1 - alone.moving),
    ...counts.slice(2),
  ];
  const evidence = answers.map((answer, state) => Math.log((answer + 1e-4) / prior[state]!));
  const still = answers[NOBODY]! + answers[RESTING]!;
  const usual = prior[NOBODY]! + prior[RESTING]!;
  const quiet = Math.log((still + 1e-4) / usual);
  const stir = Math.log((1 - still + 1e-4) / (1 - usual));
  const gain = still * (1 - Math.exp(-seconds / quietSeconds));
  belief.quiet += gain * (evidence[NOBODY]! - evidence[RESTING]! - belief.quiet);
  let sum = 0;
  for (let state = 0; state < STATES; state++) {
    const log =
      state === NOBODY || state === RESTING
        ? weight * quiet
        : weight * stir + crowdWeight * (evidence[state]! - stir);
    const weighed = Math.max(1e-6, states[state]! * Math.exp(seconds * log));
    states[state] = weighed;
    sum += weighed;
  }
  for (let state = 0; state < STATES; state++) states[state]! /= sum;
}

/** Shares of postures among the training's windows, of those who walk about and those who rest. */
const POSTURE_PRIOR = [0.76, 0.16, 0.08];
/**
 * Evidence below this is none: windows of people who rest lean to one posture for minutes, whatever theirs is. What tells is the
 * way there.
 */
const POSTURE_HINT = 0.5;
/** Who walks about is upright: evidence against the other postures, a second. */
const UPRIGHT_WALK = 3;

function weighPostures(belief: Belief, { alone }: Sight, seconds: number, tuning: ContextTuning): void {
  const { postures } = belief;
  const moving = movingOf(belief);
  const change = 1 - Math.exp(-tuning.postureRate * seconds);
  let sum = 0;
  for (let i = 0; i < postures.length; i++) {
    const spread = (1 - change) * postures[i]! + change * POSTURE_PRIOR[i]!;
    const said = Math.log((alone.postures[i]! + 1e-3) / POSTURE_PRIOR[i]!);
    const log = Math.sign(said) * Math.max(0, Math.abs(said) - POSTURE_HINT);
    const walks = i === 0 ? 0 : UPRIGHT_WALK * moving;
    postures[i] = Math.max(1e-6, spread * Math.exp(seconds * (tuning.postureWeight * log - walks)));
    sum += postures[i]!;
  }
  for (let i = 0; i < postures.length; i++) postures[i]! /= sum;
}

/** A person either walks or rests: what lies between is one who stops or sets off, whose place is sure to be near the last. */
const gate = (moving: number): number => Math.min(1, Math.max(0, (moving - 0.5) / 0.3));

/** A Kalman filter whose person either walks, and may be anywhere soon, or rests where he is. */
function movePlace(
  belief: Belief,
  { alone }: Sight,
  seconds: number,
  error: number,
  tuning: ContextTuning,
): void {
  const [x, y] = alone.root;
  const moving = gate(alone.moving);
  const single = sigmaOf(error) ** 2;
  const { place } = belief;
  if (severalOf(belief) > 0.5) {
    belief.place = null;
    return;
  }
  if (!place) {
    belief.place = { x, y, variance: single };
    return;
  }
  place.variance += seconds * (moving * tuning.walkingSpread + (1 - moving) * tuning.restingSpread);
  const noise = single * (1 + (1 - moving) * (tuning.repeats - 1));
  const gain = place.variance / (place.variance + noise);
  place.x += gain * (x - place.x);
  place.y += gain * (y - place.y);
  place.variance = Math.max((1 - gain) * place.variance, moving * single);
}
