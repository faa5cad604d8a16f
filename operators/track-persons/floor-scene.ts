import type { Person } from '../../pipeline/model/index.js';
import { sigmaOf } from '../shared/floor-error.js';
import { expected, type FloorState, type Measurement } from './floor-filter.js';
import type { Explanation } from './groups.js';
import type { Gait } from './rest.js';
import type { Followed } from './strategy.js';

export interface Walker extends Gait {
  readonly floor: FloorState;
}

/** The tracks and persons of one frame, as likelihoods of who is told as whom. */
export class FloorScene implements Explanation {
  readonly tracks: number;
  readonly persons: number;
  readonly #tracks: readonly Followed<Walker>[];
  readonly #persons: readonly Person[];
  readonly #gateSigma: number;
  readonly #mergeMetres: number;

  /** @param mergeMetres distance at which half of all pairs are told as one; 0: none is */
  constructor(
    tracks: readonly Followed<Walker>[],
    persons: readonly Person[],
    { gateSigma, mergeMetres }: { readonly gateSigma: number; readonly mergeMetres: number },
  ) {
    this.#tracks = tracks;
    this.#persons = persons;
    this.#gateSigma = gateSigma;
    this.#mergeMetres = mergeMetres;
    this.tracks = tracks.length;
    this.persons = persons.length;
  }

  cost(group: readonly number[], person: number): number {
    const told = this.#persons[person]!;
    const tracks = group.map((i) => this.#tracks[i]!);
    const { body, state } = tracks[0]!;
    const measured = measurement(told, body.rests);
    const { x, y, variance } =
      tracks.length === 1 ? expected(body.floor, measured.sigma) : merged(tracks, measured.sigma);
    const distance = ((measured.x - x) ** 2 + (measured.y - y) ** 2) / variance;
    if (!(distance <= this.#gateSigma ** 2)) return Infinity;
    const seen = state === 'lost' ? SEEN_AGAIN : SEEN;
    return 0.5 * distance + Math.log(2 * Math.PI * variance * STRANGERS) - Math.log(seen);
  }

  missed(group: readonly number[]): number {
    return group.reduce((sum, i) => {
      const { state, body } = this.#tracks[i]!;
      const missed = state === 'lost' ? 1 - SEEN_AGAIN : body.rests ? MISSED_AT_REST : MISSED;
      return sum - Math.log(missed);
    }, 0);
  }

  /** A bell over their distance, seen through the errors of both places. */
  merged(a: number, b: number): number {
    if (this.#mergeMetres === 0) return 0;
    const [one, other] = [this.#tracks[a]!.body.floor, this.#tracks[b]!.body.floor];
    const distance = (one.x.place - other.x.place) ** 2 + (one.y.place - other.y.place) ** 2;
    const reach = this.#mergeMetres ** 2 / (2 * Math.LN2);
    const width = reach + one.cov.pp + other.cov.pp;
    return (reach / width) * Math.exp(-distance / (2 * width));
  }
}

/** The mean of the places of several, and its variance along one axis. */
export function middle(tracks: readonly Followed<Walker>[]): { x: number; y: number; variance: number } {
  const mean = (value: (floor: FloorState) => number): number =>
    tracks.reduce((total, { body }) => total + value(body.floor), 0) / tracks.length;
  return {
    x: mean(({ x }) => x.place),
    y: mean(({ y }) => y.place),
    variance: mean(({ cov }) => cov.pp) / tracks.length,
  };
}

const merged = (tracks: readonly Followed<Walker>[], sigma: number) => {
  const { x, y, variance } = middle(tracks);
  return { x, y, variance: variance + sigma * sigma };
};

/** Places of who rests are wrong by more than is told of them: what a network does not see, it does not know. */
export const measurement = ({ position, positionError }: Person, rests: boolean): Measurement => ({
  x: position.x,
  y: position.y,
  sigma: Math.max(LEAST_SIGMA, sigmaOf(positionError)) * (rests ? REST_EXCESS : 1),
});

const LEAST_SIGMA = 0.02;
const REST_EXCESS = 2;
/** People who turn up anew, a square metre and frame. */
const STRANGERS = 1e-4;
/** Share of frames that tell of somebody who was told of in the one before, or not; and that miss a walker, or who rests. */
const SEEN = 0.97;
const SEEN_AGAIN = 0.5;
const MISSED = 0.05;
const MISSED_AT_REST = 0.3;
