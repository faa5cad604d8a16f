import type { Plan } from './scenes.js';

/** Rooms to simulate for the networks for several links. None is in two of the three sets. */
export interface SeveralRooms {
  readonly training: readonly Plan[];
  /** For validation. */
  readonly watched: readonly Plan[];
  /** For the threshold. */
  readonly tuning: readonly Plan[];
}

/** Which rooms to simulate. */
interface Wanted {
  /** Whether existing weights are trained further. */
  readonly further: boolean;
  /** Whether rooms are added where people play recorded motion. */
  readonly recorded: boolean;
  /** Whether links have few packets a second. */
  readonly slow: boolean;
}

/** Rooms of consecutive seeds. */
export const plans = (kind: Plan['kind'], first: number, count: number): Plan[] =>
  Array.from({ length: count }, (_, index) => ({ kind, seed: first + index }));

const TRAINING = [
  ...plans('falls', 600_000, 90),
  ...plans('hard', 610_000, 135),
  ...plans('dense', 620_000, 90),
  ...plans('life', 630_000, 45),
];
/** For weights that have seen the rooms above. */
const FURTHER = [
  ...plans('falls', 605_000, 120),
  ...plans('hard', 615_000, 190),
  ...plans('dense', 625_000, 96),
  ...plans('life', 635_000, 48),
];
const RECORDED = plans('recorded', 640_000, 400);
const WATCHED = [...plans('hard', 730_000, 12), ...plans('dense', 731_000, 8)];
const WATCHED_RECORDED = plans('recorded', 740_000, 8);
const TUNING = [
  ...plans('falls', 720_000, 32),
  ...plans('life4', 721_000, 20),
  ...plans('falls', 722_000, 24),
  ...plans('life4', 723_000, 40),
];

/** Without `life`: `dense` is daily life without falls, too, with shorter rests. */
const SLOW = [
  ...plans('falls', 606_000, 100),
  ...plans('hard', 616_000, 140),
  ...plans('dense', 626_000, 60),
];
const SLOW_RECORDED = plans('recorded', 645_000, 160);
const SLOW_TUNING = [...plans('falls', 725_000, 40), ...plans('life4', 723_000, 24)];

/** With `slow`, weights that are trained further see the same rooms as random ones. */
export function severalRooms({ further, recorded, slow }: Wanted): SeveralRooms {
  const watched = [...WATCHED, ...(recorded ? WATCHED_RECORDED : [])];
  if (slow)
    return {
      training: slowly([...SLOW, ...(recorded ? SLOW_RECORDED : [])]),
      watched: slowly(watched),
      tuning: slowly(SLOW_TUNING),
    };
  const training = [...(further ? FURTHER : TRAINING), ...(recorded ? RECORDED : [])];
  return { training, watched, tuning: TUNING };
}

const slowly = (all: readonly Plan[]): readonly Plan[] => all.map((plan) => ({ ...plan, slow: true }));
