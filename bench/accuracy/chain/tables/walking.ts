import type { Environment, PoseFrame } from '../../../../pipeline/model/index.js';
import type { TruthLine } from '../../../../pipeline/sources/simulator/truth-file.js';
import {
  aligned,
  poseFramesIn,
  headingError,
  jointError,
  jointsOf,
  middleError,
  placeError,
  surestOf,
} from '../answers.js';
import { meanOver, medianOver } from '../bootstrap.js';
import { each, howCalibrated, playIn, plannedRoom, seedsOf, type Plan, type PlannedRoom } from '../plan.js';
import type { Column, Row, Table } from '../table.js';
import type { Truth } from '../truth.js';
import { mean } from '../../../../operators/shared/mean.js';

export const WALKING_COLUMNS: readonly Column[] = [
  { id: 'place', title: 'position, mean error', unit: 'm' },
  { id: 'predicted', title: 'reported error', unit: 'm' },
  { id: 'mpjpe', title: 'MPJPE of skeletons', unit: 'mm' },
  { id: 'mpjpeAll', title: 'MPJPE of all answers', unit: 'mm' },
  { id: 'heading', title: 'heading, median error', unit: 'deg' },
  { id: 'abstained', title: 'frames without an answer', unit: 'share' },
  { id: 'undrawn', title: 'answers without a skeleton', unit: 'share' },
];

/** Errors in one room: one value for each pose frame that has it. */
export interface Walk {
  readonly place: readonly number[];
  readonly predicted: readonly number[];
  readonly mpjpe: readonly number[];
  readonly mpjpeAll: readonly number[];
  readonly heading: readonly number[];
  readonly abstained: readonly number[];
  readonly undrawn: readonly number[];
  readonly middle: readonly number[];
  readonly truths: readonly TruthLine[];
}

export const WALKING_S = 45;
/** Until windows are full and a track is active. */
export const SETTLED_US = 5e6;

export async function walking(plan: Plan): Promise<Table> {
  const nameOf = (links: number) => `${links} links`;
  const rooms = plan.links.flatMap((links) => seedsOf(plan, 2).map((seed) => ({ links, seed })));
  const walks = await each(plan, rooms, async ({ links, seed }) =>
    walkIn(plan, await plannedRoom(plan, seed, links), nameOf(links)),
  );
  const rows = plan.links.flatMap((links, row) => {
    const those = walks.slice(row * plan.rooms, (row + 1) * plan.rooms);
    return [rowOf(nameOf(links), those), baselineOf(nameOf(links), those)];
  });
  return {
    id: 'walking',
    title: 'Walking',
    method: `${plan.rooms} rooms per row, ${howCalibrated(plan)}. One person walks for ${WALKING_S} s; the first ${SETTLED_US / 1e6} s are excluded. The answer of a frame is its most certain person. MPJPE: mean distance of 17 joints in room axes, both poses moved to the middle of the hips.`,
    columns: WALKING_COLUMNS,
    rows,
  };
}

/** @param simulator further settings of the room */
export async function walkIn(
  plan: Plan,
  room: PlannedRoom,
  name: string,
  simulator: Readonly<Record<string, unknown>> = {},
): Promise<Walk> {
  const people = [{ script: [{ activity: 'walk' as const, seconds: WALKING_S + 5 }] }];
  const observed = await playIn(plan, room, `walking, ${name}`, { people, seconds: WALKING_S, simulator });
  const poseFrames = poseFramesIn(observed, observed.start + SETTLED_US, observed.end);
  return errorsOf(poseFrames, observed.truth, room.environment);
}

/** Errors of pose frames about the only person of a scene. Those without a person in the truth do not count. */
export function errorsOf(poseFrames: readonly PoseFrame[], truth: Truth, room: Environment): Walk {
  const walk = { place: [], predicted: [], mpjpe: [], mpjpeAll: [], heading: [], abstained: [], undrawn: [] };
  const found: Record<keyof typeof walk, number[]> & { middle: number[]; truths: TruthLine[] } = {
    ...walk,
    middle: [],
    truths: [],
  };
  for (const poseFrame of poseFrames) {
    const actual = truth.at(poseFrame.time)?.people[0];
    if (!actual) continue;
    found.middle.push(middleError(room, actual));
    found.truths.push(actual);
    const person = surestOf(poseFrame);
    found.abstained.push(Number(!person));
    if (!person) continue;
    found.place.push(placeError(person, actual));
    found.predicted.push(person.positionError);
    const error = jointError(aligned(jointsOf(person)), aligned(actual.keypoints));
    found.mpjpeAll.push(error);
    if (person.articulated) found.mpjpe.push(error);
    found.undrawn.push(Number(!person.articulated));
    const turn = headingError(person, actual);
    if (turn !== undefined) found.heading.push(turn);
  }
  return found;
}

export const rowOf = (name: string, walks: readonly Walk[]): Row => ({
  name,
  baseline: false,
  cells: Object.fromEntries(
    WALKING_COLUMNS.map(({ id }) => {
      const values = walks.map((walk) => walk[id as 'place']);
      return [id, id === 'heading' ? medianOver(values) : meanOver(values)];
    }),
  ),
});

/** Constant answers: the middle of the room, and the mean pose of all these walks. */
export function baselineOf(name: string, walks: readonly Walk[]): Row {
  const poses = walks.map(({ truths }) => truths.map(({ keypoints }) => aligned(keypoints)));
  const all = poses.flat();
  const constant = (all[0] ?? []).map((joint, j) =>
    joint.map((_, axis) => mean(all.map((pose) => pose[j]![axis]!))),
  );
  const errors = poses.map((room) => room.map((pose) => jointError(constant, pose)));
  return {
    name: `${name}: the room's middle, the mean pose`,
    baseline: true,
    cells: {
      place: meanOver(walks.map(({ middle }) => middle)),
      mpjpe: meanOver(errors),
      mpjpeAll: meanOver(errors),
      heading: { value: 90, low: 90, high: 90, rooms: 0 },
    },
  };
}
