import type { Rooms } from '../memory/courses.js';
import { TRAINING, WATCHED } from '../memory/train-memory.js';

/** Seeds of rooms for training both networks together begin here; each row has a thousand or more of its own. */
const FIRST_SEED = 600_000;
const SEEDS_OF_A_ROW = 2000;

/** Receivers at 5 GHz. Nexmon's 242 subcarriers take two to five times as long to simulate as the Intel's 30. */
const DEVICES = ['intel-5300', 'nexmon'] as const;
const SHARES = { 'intel-5300': 1.4, nexmon: 0.5 } as const;
/** Rooms of these make up a third of all: for a device with the share 1. */
const KINDS: readonly Omit<Rooms, 'first'>[] = [
  { count: 200 },
  { kind: 'pet', count: 30 },
  { kind: 'curtain', count: 12 },
  { kind: 'fan', count: 4 },
  { kind: 'daily', count: 40 },
  { kind: 'rest', count: 40 },
  { kind: 'asleep', count: 24 },
  { kind: 'fallen', count: 50 },
  { kind: 'many', count: 20 },
  { links: 1, count: 40 },
  { links: 2, count: 40 },
];
const FIVE_GHZ = DEVICES.flatMap((device) =>
  KINDS.map((row) => ({ ...row, device, count: Math.round(SHARES[device] * row.count) })),
);

/** Other frame rates than {@link TRAINING} has. */
const RATES: readonly Omit<Rooms, 'first'>[] = [
  { rateHz: 20, count: 120 },
  { rateHz: 30, count: 120 },
  { rateHz: 100, count: 60 },
];

/** Rows whose seeds begin at `first`. */
const seeded = (first: number, rows: readonly Omit<Rooms, 'first'>[]): Rooms[] =>
  rows.map((row, index) => ({ ...row, first: first + SEEDS_OF_A_ROW * index }));

/**
 * Training rooms: as many of each kind as `csiflow train memory` uses, and rooms at 5 GHz and of other frame
 * rates, with seeds of their own.
 */
const training = seeded(FIRST_SEED, [...TRAINING, ...FIVE_GHZ, ...RATES]);

/** Validation rooms: those of `csiflow train memory`, and the same at 5 GHz. */
const watched: readonly Rooms[] = [
  ...WATCHED,
  ...DEVICES.flatMap((device, index): Rooms[] => [
    { device, first: 745_500 + 50 * index, count: 14 },
    { device, kind: 'pet', first: 745_530 + 50 * index, count: 3 },
    { device, kind: 'fallen', first: 745_540 + 50 * index, count: 3 },
  ]),
];

/** Seeds of the rooms for the networks of 5 GHz, and of those in which these are validated. */
const SEEDS_OF_FIVE = { training: 2_000_000, watched: 2_100_000 } as const;
/** As many rooms as {@link TRAINING} has, times this. */
const MORE = 1.5;

/** All at 5 GHz: as many of each kind as at 2.4 GHz. */
const five = seeded(
  SEEDS_OF_FIVE.training,
  TRAINING.map((row) => ({ ...row, band: '5-ghz', count: Math.round(MORE * row.count) })),
);
const watchedFive = seeded(
  SEEDS_OF_FIVE.watched,
  WATCHED.map((row) => ({ ...row, band: '5-ghz' })),
);

/** Seeds of the rooms with echoes of all strengths, and of those in which their networks are validated. */
const SEEDS_OF_ECHOES = { training: 2_200_000, watched: 2_300_000 } as const;
/** Rooms that nobody calibrated. Networks that learnt too few of them see ghosts there. */
const NOT_CALIBRATED: readonly Omit<Rooms, 'first'>[] = (['leave', 'empty', 'curtain', 'pet'] as const).map(
  (kind) => ({ kind, calibrated: false, count: 60 }),
);
/** Rooms that are empty or become empty: {@link WATCHED} has few. */
const WATCHED_EMPTY: readonly Omit<Rooms, 'first'>[] = [
  { kind: 'leave', count: 8 },
  { kind: 'leave', calibrated: false, count: 8 },
  { kind: 'empty', calibrated: false, count: 6 },
  { kind: 'curtain', count: 6 },
];
const echoes = seeded(
  SEEDS_OF_ECHOES.training,
  [...TRAINING, ...NOT_CALIBRATED].map((row) => ({ ...row, echoes: true })),
);
const watchedEchoes = seeded(
  SEEDS_OF_ECHOES.watched,
  [...WATCHED, ...WATCHED_EMPTY].map((row) => ({ ...row, echoes: true })),
);

export const TABLES = {
  ...{ training, watched, five, echoes },
  ...{ 'watched-five': watchedFive, 'watched-echoes': watchedEchoes },
} as const;

/** A room of a table. */
export interface WantedRoom extends Pick<
  Rooms,
  'kind' | 'links' | 'device' | 'rateHz' | 'band' | 'calibrated' | 'echoes'
> {
  readonly seed: number;
}

/**
 * The rooms of a table in an order in which any beginning has all rows in proportion: a simulation that runs out of
 * time still has rooms of each kind.
 */
export function inTurn(rows: readonly Rooms[]): WantedRoom[] {
  const placed = rows.flatMap(({ first, count, ...wanted }) =>
    Array.from({ length: count }, (_, i) => ({
      at: (i + 0.5) / count,
      room: { ...wanted, seed: first + i },
    })),
  );
  return placed.sort((a, b) => a.at - b.at).map(({ room }) => room);
}
