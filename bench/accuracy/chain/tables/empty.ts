import type { PersonConfig } from '../../../../pipeline/sources/simulator/script.js';
import { isOccupancyKnown, measuresIn, occupancyAt, poseFramesIn, seenIn, toldOf } from '../answers.js';
import { meanOver, shareOfRooms, type Figure } from '../bootstrap.js';
import {
  countsPersons,
  calibrated,
  each,
  playIn,
  seedsOf,
  uncalibrated,
  type Plan,
  type PlannedRoom,
} from '../plan.js';
import type { Observed } from '../scene.js';
import type { Column, Row, Table } from '../table.js';
import type { Truth } from '../truth.js';
import { mean } from '../../../../operators/shared/mean.js';

export const EMPTY_COLUMNS = [
  { id: 'ghosts', title: 'rooms where more than 5 % of empty frames see a person', unit: 'rooms' },
  { id: 'seen', title: 'empty: frames that see a person', unit: 'share' },
  { id: 'told', title: 'empty: frames that report a person', unit: 'share' },
  { id: 'skeleton', title: 'empty: frames with a skeleton', unit: 'share' },
  { id: 'presence', title: 'empty: seconds with presence', unit: 'share' },
  { id: 'wrong30', title: 'rooms with a wrong occupancy 30 s after', unit: 'rooms' },
  { id: 'wrongLater', title: 'occupancy wrong, of the time after that', unit: 'share' },
  { id: 'unknown', title: 'occupancy unknown, of the same time', unit: 'share' },
  { id: 'missed', title: 'walking: frames that see nobody', unit: 'share' },
  { id: 'missedPresence', title: 'walking: seconds without presence', unit: 'share' },
] as const satisfies readonly Column[];

/** A room has a ghost if a larger share of its empty frames sees somebody. */
const GHOST = 0.05;

/** Claims in one scene: 1 where the condition holds, 0 where it does not, for each pose frame, second or room. */
export type Counts = Readonly<Record<(typeof EMPTY_COLUMNS)[number]['id'], readonly number[]>>;

const VARIANTS = [
  { name: 'calibrated', calibrated: true, emptyFirst: 0 },
  { name: 'not calibrated', calibrated: false, emptyFirst: 0 },
  { name: 'not calibrated, the first 20 s empty', calibrated: false, emptyFirst: 20 },
] as const;

const WALK_S = 20;
/** The person reaches the door within this time. */
const LEAVE_S = 15;
/** Time after somebody enters until windows contain only data with them, microseconds. */
const SETTLED_US = 4e6;
const SECOND = 1e6;

export async function emptyRooms(plan: Plan): Promise<Table> {
  const scenes = await each(plan, seedsOf(plan, 1), async (seed) => {
    const room = uncalibrated(seed, plan.links[0]!);
    const measured = await calibrated(plan, room);
    const counts: Counts[] = [];
    for (const variant of VARIANTS)
      counts.push(await leaveBehind(plan, variant.calibrated ? measured : room, variant));
    return counts;
  });
  const rows = VARIANTS.map(({ name }, index): Row => {
    const counts = scenes.map((scene) => scene[index]!);
    return { name, baseline: false, cells: emptyCells(counts) };
  });
  return {
    id: 'empty',
    title: 'Empty rooms',
    method: `${plan.rooms} rooms with ${plan.links[0]!} links. Somebody walks for ${WALK_S} s and leaves by the door; then the room is empty for ${plan.minutes.empty} min. \`See\`: a person detected in this frame; \`report\`: also a person out of sight, at their last known position. Only windows entirely within the empty time, or within the walk, count. An unknown occupancy counts as the last one known, or as 0 if none was.`,
    columns: EMPTY_COLUMNS,
    rows: [...rows, constant('nobody, always', 0), constant('somebody, always', 1)],
  };
}

/** The cells of {@link EMPTY_COLUMNS}. */
export function emptyCells(counts: readonly Counts[]): Row['cells'] {
  const figure = ({ id, unit }: (typeof EMPTY_COLUMNS)[number]) => {
    const values = counts.map((one) => one[id]);
    return [id, unit === 'rooms' ? roomsWith(values) : meanOver(values)] as const;
  };
  return Object.fromEntries(EMPTY_COLUMNS.map(figure));
}

async function leaveBehind(
  plan: Plan,
  room: PlannedRoom,
  { name, emptyFirst }: (typeof VARIANTS)[number],
): Promise<Counts> {
  const script: PersonConfig['script'] = [
    ...(emptyFirst > 0 ? [{ activity: 'away', seconds: emptyFirst } as const] : []),
    { activity: 'walk', seconds: WALK_S },
    { activity: 'away', seconds: 60 * plan.minutes.empty + LEAVE_S },
  ];
  const observed = await playIn(plan, room, `empty rooms, ${name}`, {
    people: [{ script }],
    seconds: emptyFirst + WALK_S + LEAVE_S + 60 * plan.minutes.empty,
  });
  const zones = countsPersons(plan);
  return countsOf(observed, zones, 60 * plan.minutes.empty * SECOND);
}

/** @param values of each room: one number, or none if it was not observed for long enough */
const roomsWith = (values: readonly (readonly number[])[]) =>
  shareOfRooms(
    values.flat().reduce((sum, value) => sum + value, 0),
    values.flat().length,
  );

/** @param empty the part of the empty time that counts, microseconds */
export function countsOf(
  observed: Observed & { readonly truth: Truth },
  zones: boolean,
  empty: number,
): Counts {
  const { moments } = observed.truth;
  const there = moments.filter(({ people }) => people.length > 0);
  const came = there[0]!.time;
  const left = there.at(-1)!.time;
  const end = Math.min(left + empty, observed.end);
  const quiet = poseFramesIn(observed, left, end);
  const walking = poseFramesIn(observed, came + SETTLED_US, left);
  const share = (poseFrames: typeof quiet, is: (poseFrame: (typeof quiet)[number]) => boolean) =>
    poseFrames.map((poseFrame) => Number(is(poseFrame)));
  const later: number[] = [];
  for (let time = left + 30 * SECOND; time <= end; time += SECOND) later.push(time);
  const wrong = later.map((time) => Number(occupancyAt(observed, zones, time) !== 0));
  // `presence` covers the second before.
  const presence = measuresIn(observed, 'presence', left + 2 * SECOND, end);
  const presenceWalking = measuresIn(observed, 'presence', came + SETTLED_US, left);
  const seen = share(quiet, (poseFrame) => seenIn(poseFrame).length > 0);
  return {
    ghosts: quiet.length === 0 ? [] : [Number(mean(seen) > GHOST)],
    seen,
    told: share(quiet, (poseFrame) => toldOf(poseFrame).length > 0),
    skeleton: share(quiet, (poseFrame) => toldOf(poseFrame).some(({ articulated }) => articulated)),
    presence: presence.map((value) => Number(value > 0)),
    wrong30: wrong.slice(0, 1),
    wrongLater: wrong,
    unknown: later.map((time) => Number(!isOccupancyKnown(observed, zones, time))),
    missed: share(walking, (poseFrame) => seenIn(poseFrame).length === 0),
    missedPresence: presenceWalking.map((value) => Number(value === 0)),
  };
}

function constant(name: string, claims: 0 | 1): Row {
  const figure = (value: number): Figure => ({ value, low: value, high: value, rooms: 0 });
  const values: Readonly<Record<string, number>> = {
    ...Object.fromEntries(EMPTY_COLUMNS.map(({ id }) => [id, claims] as const)),
    ...{ unknown: 0, missed: 1 - claims, missedPresence: 1 - claims },
  };
  const cells = Object.entries(values).map(([id, value]) => [id, figure(value)] as const);
  return { name, baseline: true, cells: Object.fromEntries(cells) };
}
