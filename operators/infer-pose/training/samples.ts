import { JOINTS } from '../body.js';
import { LINK_FEATURES } from '../features.js';

/** What is done during the middle of a window: what tables of results are split by. */
export const ACTIVITIES = [
  'walking',
  'arms',
  'changing',
  'standing',
  'sitting',
  'lying',
  'falling',
  'empty',
] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** Places in a sample's truth. */
export const TRUTH = {
  /** 1 where somebody is there; all else is 0 where nobody is. */
  present: 0,
  activity: 1,
  /** Floor point below the pelvis, metres. */
  root: 2,
  /** Cosine and sine of the heading. */
  heading: 4,
  posture: 6,
  /** Relative to the floor root, in the body's own frame. */
  joints: 7,
  size: 7 + 3 * JOINTS,
} as const;

/** Of a room and its links: sides, then both antennas of each link. */
export const PLACES_HEAD = 2;
export const PLACE_OF_LINK = 6;

/** Labelled windows as columns, all with the same number of links. Survives a structured clone. */
export interface Samples {
  readonly count: number;
  readonly links: number;
  /** [count, links, LINK_FEATURES] */
  readonly features: Float32Array;
  /** [count, PLACES_HEAD + links * PLACE_OF_LINK] */
  readonly places: Float32Array;
  /** [count, TRUTH.size] */
  readonly truth: Float32Array;
  /** Number of the simulated room and body: windows of one never stand on both sides of a split. */
  readonly room: Uint32Array;
}

export function allocateSamples(count: number, links: number): Samples {
  return {
    count,
    links,
    features: new Float32Array(count * links * LINK_FEATURES),
    places: new Float32Array(count * (PLACES_HEAD + links * PLACE_OF_LINK)),
    truth: new Float32Array(count * TRUTH.size),
    room: new Uint32Array(count),
  };
}
