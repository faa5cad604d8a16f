import { Value } from 'typebox/value';
import type { Output } from '../../pipeline/component/index.js';
import { trackPersons } from '../../operators/track-persons/track-persons.js';
import { pair } from '../../operators/track-persons/strategy.js';
import type { Person, PoseFrame } from '../../pipeline/model/index.js';
import { benchContext } from '../shared/context.js';
import { crossing, type Scene, type Story } from './crossings.js';
import { nearness, scoreTracking, type Place, type TrackingScore } from './tracking.js';
import { mean } from '../../operators/shared/mean.js';

/** A reported person: number, place with its error, and whether they are in sight. */
export interface Told extends Place {
  readonly error: number;
  readonly lost: boolean;
}

/** Tracks one scene from its first pose frame on. */
export type Follow = (poseFrames: readonly PoseFrame[]) => readonly (readonly Told[])[];

/**
 * Plain nearest neighbour: each track takes the nearest person within 1.5 m, stays at its last place, and
 * ends 3 s later.
 */
export const nearestNeighbour: Follow = (poseFrames) => {
  let tracks: { id: number; hits: number; seen: number; person: Person }[] = [];
  let next = 1;
  return poseFrames.map(({ time, persons }) => {
    const pairs = tracks
      .flatMap((track) => persons.map((person) => ({ track, person, metres: apart(track.person, person) })))
      .filter(({ metres }) => metres <= 1.5)
      .sort((a, b) => a.metres - b.metres);
    const taken = new Set<unknown>();
    for (const { track, person } of pairs) {
      if (taken.has(track) || taken.has(person)) continue;
      taken.add(track).add(person);
      Object.assign(track, { person, seen: time, hits: track.hits + 1 });
    }
    const fresh = persons.filter((person) => !taken.has(person));
    tracks = tracks.filter(({ seen, hits }) => seen === time || (hits >= 3 && time - seen <= 3e6));
    tracks.push(...fresh.map((person) => ({ id: next++, hits: 1, seen: time, person })));
    return tracks
      .filter(({ hits }) => hits >= 3)
      .map(({ id, seen, person }) => ({
        id,
        ...person.position,
        error: person.positionError,
        lost: seen < time,
      }));
  });
};

const apart = (a: Person, b: Person): number =>
  Math.hypot(a.position.x - b.position.x, a.position.y - b.position.y);

/** The shipped operator, with its defaults except for `config`. */
export function shipped(config: Readonly<Record<string, unknown>> = {}): Follow {
  return (poseFrames) => {
    const full = Value.Default(trackPersons.config, { max_persons: 4, ...config });
    const operator = trackPersons.create(full as never, benchContext(1));
    return poseFrames.map((poseFrame) =>
      (operator.process(poseFrame, 'poses') as Output<PoseFrame>).data.flatMap(({ persons }) =>
        persons.flatMap(told),
      ),
    );
  };
}

const told = ({ position: { x, y }, positionError: error, track }: Person): Told[] =>
  track?.state === 'active' || track?.state === 'lost'
    ? [{ id: track.id, x, y, error, lost: track.state === 'lost' }]
    : [];

export interface Row extends TrackingScore {
  readonly story: Story;
  readonly scenes: number;
  /** Mean distance between tracks and their true persons, metres. */
  readonly metres: number;
  /** Reported and true mean error, by fifths of the reported error. */
  readonly fifths: readonly (readonly [told: number, actual: number])[];
  /** Share of pose frames in which the number of tracks is correct. */
  readonly count: number;
}

/** Scores one tracker over scenes of one kind. */
export function judge(follow: Follow, scenes: readonly Scene[], story: Story): Row {
  const truth: Place[][] = [];
  const tracks: Told[][] = [];
  scenes.forEach((scene, index) => {
    // Makes a scene's numbers unique: no other scene has them.
    const own = <T extends Place>(persons: readonly T[]): T[] =>
      persons.map((one) => ({ ...one, id: one.id + 10_000 * index }));
    truth.push(...scene.truth.map(own));
    tracks.push(...follow(scene.poseFrames).map(own));
  });
  const errors = truth.flatMap((persons, frame) => errorsOf(persons, tracks[frame]!));
  const right = truth.filter((persons, frame) => persons.length === tracks[frame]!.length).length;
  return {
    ...{ story, scenes: scenes.length },
    ...scoreTracking(truth, tracks, nearness),
    metres: mean(errors.map(({ actual }) => actual)),
    fifths: fifthsOf(errors),
    count: right / truth.length,
  };
}

/** For each person the nearest track, at any distance; each track is used at most once. */
function errorsOf(truth: readonly Place[], tracks: readonly Told[]): { told: number; actual: number }[] {
  const distance = (a: Place, b: Told): number => Math.hypot(a.x - b.x, a.y - b.y);
  return pair(truth, tracks, distance).flatMap((j, i) =>
    j < 0 ? [] : [{ told: tracks[j]!.error, actual: distance(truth[i]!, tracks[j]!) }],
  );
}

export function fifthsOf(errors: readonly { told: number; actual: number }[]): [number, number][] {
  const sorted = [...errors].sort((a, b) => a.told - b.told);
  return [0, 1, 2, 3, 4].map((fifth) => {
    const part = sorted.slice(
      Math.floor((fifth * sorted.length) / 5),
      Math.floor(((fifth + 1) * sorted.length) / 5),
    );
    return [mean(part.map(({ told }) => told)), mean(part.map(({ actual }) => actual))];
  });
}

export const scenesOf = (first: number, count: number, story: Story, people = 2): Scene[] =>
  Array.from({ length: count }, (_, index) => crossing(first + index, story, people));
