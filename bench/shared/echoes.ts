import { Random } from '../../pipeline/sources/simulator/shared/random.js';

/** No random stream of the simulator has this number. */
const STREAM = 81;
/** Share of rooms whose people and things reflect as their geometry says. */
const USUAL = 0.35;
/** The others, decibels. People then change a channel about as much as in most recordings (bench/referee/echoes.ts). */
const ECHO_DB = [-4, 14] as const;

/** How much more people and things reflect in a training room, decibels. */
export function echoOf(seed: number): number {
  const random = new Random(seed, STREAM);
  return random.chance(USUAL) ? 0 : random.uniform(...ECHO_DB);
}
