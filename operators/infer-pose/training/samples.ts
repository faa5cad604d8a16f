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

/** People that a sample's truth has room for. */
export const MAX_PEOPLE = 4;

/** Places in the truth of one person. */
export const PERSON = {
  activity: 0,
  /** Floor point below the pelvis, metres. */
  root: 1,
  /** Cosine and sine of the heading. */
  heading: 3,
  posture: 5,
  /** 1 where the person walks about. */
  moving: 6,
  /** Relative to the floor root, in the body's own frame. */
  joints: 7,
  size: 7 + 3 * JOINTS,
} as const;

/** Places in a sample's truth: how many people, then each of them. */
export const TRUTH = { people: 0, first: 1, size: 1 + MAX_PEOPLE * PERSON.size } as const;

/** The truth of person number `person` of a sample. */
export const personTruth = (truth: Float32Array, sample: number, person: number): Float32Array => {
  const at = sample * TRUTH.size + TRUTH.first + person * PERSON.size;
  return truth.subarray(at, at + PERSON.size);
};

/** How many people a sample's truth holds. */
export const peopleIn = (truth: Float32Array, sample: number): number =>
  truth[sample * TRUTH.size + TRUTH.people]!;

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
