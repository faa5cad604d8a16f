import type { PoseFrame, Posture } from '../../../../pipeline/model/index.js';
import type { PersonConfig } from '../../../../pipeline/sources/simulator/script.js';
import { poseFramesIn, middleError, placeError, seenIn, surestOf } from '../answers.js';
import { meanOver, over, type Figure } from '../bootstrap.js';
import type { Played } from '../scene.js';
import { each, howCalibrated, playIn, plannedRoom, seedsOf, type Plan, type PlannedRoom } from '../plan.js';
import type { Column, Row, Table } from '../table.js';
import { mean } from '../../../../operators/shared/mean.js';

const COLUMNS: readonly Column[] = [
  { id: 'place', title: 'position, mean error', unit: 'm' },
  { id: 'predicted', title: 'reported error', unit: 'm' },
  { id: 'posture', title: 'posture right', unit: 'share' },
  { id: 'balanced', title: 'posture right, balanced over three', unit: 'share' },
  { id: 'abstained', title: 'frames without an answer', unit: 'share' },
  { id: 'unseen', title: 'frames that see nobody', unit: 'share' },
];

const KINDS = [
  { name: 'standing', activity: 'stand', posture: 'upright' },
  { name: 'sitting', activity: 'sit', posture: 'sitting' },
  { name: 'lying', activity: 'lie', posture: 'lying' },
] as const;

/** A part of a rest. */
interface Rest {
  readonly posture: Posture;
  readonly place: readonly number[];
  readonly predicted: readonly number[];
  /** 1 if the reported posture is correct; pose frames without an answer count as wrong. */
  readonly right: readonly number[];
  readonly abstained: readonly number[];
  readonly unseen: readonly number[];
  readonly middle: readonly number[];
}

const WALK_S = 15;
/** The rest is judged in its first seconds, and in the last minute of a long one. */
const STILL_S = 60;
const LONG_S = 300;
/** Time after somebody sits or lies down until no window contains the movement. */
const SETTLED_US = 3e6;

export async function still(plan: Plan): Promise<Table> {
  const rooms = await each(plan, seedsOf(plan, 3), async (seed) => {
    const room = await plannedRoom(plan, seed, plan.links[0]!);
    const rests: Rests[] = [];
    for (const kind of KINDS) rests.push(await restsIn(plan, room, kind));
    return rests;
  });
  const first = rooms.map((rests) => rests.map((rest) => rest.first));
  const last = rooms.map((rests) => rests.map((rest) => rest.last));
  return {
    id: 'still',
    title: `Still for ${STILL_S} s`,
    method: `${plan.rooms} rooms with ${plan.links[0]!} links, ${howCalibrated(plan)}. One person walks in for ${WALK_S} s, then stands, sits or lies still for ${LONG_S / 60} min. The first ${STILL_S} s of that are judged, without their first ${SETTLED_US / 1e6} s, and in separate rows the last ${STILL_S} s. A frame without an answer counts as a wrong posture.`,
    columns: COLUMNS,
    rows: [...rowsOf(first, ''), ...rowsOf(last, ', after four minutes'), baselineOf(first)],
  };
}

const rowsOf = (rooms: readonly (readonly Rest[])[], when: string): Row[] => [
  ...KINDS.map(({ name }, kind) =>
    rowOf(
      `${name}${when}`,
      rooms.map((rests) => [rests[kind]!]),
    ),
  ),
  rowOf(`all three${when}`, rooms),
];

/** The first and the last part of one rest. */
interface Rests {
  readonly first: Rest;
  readonly last: Rest;
}

async function restsIn(plan: Plan, room: PlannedRoom, kind: (typeof KINDS)[number]): Promise<Rests> {
  const { name, activity } = kind;
  const script: PersonConfig['script'] = [
    { activity: 'walk', seconds: WALK_S },
    { activity, seconds: LONG_S + 1 },
  ];
  const seconds = WALK_S + LONG_S + 8;
  const observed = await playIn(plan, room, `still, ${name}`, { people: [{ script }], seconds });
  const began = observed.truth.beginnings(activity)[0]?.time ?? NaN;
  const part = (from: number, to: number) =>
    restIn(room, observed, kind, poseFramesIn(observed, began + from, Math.min(observed.end, began + to)));
  return {
    first: part(SETTLED_US, STILL_S * 1e6),
    last: part((LONG_S - STILL_S) * 1e6, LONG_S * 1e6),
  };
}

function restIn(
  room: PlannedRoom,
  observed: Played,
  { activity, posture }: (typeof KINDS)[number],
  poseFrames: readonly PoseFrame[],
): Rest {
  if (poseFrames.length === 0)
    throw new Error(`${room.environment.id}: nobody comes to ${activity} in this scene`);
  const rest = { posture, place: [], predicted: [], right: [], abstained: [], unseen: [], middle: [] };
  const found: Record<Exclude<keyof Rest, 'posture'>, number[]> = { ...rest };
  for (const poseFrame of poseFrames) {
    const truth = observed.truth.at(poseFrame.time)?.people[0];
    if (!truth) continue;
    const person = surestOf(poseFrame);
    found.middle.push(middleError(room.environment, truth));
    found.abstained.push(Number(!person));
    found.unseen.push(Number(seenIn(poseFrame).length === 0));
    found.right.push(Number(person?.posture === posture));
    if (!person) continue;
    found.place.push(placeError(person, truth));
    found.predicted.push(person.positionError);
  }
  return { ...found, posture };
}

function rowOf(name: string, rooms: readonly (readonly Rest[])[]): Row {
  const values = (of: (rest: Rest) => readonly number[]) => meanOver(rooms.map((rests) => rests.flatMap(of)));
  const three = new Set(rooms.flat().map(({ posture }) => posture)).size > 1;
  return {
    name,
    baseline: false,
    cells: {
      place: values(({ place }) => place),
      predicted: values(({ predicted }) => predicted),
      posture: values(({ right }) => right),
      ...(three ? { balanced: balanced(rooms) } : {}),
      abstained: values(({ abstained }) => abstained),
      unseen: values(({ unseen }) => unseen),
    },
  };
}

/** Mean over the postures of their shares of correct pose frames. */
const balanced = (rooms: readonly (readonly Rest[])[]): Figure =>
  over(rooms, (drawn) => {
    const rests = drawn.flat();
    const recall = (posture: Posture) =>
      mean(rests.filter((rest) => rest.posture === posture).flatMap(({ right }) => right));
    return mean(KINDS.map(({ posture }) => recall(posture)));
  });

function baselineOf(rooms: readonly (readonly Rest[])[]): Row {
  const third: Figure = { value: 1 / 3, low: 1 / 3, high: 1 / 3, rooms: 0 };
  return {
    name: "the room's middle, always standing",
    baseline: true,
    cells: {
      place: meanOver(rooms.map((rests) => rests.flatMap(({ middle }) => middle))),
      posture: third,
      balanced: third,
    },
  };
}
