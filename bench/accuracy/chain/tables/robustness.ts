import { mean } from '../../../../operators/shared/mean.js';
import type { PersonConfig } from '../../../../pipeline/sources/simulator/script.js';
import type { Environment } from '../../../../pipeline/model/index.js';
import { located, occupancyAt, poseFramesIn, seenIn, toldOf, type Located } from '../answers.js';
import { exact, meanOver, over, shareOfRooms } from '../bootstrap.js';
import { inCeilingCorners, misplaced, onOneWall } from '../layouts.js';
import {
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
import type { Column, Row, Table } from '../table.js';

const COLUMNS: readonly Column[] = [
  { id: 'place', title: 'walking: position, mean error', unit: 'm' },
  { id: 'worse', title: 'minus that of one link fewer from the beginning', unit: 'm' },
  { id: 'predicted', title: 'reported error', unit: 'm' },
  { id: 'abstained', title: 'walking: frames without an answer', unit: 'share' },
  { id: 'more', title: 'walking: frames that report more than one person', unit: 'share' },
  { id: 'seen', title: 'empty: frames that see a person', unit: 'share' },
  { id: 'told', title: 'empty: frames that report a person', unit: 'share' },
  { id: 'occupied', title: 'empty: rooms with a wrong occupancy at the end', unit: 'rooms' },
];

/** Conditions that differ from those of the other tables. */
type Condition = Pick<Scene, 'simulator' | 'bad' | 'actual'>;

interface Variant {
  readonly name: string;
  /** Its own room, calibrated by itself; null: that of the first variant. */
  readonly room: ((room: Environment, seed: number) => Environment) | null;
  /** @param room the first variant's */
  readonly condition: (room: Environment, seed: number) => Condition;
  /** Whether it loses a link, and is compared with the room that has one fewer. */
  readonly losesOne?: boolean;
}

const MISPLACED_M = 0.5;
const LOW_SNR_DB = [5, 12];

/** The link that is bad, or left out. */
const badOf = ({ links }: Environment, seed: number): string => links[seed % links.length]!.id;

const same = (room: Environment): Environment => room;
const asUsual = (): Condition => ({});

/** Other receivers than the ESP32s of the first variant. */
const receivedBy = (name: string, device: string): Variant => ({
  name,
  room: same,
  condition: () => ({ simulator: { device } }),
});

const FEWER = 'one link fewer from the beginning';

const VARIANTS: readonly Variant[] = [
  { name: 'as usual', room: null, condition: asUsual },
  {
    name: `nodes misplaced by ${MISPLACED_M} m`,
    room: null,
    condition: (actual) => ({ actual }),
  },
  {
    name: 'one link delivers noise',
    room: null,
    condition: (room, seed) => ({ bad: { link: badOf(room, seed), fault: 'noise' } }),
    losesOne: true,
  },
  {
    name: 'one link is dead',
    room: null,
    condition: (room, seed) => ({ bad: { link: badOf(room, seed), fault: 'dead' } }),
    losesOne: true,
  },
  {
    name: FEWER,
    room: (room, seed) => ({ ...room, links: room.links.filter(({ id }) => id !== badOf(room, seed)) }),
    condition: asUsual,
  },
  {
    name: `SNR ${LOW_SNR_DB.join(' to ')} dB on all links`,
    room: same,
    condition: () => ({ simulator: { snr_db: LOW_SNR_DB } }),
  },
  {
    name: 'nodes on one wall',
    room: (room, seed) => onOneWall(room, seed, room.links.length),
    condition: asUsual,
  },
  {
    name: 'nodes in the corners of the ceiling',
    room: (room) => inCeilingCorners(room, room.links.length),
    condition: asUsual,
  },
  {
    name: 'a pet walks around',
    room: null,
    condition: () => ({ simulator: { things: [{ type: 'pet' }] } }),
  },
  receivedBy('received by an Intel 5300: 30 subcarriers, 5.2 GHz', 'intel-5300'),
  receivedBy('received by an ESP32: 56 subcarriers', 'esp32-ht'),
  receivedBy('received by an ESP32-C6: 242 subcarriers', 'esp32-c6'),
  receivedBy('received by a Raspberry Pi 4: 242 subcarriers, 80 MHz, 5.2 GHz', 'nexmon'),
];

const WALK_S = 25;
/** The person reaches the door within this time. */
const LEAVE_S = 15;
const EMPTY_S = 25;
const SECONDS = WALK_S + LEAVE_S + EMPTY_S;
const SCRIPT: PersonConfig['script'] = [
  { activity: 'walk', seconds: WALK_S },
  { activity: 'away', seconds: SECONDS },
];
/** Until windows are full and a track is active. */
const SETTLED_US = 5e6;

/** What was reported in one scene; located while the person walks. */
interface Told extends Located {
  /** While somebody walks. */
  readonly more: readonly number[];
  /** While the room is empty. */
  readonly seen: readonly number[];
  readonly told: readonly number[];
  readonly occupied: boolean;
}

export async function robustness(plan: Plan): Promise<Table> {
  const rooms = await each(plan, seedsOf(plan, 13), async (seed) => {
    const usual = uncalibrated(seed, plan.links[0]!);
    const measured = await calibratedFor(plan, usual, {});
    const found = new Map<string, Told>();
    for (const variant of VARIANTS) found.set(variant.name, await toldIn(plan, measured, variant));
    return found;
  });
  const tolds = ({ name }: Pick<Variant, 'name'>) => rooms.map((found) => found.get(name)!);
  const count = plan.links[0]!;
  return {
    id: 'robustness',
    title: 'Other conditions',
    method: `The same ${plan.rooms} rooms with ${count} links in each row, ${howCalibrated(plan)} under the conditions of the row, except that a link that delivers noise or is dead was good during the calibration, and that the pet came later and stays. Somebody walks for ${WALK_S} s and leaves by the door; then the room is empty for about ${EMPTY_S} s, all in one scene from a cold start. Usual conditions: nodes along the walls, an SNR of 15 to 35 dB, ESP32s with 52 subcarriers at 2.4 GHz. Other receivers: one antenna each, same SNR. Misplaced: in the topology, each node stands ${MISPLACED_M} m from where it really is, across the floor. On one wall, in the corners: four nodes. A bad link delivers white noise of the same power as before; a dead link sends nothing. Positions: from ${SETTLED_US / 1e6} s on until the person has left; the answer of a frame is its most certain person. \`See\` and \`report\` have the same meaning as for empty rooms. The occupancy is that at the end of the scene. Negative differences: better than with one link fewer.`,
    columns: COLUMNS,
    rows: [
      ...VARIANTS.map((variant) =>
        rowOf(variant.name, tolds(variant), variant.losesOne ? tolds({ name: FEWER }) : null),
      ),
      {
        name: "the room's middle; never anybody",
        baseline: true,
        cells: {
          place: meanOver(tolds(VARIANTS[0]!).map(({ middle }) => middle)),
          more: exact(0),
          seen: exact(0),
          told: exact(0),
          occupied: exact(0),
        },
      },
      {
        name: 'always somebody',
        baseline: true,
        cells: { more: exact(0), seen: exact(1), told: exact(1), occupied: exact(1) },
      },
    ],
  };
}

const calibratedFor = async (plan: Plan, room: PlannedRoom, condition: Condition): Promise<PlannedRoom> =>
  isCalibrated(plan.topology) ? calibrated(plan, room, condition.simulator) : room;

async function toldIn(plan: Plan, usual: PlannedRoom, variant: Variant): Promise<Told> {
  const { seed, environment } = usual;
  const condition = variant.condition(environment, seed);
  const own = variant.room?.(environment, seed);
  const room = own ? await calibratedFor(plan, { ...usual, environment: own }, condition) : usual;
  const described = condition.actual
    ? { ...room, environment: misplaced(environment, seed, MISPLACED_M) }
    : room;
  const played = await playIn(plan, described, variant.name, {
    people: [{ script: SCRIPT }],
    seconds: SECONDS,
    ...condition,
  });
  const zones = plan.topology.nodes.some(({ component }) => component.name === 'watch-zones');
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
function rowOf(name: string, rooms: readonly Told[], fewer: readonly Told[] | null): Row {
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
