import { FALLS } from '../../pipeline/sources/simulator/person/fall.js';
import type { Random } from '../../pipeline/sources/simulator/shared/random.js';
import type { PersonConfig } from '../../pipeline/sources/simulator/script.js';
import { dailyLife } from '../accuracy/chain/daily-life.js';

/** Scripts of people in the rooms used to train and evaluate the networks for several links. */

type Step = PersonConfig['script'][number];

const SCRIPTS = {
  /** Falls about every minute, ordinary life in between. */
  falls: (random, seed) => fallAgain(random, seed, 400),
  /** A fall, or a movement like one, about every 15 seconds. */
  hard: (random) => hard(random, 500),
  /** The same with recorded motion: most falls are those of rag-dolls, and walks are partly recorded. */
  recorded: (random) => recorded(random, 500),
  /** Daily life with shortened rests. */
  dense: (random, seed) => dense(random, seed, 600),
  /** Daily life. */
  life: (_, seed) => dailyLife(seed, 900),
  /** Three falls; the person lies there for half a minute, or gets up earlier in one of seven cases. */
  lasting: (random) => lasting(random, false),
  /** The same with recorded motion. */
  'lasting-recorded': (random) => lasting(random, true),
  /** Daily life whose rests last half a minute at most: what follows within that time is unchanged. */
  day: (random, seed) => day(random, seed),
} satisfies Record<string, (random: Random, seed: number) => Step[]>;

export type Script = keyof typeof SCRIPTS;

/** The same kind, draws and seed give the same script. */
export const scriptOf = (kind: Script, random: Random, seed: number): Step[] => SCRIPTS[kind](random, seed);

/** Rests of daily life are shortened to this many seconds if falls are to happen between them. */
const REST_S = [8, 25] as const;
const RESTING: readonly Step['activity'][] = ['sit', 'lie', 'away'];

/**
 * Daily life with falls of all kinds: while walking, from standing, after getting up, off a chair or a bed.
 */
function fallAgain(random: Random, seed: number, seconds: number): Step[] {
  const life = dailyLife(seed, seconds * 0.55);
  const script: Step[] = [];
  let next = 0;
  let time = 0;
  while (time < seconds) {
    for (let left = 1 + random.below(4); left > 0; left--) {
      const step = life[next++ % life.length]!;
      const long = step.seconds !== undefined && step.seconds > 20 && RESTING.includes(step.activity);
      const taken = long ? { ...step, seconds: random.uniform(...REST_S) } : step;
      script.push(taken);
      time += taken.seconds ?? 1.5;
    }
    script.push(...before(random), { activity: 'fall', fall: FALLS[random.below(FALLS.length)]! });
    script.push({ activity: 'lie', seconds: random.uniform(14, 22) });
    time += 30;
  }
  return script;
}

/** Seconds that a fallen person stays down, and that one who gets up does. */
const LASTING_S = [31, 34] as const;
const RECOVERED_S = [8, 20] as const;

function lasting(random: Random, isRecorded: boolean): Step[] {
  const script: Step[] = [{ activity: 'walk', seconds: 12 }];
  for (let fall = 0; fall < 3; fall++) {
    if (isRecorded) script.push(...upright(random), { activity: 'fall' });
    else script.push(...ahead(random), { activity: 'fall', fall: FALLS[random.below(FALLS.length)]! });
    const [least, most] = random.chance(0.15) ? RECOVERED_S : LASTING_S;
    script.push({ activity: 'lie', seconds: random.uniform(least, most) });
  }
  return [...script, { activity: 'walk', seconds: 3 }];
}

/** Steps before a fall out of a walk. */
function ahead(random: Random): readonly Step[] {
  const chance = random.next();
  const walk = (least: number, most: number): Step => ({
    activity: 'walk',
    seconds: random.uniform(least, most),
  });
  if (chance < 0.35) return [walk(8, 14)];
  if (chance < 0.55) return [walk(4, 8), { activity: 'stand', seconds: random.uniform(3, 10) }];
  if (chance < 0.85) {
    const sit: Step = { activity: 'sit', seconds: random.uniform(6, 14) };
    return random.chance(0.5) ? [walk(3, 6), sit, { activity: 'get_up' }] : [walk(3, 6), sit];
  }
  return [walk(3, 6), { activity: 'lie', seconds: random.uniform(6, 14), on: 'bed' }];
}

const DAY_REST_S = [32, 36] as const;

const day = (random: Random, seed: number): Step[] =>
  dailyLife(seed, 400).map((step) =>
    (step.seconds ?? 0) > DAY_REST_S[1] ? { ...step, seconds: random.uniform(...DAY_REST_S) } : step,
  );

/** Steps before a fall. */
function before(random: Random): readonly Step[] {
  const chance = random.next();
  if (chance < 0.45) return [{ activity: 'walk', seconds: random.uniform(3, 12) }];
  if (chance < 0.65)
    return [
      { activity: 'walk', seconds: random.uniform(3, 8) },
      { activity: 'stand', seconds: random.uniform(2, 10) },
    ];
  if (chance < 0.88) {
    const sit: Step = { activity: 'sit', seconds: random.uniform(5, 15) };
    return chance < 0.75 ? [sit, { activity: 'get_up' }] : [sit];
  }
  return [{ activity: 'lie', seconds: random.uniform(5, 15), on: 'bed' }];
}

/** Long enough to observe everything that follows an end of motion. */
const CUT_S = [11, 18] as const;

const dense = (random: Random, seed: number, seconds: number): Step[] =>
  dailyLife(seed, seconds * 1.7).map((step) =>
    step.seconds !== undefined && step.seconds > 12 && step.activity !== 'walk'
      ? { ...step, seconds: random.uniform(...CUT_S) }
      : step,
  );

const WALK_S = [3, 8] as const;
/** Share of the scenes that are falls. */
const FALLS_OF_HARD = 0.42;

const hard = (random: Random, seconds: number): Step[] =>
  fallsAndLike(random, seconds, () => {
    const chance = random.next();
    if (chance >= FALLS_OF_HARD) return chance;
    return [
      ...before(random),
      { activity: 'fall', fall: FALLS[random.below(FALLS.length)]! },
      { activity: 'lie', seconds: random.uniform(12, 16) },
    ];
  });

/** Share of the scenes with recorded motion that are falls. */
const FALLS_OF_RECORDED = 0.5;

/** Rag-dolls fall upright only, and only where the kind of the fall is left open. */
const recorded = (random: Random, seconds: number): Step[] =>
  fallsAndLike(random, seconds, (rest) =>
    random.chance(FALLS_OF_RECORDED)
      ? [...upright(random), { activity: 'fall' }, { activity: 'lie', seconds: rest }]
      : random.uniform(FALLS_OF_HARD, 1),
  );

/** @param next the steps of a fall, or the chance of {@link likeFall}; gets the seconds of the rest after it */
function fallsAndLike(
  random: Random,
  seconds: number,
  next: (rest: number) => readonly Step[] | number,
): Step[] {
  const script: Step[] = [{ activity: 'walk', seconds: 8 }];
  let time = 8;
  while (time < seconds) {
    const walk: Step = { activity: 'walk', seconds: random.uniform(...WALK_S) };
    const rest = random.uniform(11, 15);
    const scene = next(rest);
    if (typeof scene === 'number') {
      script.push(walk, ...likeFall(random, scene, rest));
      time += rest + 6;
    } else {
      script.push(...scene);
      time += 25;
    }
  }
  return script;
}

/** Steps before a fall, at the end of which the person walks or stands. */
function upright(random: Random): readonly Step[] {
  const chance = random.next();
  if (chance < 0.6) return [{ activity: 'walk', seconds: random.uniform(3, 12) }];
  if (chance < 0.75) return [{ activity: 'exercise', seconds: random.uniform(3, 6) }];
  if (chance < 0.9)
    return [
      { activity: 'walk', seconds: random.uniform(3, 8) },
      { activity: 'stand', seconds: random.uniform(2, 10) },
    ];
  return [{ activity: 'sit', seconds: random.uniform(5, 15) }, { activity: 'get_up' }];
}

/** A movement that resembles a fall, after a walk. @param chance from {@link FALLS_OF_HARD} on */
function likeFall(random: Random, chance: number, seconds: number): readonly Step[] {
  const stand: Step = { activity: 'stand', seconds };
  if (chance < 0.58) return [stand];
  if (chance < 0.68) {
    const on = random.chance(0.4) ? 'sofa' : 'chair';
    return [
      { activity: 'sit_down', on, fast: random.chance(0.7) },
      { activity: 'sit', seconds },
    ];
  }
  if (chance < 0.76) {
    const on = random.chance(0.4) ? 'sofa' : 'bed';
    return [
      { activity: 'lie_down', on, fast: random.chance(0.6) },
      { activity: 'lie', seconds },
    ];
  }
  if (chance < 0.85) return [{ activity: 'kneel', seconds: random.uniform(3, 14) }];
  const quick = QUICK.find(([until]) => chance < until);
  return quick ? [{ activity: quick[1] }, stand] : [{ activity: 'away', seconds: random.uniform(8, 14) }];
}

/** Upper bound of the chance. */
const QUICK = [
  [0.89, 'pick_up'],
  [0.92, 'bend'],
  [0.94, 'jump'],
  [0.96, 'turn'],
] as const;
