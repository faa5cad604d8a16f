import type { Person } from '../../pipeline/model/index.js';
import { turned, type FloorState } from './floor-filter.js';

/** Whether somebody walks or rests, and where they last surely walked. */
export interface Gait {
  /** Evidence of resting: above 1 somebody rests, below -1 they walk. */
  readonly calm: number;
  readonly rests: boolean;
  /** As it was when they last surely walked: there they have come to rest, if they do. */
  readonly walked: FloorState;
}

export const startGait = (floor: FloorState): Gait => ({ calm: 0, rests: false, walked: floor });

/**
 * A network sees who walks and hardly who rests: errors of walkers are small, they stand upright, and no frame misses
 * them. @param still error above which somebody rather rests, metres
 */
export function calmOf({ calm }: Gait, person: Person | null, still: number): number {
  if (!person) return limited(KEPT * calm + UNSEEN);
  const above = Math.max(0, Math.log(person.positionError / still));
  const below = Math.min(0, Math.log(person.positionError / (SURELY_WALKS * still)));
  const posture = person.posture === 'upright' ? 0 : NOT_UPRIGHT;
  return limited(KEPT * calm + limitedTo(ONE_FRAME, SLOPE * (above + below)) + posture);
}

/** Comes to rest where it last surely walked, not where the places went that were told since; walks off from where it rests. */
export function settled(
  gait: Gait,
  floor: FloorState,
  calm: number,
  speed: number,
): Gait & { floor: FloorState } {
  const { rests, walked } = gait;
  if (!rests && calm >= 1) return { calm, rests: true, walked, floor: turned(stepped(walked), 0) };
  if (rests && calm <= -1) return { calm, rests: false, walked, floor: turned(floor, speed) };
  return { calm, rests, walked, floor };
}

/** What is kept of a walk once its newest frame is known. */
export const walkedTo = ({ rests, calm, walked }: Gait, floor: FloorState): FloorState =>
  !rests && calm <= WALKS ? floor : walked;

/** The last step before coming to rest: its variance along one axis, square metres. */
const LAST_STEP = 0.06;
const stepped = (floor: FloorState): FloorState => ({
  ...floor,
  cov: { ...floor.cov, pp: floor.cov.pp + LAST_STEP },
});

/** Evidence of earlier frames that is kept in each. */
const KEPT = 0.95;
const SLOPE = 2;
const ONE_FRAME = 0.4;
const NOT_UPRIGHT = 0.4;
const UNSEEN = 0.1;
const WALKS = -0.6;
/** Share of the error of somebody who rests below which somebody walks. */
const SURELY_WALKS = 0.85;
const MOST = 1.2;

const limitedTo = (most: number, value: number): number => Math.min(most, Math.max(-most, value));
const limited = (calm: number): number => limitedTo(MOST, calm);
