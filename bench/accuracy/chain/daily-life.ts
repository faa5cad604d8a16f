import type { PersonConfig } from '../../../pipeline/sources/simulator/script.js';
import { Random } from '../../../pipeline/sources/simulator/shared/random.js';

type Step = PersonConfig['script'][number];

/** Parts of an ordinary day, each of a few steps. Movements that merely resemble a fall are frequent. */
const PARTS: readonly { readonly weight: number; readonly steps: (random: Random) => readonly Step[] }[] = [
  { weight: 5, steps: (random) => [{ activity: 'walk', seconds: random.uniform(5, 20) }] },
  {
    weight: 3,
    steps: (random) => [
      { activity: 'sit_down', on: random.chance(0.3) ? 'sofa' : 'chair', fast: random.chance(0.4) },
      { activity: 'sit', seconds: random.uniform(10, 90) },
      { activity: 'get_up' },
    ],
  },
  {
    weight: 2,
    steps: (random) => [
      { activity: 'lie_down', on: random.chance(0.3) ? 'sofa' : 'bed', fast: random.chance(0.3) },
      { activity: 'lie', seconds: random.uniform(20, 120) },
      { activity: 'get_up' },
    ],
  },
  { weight: 2, steps: () => [{ activity: 'bend' }] },
  { weight: 3, steps: () => [{ activity: 'pick_up' }] },
  { weight: 1, steps: () => [{ activity: 'jump' }] },
  { weight: 1, steps: (random) => [{ activity: 'kneel', seconds: random.uniform(3, 15) }] },
  { weight: 0.5, steps: (random) => [{ activity: 'exercise', seconds: random.uniform(5, 15) }] },
  { weight: 1, steps: (random) => [{ activity: 'away', seconds: random.uniform(10, 60) }] },
  { weight: 2, steps: (random) => [{ activity: 'stand', seconds: random.uniform(5, 20) }] },
  { weight: 2, steps: (random) => [{ activity: 'arms', seconds: random.uniform(3, 10) }] },
  { weight: 1, steps: () => [{ activity: 'turn' }] },
];

/** A day without a fall, `seconds` long or slightly longer. */
export function dailyLife(seed: number, seconds: number): PersonConfig['script'] {
  const random = new Random(seed, STREAM);
  const script: Step[] = [{ activity: 'walk', seconds: 10 }];
  const planned = () => script.reduce((sum, step) => sum + (step.seconds ?? 1), 0);
  while (planned() < seconds) {
    const part = PARTS[random.weighted(PARTS.map(({ weight }) => weight))]!;
    script.push(...part.steps(random));
  }
  return script;
}

const STREAM = 92;
