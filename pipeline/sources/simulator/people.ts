import type { Activity, Step } from './person/activities.js';
import { keepApart } from './apart.js';
import { POSE, randomBody } from './person/body.js';
import { randomDoor } from './door.js';
import { DIRECTIONS, type FallKind } from './person/fall.js';
import { Motion, type MotionOptions } from './motion.js';
import { homePose } from './person/poses.js';
import { Random } from './shared/random.js';
import type { MotionLibrary } from './recorded/library.js';
import type { Size } from './shared/room.js';

/** People with random activities, for training data. */

/**
 * Share of each kind of motion among random sequences: the person's activity from the start of the sequence.
 */
export interface MotionMix {
  readonly walk: number;
  readonly stand: number;
  readonly arms: number;
  readonly sit: number;
  readonly lie: number;
  /** Sitting down, getting up, bending. */
  readonly change: number;
  /** Falls of all kinds, followed by lying, sometimes by getting up. */
  readonly fall: number;
  /**
   * Activities easily mistaken for a fall: drops on a chair, sofa or bed, lies down, picks up, jumps, kneels,
   * exercises.
   */
  readonly hard?: number;
  readonly crawl?: number;
  /** Leaves through the door and returns, or enters. */
  readonly leave?: number;
}

/** Calm life without falls. */
export const MOTION_MIX: MotionMix = {
  walk: 0.45,
  stand: 0.08,
  arms: 0.14,
  sit: 0.14,
  lie: 0.07,
  change: 0.12,
  fall: 0,
};

/** All everyday activities, including those easily mistaken for a fall. */
export const EVERYDAY_MIX: MotionMix = {
  walk: 0.3,
  stand: 0.08,
  arms: 0.09,
  sit: 0.14,
  lie: 0.09,
  change: 0.1,
  fall: 0,
  hard: 0.12,
  crawl: 0.03,
  leave: 0.05,
};

/** Sequences start this long after their motion, which starts from standing. */
export const LEAD = 1;

/** People who share a room for `seconds` and do not walk through each other. */
export function randomPeople(
  seed: number,
  persons: number,
  size: Size,
  seconds: number,
  mix: MotionMix,
  library?: MotionLibrary,
): Motion[] {
  const door = randomDoor(new Random(seed, 6), size);
  const paths: Float64Array[] = [];
  const people = Array.from({ length: persons }, (_, person) => {
    const chance = new Random(seed, 2, person);
    return randomMotion(chance, size, seconds + LEAD, mix, { door, library, clearOf: paths });
  });
  if (persons > 1) keepApart(people, seconds + LEAD, size);
  return people;
}

interface RandomMotionOptions extends MotionOptions {
  /** Starting positions of the others; each new one is added. */
  readonly clearOf: Float64Array[];
}

/** A person with one activity after another, the first drawn from the mix. */
function randomMotion(
  random: Random,
  size: Size,
  seconds: number,
  mix: MotionMix,
  options: RandomMotionOptions,
): Motion {
  const body = randomBody(random);
  const home = freePose(random, size, options.clearOf);
  const motion = new Motion(body, size, random, { ...options, home });
  const kinds = Object.keys(mix) as (keyof MotionMix)[];
  const kind = kinds[random.weighted(kinds.map((name) => mix[name] ?? 0))]!;
  begin(motion, kind, random, seconds);
  while (motion.duration < seconds) motion.perform(nextStep(random, mix));
  return motion;
}

/** A starting position, as far from the others as a few attempts allow. */
function freePose(random: Random, size: Size, others: Float64Array[]): Float64Array {
  const nearest = (pose: Float64Array) =>
    Math.min(
      ...others.map((other) => Math.hypot(pose[POSE.x]! - other[POSE.x]!, pose[POSE.y]! - other[POSE.y]!)),
    );
  let best = homePose(random, size);
  for (let tries = 0; tries < 8 && nearest(best) < 1.2; tries++) {
    const pose = homePose(random, size);
    if (nearest(pose) > nearest(best)) best = pose;
  }
  others.push(best);
  return best;
}

function begin(motion: Motion, kind: keyof MotionMix, random: Random, seconds: number): void {
  const rest = seconds - LEAD;
  const before = (after: number) => LEAD + random.uniform(0, Math.max(0, rest - after));
  switch (kind) {
    case 'sit':
    case 'lie':
      motion.begin(kind).perform({ activity: kind, seconds: LEAD + rest * random.uniform(0.6, 2) });
      return;
    case 'change': {
      const activity = (['sit_down', 'get_up', 'bend'] as const)[random.below(3)]!;
      if (activity === 'get_up') motion.begin(random.chance(0.7) ? 'sit' : 'lie');
      motion.perform({ activity: activity === 'get_up' ? 'turn' : 'stand', seconds: before(1.6) });
      motion.perform({ activity });
      return;
    }
    case 'fall':
      beginFalling(motion, random, before(1), seconds);
      return;
    case 'hard': {
      const steps = HARD[random.below(HARD.length)]!;
      motion.perform({ activity: random.chance(0.5) ? 'walk' : 'stand', seconds: before(1.6) });
      for (const step of steps) motion.perform(step);
      return;
    }
    case 'crawl':
      motion.perform({ activity: 'crawl', seconds: LEAD + rest * random.uniform(0.6, 1.5) });
      return;
    case 'leave':
      if (random.chance(0.6)) motion.perform({ activity: 'walk', seconds: before(3) });
      motion.perform({ activity: 'away', seconds: random.uniform(1, Math.max(2, rest)) });
      return;
    default:
      motion.perform({ activity: kind, seconds: LEAD + rest * random.uniform(0.6, 2) });
  }
}

/** Activities easily mistaken for a fall. */
const HARD: readonly (readonly Step[])[] = [
  [{ activity: 'sit_down', fast: true }, { activity: 'sit' }],
  [{ activity: 'sit_down', fast: true, on: 'sofa' }, { activity: 'sit' }],
  [{ activity: 'lie_down', fast: true, on: 'bed' }, { activity: 'lie' }],
  [{ activity: 'lie_down', on: 'bed' }, { activity: 'lie' }],
  [{ activity: 'lie_down', on: 'floor' }, { activity: 'lie' }],
  [{ activity: 'pick_up' }],
  [{ activity: 'pick_up' }, { activity: 'walk' }],
  [{ activity: 'jump' }],
  [{ activity: 'jump', seconds: 4 }],
  [{ activity: 'kneel' }],
  [{ activity: 'exercise', seconds: 5 }],
];

/** A fall while walking, from standing, off a chair or a bed, or slowly along a wall. */
function beginFalling(motion: Motion, random: Random, before: number, seconds: number): void {
  const from = random.weighted([0.4, 0.25, 0.15, 0.12, 0.08]);
  let kind: FallKind | undefined = random.chance(0.25)
    ? 'slump'
    : DIRECTIONS[random.below(DIRECTIONS.length)]!;
  if (from === 2) motion.begin('sit').perform({ activity: 'sit', seconds: before });
  else if (from === 3) motion.begin('lie', 'bed').perform({ activity: 'lie', seconds: before });
  else {
    if (from === 4) kind = 'slide';
    motion.perform({ activity: from === 0 ? 'walk' : 'stand', seconds: before });
  }
  // A rag-doll falls if nothing else is requested.
  if (motion.hasRecordedFalls && from < 2 && kind !== 'slump') kind = undefined;
  motion.perform({ activity: 'fall', ...(kind ? { fall: kind } : {}) });
  const rises = random.chance(0.3);
  motion.perform({ activity: 'lie', seconds: rises ? random.uniform(1, 20) : seconds });
  if (rises) motion.perform({ activity: 'get_up' });
}

const nextStep = (random: Random, mix: MotionMix): Step => {
  const names: readonly Activity[] = [
    'walk',
    'stand',
    'arms',
    'sit',
    'lie',
    'bend',
    'pick_up',
    'crawl',
    'away',
  ];
  const { hard = 0, crawl = 0, leave = 0 } = mix;
  const shares = [mix.walk, mix.stand, mix.arms, mix.sit, mix.lie, mix.change, hard, crawl, leave];
  return { activity: names[random.weighted(shares)]! };
};
