import type { Person } from '../../pipeline/model/index.js';
import { sigmaOf } from '../shared/floor-error.js';
import type { FloorState, Measurement } from './floor-filter.js';
import { pair, REFUSED, type Followed } from './strategy.js';

type Track = Followed<{ readonly floor: FloorState }>;

/**
 * The person of each track, -1 if it has none: the most probable explanation of the whole pose frame, in which a
 * track is either reported as one person or missed (lowest total cost by the Hungarian method).
 * @param gateSigma largest distance between a reported person and the expected position of a track, standard
 * deviations
 */
export function explain(
  tracks: readonly Track[],
  persons: readonly Person[],
  gateSigma: number,
): readonly number[] {
  // A separate column for each track that is missed.
  return pair(tracks, [...persons, ...tracks], (track, measured) => {
    if ('positionError' in measured) return cost(track, measured, gateSigma);
    return measured === track ? -Math.log(1 - seenAgain(track)) : REFUSED;
  }).map((column) => (column < persons.length ? column : -1));
}

/** Negative log-likelihood that a person is reported for a track. */
function cost(track: Track, person: Person, gateSigma: number): number {
  const { x, y, cov } = track.body.floor;
  const measured = measurement(person);
  const variance = cov.pp + measured.sigma ** 2;
  const distance = ((measured.x - x.place) ** 2 + (measured.y - y.place) ** 2) / variance;
  if (!(distance <= gateSigma ** 2)) return REFUSED;
  return 0.5 * distance + Math.log(2 * Math.PI * variance * STRANGERS) - Math.log(seenAgain(track));
}

export const measurement = ({ position, positionError }: Person): Measurement => ({
  x: position.x,
  y: position.y,
  sigma: Math.max(MIN_SIGMA, sigmaOf(positionError)),
});

const MIN_SIGMA = 0.02;
/** Rate of new people per square metre and pose frame. */
const STRANGERS = 1e-4;
/** Probability that a pose frame shows a person who was shown in the previous one, or who was not. */
const SEEN = { before: 0.95, lost: 0.5 };
const seenAgain = ({ state }: Track): number => (state === 'lost' ? SEEN.lost : SEEN.before);
