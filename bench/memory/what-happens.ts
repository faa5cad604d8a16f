import type { Random } from '../../pipeline/sources/simulator/shared/random.js';
import type { PersonConfig } from '../../pipeline/sources/simulator/script.js';
import { dailyLife } from '../accuracy/chain/daily-life.js';

/** Duration of a course in seconds. */
export const COURSE_S = 75;

/**
 * What happens in a room; `any` draws one of the first six at random. `asleep`: somebody lies there from the
 * start on. `fallen`: somebody falls and stays on the floor. `keeper`: somebody with a pet. A thing: nobody is
 * there, or somebody leaves, while it moves.
 */
export type Kind =
  'daily' | 'walk' | 'rest' | 'many' | 'leave' | 'empty' | 'asleep' | 'fallen' | 'keeper' | ThingAlone;
const THINGS_ALONE = ['pet', 'fan', 'curtain'] as const;
type ThingAlone = (typeof THINGS_ALONE)[number];
export const isThing = (kind: Kind): kind is ThingAlone => (THINGS_ALONE as readonly Kind[]).includes(kind);

type Script = PersonConfig['script'];

/** @param chance from 0 to 1 */
export const kindOf = (chance: number): Kind =>
  chance < 0.3
    ? 'daily'
    : chance < 0.48
      ? 'walk'
      : chance < 0.7
        ? 'rest'
        : chance < 0.92
          ? 'many'
          : chance < 0.97
            ? 'leave'
            : 'empty';

/** The people of a room in which this happens. */
export function peopleOf(random: Random, seed: number, kind: Kind): PersonConfig[] {
  if (kind === 'empty' || (isThing(kind) && random.chance(0.7))) return [];
  if (kind !== 'many') return [{ script: scriptOf(random, seed, kind) }];
  const count = 2 + Number(random.chance(0.4)) + Number(random.chance(0.15));
  return Array.from({ length: count }, (_, person) => ({
    script: scriptOf(random, seed * 7 + person, random.chance(0.6) ? 'walk' : 'daily'),
  }));
}

function scriptOf(random: Random, seed: number, kind: Exclude<Kind, 'many' | 'empty'>): Script {
  if (kind === 'daily') return dailyLife(seed + random.below(1e6), COURSE_S);
  if (kind === 'walk') return [{ activity: 'walk', seconds: COURSE_S }];
  if (kind === 'asleep') return [{ ...restOf(random, 'lie'), seconds: COURSE_S }];
  if (kind === 'leave' || isThing(kind))
    return [
      { activity: 'walk', seconds: random.uniform(5, 25) },
      { activity: 'away', seconds: COURSE_S + 5 },
    ];
  if (kind === 'fallen') return fallOf(random);
  const script: Script[number][] = [];
  for (let time = 0; time < COURSE_S;) {
    const seconds = random.uniform(6, 18);
    script.push({ activity: 'walk', seconds }, restOf(random));
    time += seconds + 35;
  }
  return script;
}

/** A walk, mostly a rest or a few steps after one, and a fall: then on the floor to the end. */
function fallOf(random: Random): Script {
  const seconds = random.uniform(5, 15);
  const rests: readonly Script[] = [
    [],
    [{ activity: 'stand', seconds }],
    [{ activity: 'sit', seconds }],
    [{ activity: 'sit', seconds }, { activity: 'get_up' }],
    [{ activity: 'lie', seconds, on: 'bed' }],
  ];
  return [
    { activity: 'walk', seconds: random.uniform(6, 20) },
    ...rests[random.below(rests.length)]!,
    { activity: 'fall' },
    { activity: 'lie', seconds: COURSE_S },
  ];
}

function restOf(random: Random, wanted?: 'lie'): Script[number] {
  const chance = wanted ? 1 : random.next();
  const seconds = random.uniform(30, 60);
  if (chance < 0.33) return { activity: 'stand', seconds };
  if (chance < 0.66) return { activity: 'sit', seconds, on: random.chance(0.3) ? 'sofa' : 'chair' };
  return { activity: 'lie', seconds, on: (['bed', 'bed', 'sofa', 'floor'] as const)[random.below(4)]! };
}
