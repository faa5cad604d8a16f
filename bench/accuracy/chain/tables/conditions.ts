import { mean } from '../../../../operators/shared/mean.js';
import type { PersonConfig } from '../../../../pipeline/sources/simulator/script.js';
import type { Environment } from '../../../../pipeline/model/index.js';
import { located, occupancyAt, poseFramesIn, seenIn, toldOf, type Located } from '../answers.js';
import { exact, meanOver, over, shareOfRooms } from '../bootstrap.js';
import {
  countsPersons,
  calibrated,
  each,
  howCalibrated,
  isCalibrated,
  playIn,
  seedsOf,
  uncalibrated,
  type Plan,
  type PlannedRoom,
} from '../plan.js';
import type { Played, Scene } from '../scene.js';
import type { Column, Row } from '../table.js';
import { SETTLED_US } from './walking.js';

/** The same rooms and scene under several conditions, one a row. */

export const CONDITION_COLUMNS: readonly Column[] = [
  { id: 'place', title: 'walking: position, mean error', unit: 'm' },
  { id: 'predicted', title: 'reported error', unit: 'm' },
  { id: 'abstained', title: 'walking: frames without an answer', unit: 'share' },
  { id: 'more', title: 'walking: frames that report more than one person', unit: 'share' },
  { id: 'seen', title: 'empty: frames that see a person', unit: 'share' },
  { id: 'told', title: 'empty: frames that report a person', unit: 'share' },
  { id: 'occupied', title: 'empty: rooms with a wrong occupancy at the end', unit: 'rooms' },
];

/** Conditions that differ from those of the other tables. */
export interface Condition extends Pick<Scene, 'simulator' | 'bad' | 'actual'> {
  readonly person?: Omit<PersonConfig, 'script'>;
}

export interface Variant {
  readonly name: string;
  /** Its own room, calibrated by itself; null: that of the first variant. */
  readonly room: ((room: Environment, seed: number) => Environment) | null;
  /** @param room the first variant's */
  readonly condition: (room: Environment, seed: number) => Condition;
  /** What the topology says instead of the room that is simulated. */
  readonly described?: (room: Environment, seed: number) => Environment;
}

const WALK_S = 25;
/** The person reaches the door within this time. */
const LEAVE_S = 15;
const EMPTY_S = 25;
const SECONDS = WALK_S + LEAVE_S + EMPTY_S;
const SCRIPT: PersonConfig['script'] = [
  { activity: 'walk', seconds: WALK_S },
  { activity: 'away', seconds: SECONDS },
];

/** What was reported in one scene; located while the person walks. */
export interface Told extends Located {
  /** While somebody walks. */
  readonly more: readonly number[];
  /** While the room is empty. */
  readonly seen: readonly number[];
  readonly told: readonly number[];
  readonly occupied: boolean;
}

/** For the method of a table. */
export const scenesText = (plan: Plan): string =>
  `The same ${plan.rooms} rooms with ${plan.links[0]!} links in each row, ${howCalibrated(plan)} under the conditions of the row. Somebody walks for ${WALK_S} s and leaves by the door; then the room is empty for about ${EMPTY_S} s, all in one scene from a cold start. Usual conditions: nodes along the walls, an SNR of 15 to 35 dB, ESP32s with 52 subcarriers at 2.4 GHz. Positions: from ${SETTLED_US / 1e6} s on until the person has left; the answer of a frame is its most certain person. \`See\` and \`report\` have the same meaning as for empty rooms. The occupancy is that at the end of the scene.`;

/** @param table its number, see {@link seedsOf} @returns for each room, by the name of the variant */
export const underEach = (
  plan: Plan,
  table: number,
  variants: readonly Variant[],
): Promise<readonly ReadonlyMap<string, Told>[]> =>
  each(plan, seedsOf(plan, table), async (seed) => {
    const usual = uncalibrated(seed, plan.links[0]!);
    const isShared = variants.some(({ room }) => room === null);
    const measured = isShared ? await calibratedFor(plan, usual, {}) : usual;
    const found = new Map<string, Told>();
    for (const variant of variants) found.set(variant.name, await toldIn(plan, measured, variant));
    return found;
  });

/** @param usual the rooms of any variant */
export const conditionBaselines = (usual: readonly Told[]): readonly Row[] => [
  {
    name: "the room's middle; never anybody",
    baseline: true,
    cells: {
      place: meanOver(usual.map(({ middle }) => middle)),
      ...{ more: exact(0), seen: exact(0), told: exact(0), occupied: exact(0) },
    },
  },
  {
    name: 'always somebody',
    baseline: true,
    cells: { more: exact(0), seen: exact(1), told: exact(1), occupied: exact(1) },
  },
];

const calibratedFor = async (plan: Plan, room: PlannedRoom, condition: Condition): Promise<PlannedRoom> =>
  isCalibrated(plan.topology) ? calibrated(plan, room, condition.simulator) : room;

async function toldIn(plan: Plan, usual: PlannedRoom, variant: Variant): Promise<Told> {
  const { seed, environment } = usual;
  const { person, ...condition } = variant.condition(environment, seed);
  const own = variant.room?.(environment, seed);
  const room = own ? await calibratedFor(plan, { ...usual, environment: own }, condition) : usual;
  const described = variant.described ? { ...room, environment: variant.described(environment, seed) } : room;
  const played = await playIn(plan, described, variant.name, {
    people: [{ ...person, script: SCRIPT }],
    seconds: SECONDS,
    ...condition,
  });
  const zones = countsPersons(plan);
  return told(played, described, zones);
}

function told(played: Played, room: PlannedRoom, zones: boolean): Told {
  const { moments } = played.truth;
  const there = moments.filter(({ people }) => people.length > 0);
  const left = there.at(-1)!.time;
  const walking = poseFramesIn(played, there[0]!.time + SETTLED_US, left);
  const empty = poseFramesIn(played, left, played.end);
  return {
    ...located(walking, played.truth, room.environment),
    more: walking.map((poseFrame) => Number(toldOf(poseFrame).length > 1)),
    seen: empty.map((poseFrame) => Number(seenIn(poseFrame).length > 0)),
    told: empty.map((poseFrame) => Number(toldOf(poseFrame).length > 0)),
    occupied: occupancyAt(played, zones, played.end) !== 0,
  };
}

const placesOf = ({ answers }: Told) => answers.map(({ real }) => real);

/** @param fewer the same rooms with one link fewer, for the difference */
export function conditionRow(
  name: string,
  rooms: readonly Told[],
  fewer: readonly Told[] | null = null,
): Row {
  const values = (of: (one: Told) => readonly number[]) => meanOver(rooms.map(of));
  const share = (is: (one: Told) => boolean) => shareOfRooms(rooms.filter(is).length, rooms.length);
  return {
    name,
    baseline: false,
    cells: {
      place: values(placesOf),
      ...(fewer && { worse: over(differences(rooms, fewer), mean) }),
      predicted: values(({ answers }) => answers.map((answer) => answer.told)),
      abstained: values(({ abstained }) => abstained),
      more: values(({ more }) => more),
      seen: values(({ seen }) => seen),
      told: values(({ told: reported }) => reported),
      occupied: share(({ occupied }) => occupied),
    },
  };
}

/** For each room, how much its mean error is larger than with one link fewer. */
const differences = (rooms: readonly Told[], fewer: readonly Told[]): readonly number[] =>
  rooms
    .map((one, index) => mean(placesOf(one)) - mean(placesOf(fewer[index]!)))
    .filter((difference) => Number.isFinite(difference));
