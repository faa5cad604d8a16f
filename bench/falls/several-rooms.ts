import type { Plan } from './scenes.js';

/** Rooms to simulate for the networks for several links. None is in two of the three sets. */
export interface SeveralRooms {
  readonly training: readonly Plan[];
  /** For validation. */
  readonly watched: readonly Plan[];
  /** For the threshold. */
  readonly tuning: readonly Plan[];
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

/**
 * @param further whether existing weights are trained further
 * @param recorded whether rooms are added where people play recorded motion
 */
export const severalRooms = (further: boolean, recorded: boolean): SeveralRooms => ({
  training: [...(further ? FURTHER : TRAINING), ...(recorded ? RECORDED : [])],
  watched: [...WATCHED, ...(recorded ? WATCHED_RECORDED : [])],
  tuning: TUNING,
});
