import { JOINTS } from '../networks/body.js';
import { LINK_FEATURES } from '../inputs/features.js';

/** Activity in the middle of a window: the rows of result tables. */
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

/** Largest number of people in a sample's truth. */
export const MAX_PEOPLE = 4;

/** Layout of the truth of one person. */
export const PERSON = {
  activity: 0,
  /** Floor point below the pelvis, metres. */
  root: 1,
  /** Cosine and sine of the heading. */
  heading: 3,
  posture: 5,
  /** 1 if the person is walking. */
  moving: 6,
  /** Relative to the floor root, in the body's own axes. */
  joints: 7,
  size: 7 + 3 * JOINTS,
} as const;

/** Layout of a sample's truth: the number of people, then each of them. */
export const TRUTH = { people: 0, first: 1, size: 1 + MAX_PEOPLE * PERSON.size } as const;

/** The truth of person number `person` of a sample. */
export const personTruth = (truth: Float32Array, sample: number, person: number): Float32Array => {
  const at = sample * TRUTH.size + TRUTH.first + person * PERSON.size;
  return truth.subarray(at, at + PERSON.size);
};

/** Number of people in a sample's truth. */
export const peopleIn = (truth: Float32Array, sample: number): number =>
  truth[sample * TRUTH.size + TRUTH.people]!;

/** For a room and its links: sides, then both antennas of each link. */
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
  /** Number of the simulated room and body: a split never separates its windows. */
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
