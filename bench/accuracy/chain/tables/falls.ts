import type { PersonConfig } from '../../../../pipeline/sources/simulator/script.js';
import type { SensedEvent } from '../../../../pipeline/model/index.js';
import { surestOf } from '../answers.js';
import { exact, meanOver, medianOver, poissonRate } from '../bootstrap.js';
import { dailyLife } from '../daily-life.js';
import { each, howCalibrated, playIn, plannedRoom, seedsOf, type Plan, type PlannedRoom } from '../plan.js';
import type { Given, Observed, Played } from '../scene.js';
import type { Column, Row, Table } from '../table.js';
import type { Truth } from '../truth.js';
import { mean } from '../../../../operators/shared/mean.js';

export const FALL_COLUMNS: readonly Column[] = [
  { id: 'found', title: 'falls found within 30 s', unit: 'share' },
  { id: 'delay', title: 'reported after, median s', unit: 'number' },
  { id: 'lying', title: 'then reported as lying', unit: 'share' },
  { id: 'falls', title: 'falls', unit: 'count' },
  { id: 'false', title: 'false alarms per hour', unit: 'per_h' },
  { id: 'hours', title: 'hours', unit: 'number' },
];

const KINDS = ['forward', 'backward', 'left', 'right', 'slump', 'slide'] as const;
/** What comes before a fall. */
const BEFORE: readonly { readonly name: string; readonly steps: PersonConfig['script'] }[] = [
  { name: 'while walking', steps: [{ activity: 'walk', seconds: 25 }] },
  {
    name: 'after standing',
    steps: [
      { activity: 'walk', seconds: 15 },
      { activity: 'stand', seconds: 10 },
    ],
  },
  {
    name: 'after getting up',
    steps: [{ activity: 'walk', seconds: 12 }, { activity: 'sit', seconds: 15 }, { activity: 'get_up' }],
  },
  {
    name: 'off a chair',
    steps: [
      { activity: 'walk', seconds: 12 },
      { activity: 'sit', seconds: 15 },
    ],
  },
  {
    name: 'out of bed',
    steps: [
      { activity: 'walk', seconds: 12 },
      { activity: 'lie', seconds: 15, on: 'bed' },
    ],
  },
];
/** Kinds of falls, and what comes before them: rows of tables. */
export const FALL_PARTS: readonly string[] = [...KINDS, ...BEFORE.map(({ name }) => name)];
export const FALLS_A_ROOM = 5;
/** Seconds on the floor. */
export const AFTER_S = 35;
const FOUND_US = 30e6;
/** An event this long or longer before a fall begins does not belong to that fall. */
export const EARLY_US = 2e6;

export interface Fall {
  readonly kind: string;
  readonly found: boolean;
  /** Seconds from the start of the fall until its event was received; NaN if it was not detected. */
  readonly delay: number;
  /**
   * Share of the pose frames with a person lying there that report it; NaN if nobody lies: a person who slides
   * down a wall may sit.
   */
  readonly lying: number;
  readonly before: Quiet;
}

/** Time without a fall. */
interface Quiet {
  readonly seconds: number;
  readonly alarms: number;
}

/** What happens in each room of the plan; the same rooms for all tables of the simulator's falls. */
export const inFallRooms = <T>(plan: Plan, work: (room: PlannedRoom) => Promise<T>): Promise<T[]> =>
  each(plan, seedsOf(plan, 6), async (seed) => work(await plannedRoom(plan, seed, plan.links[0]!)));

export async function falls(plan: Plan): Promise<Table> {
  const rooms = await inFallRooms(plan, async (room) => {
    const found: Fall[] = [];
    for (let index = 0; index < FALLS_A_ROOM; index++) found.push(await fallIn(plan, room, index));
    return { found, life: await quietLife(plan, room) };
  });
  const quiet = rooms.flatMap(({ found, life }) => [life, ...found.map(({ before }) => before)]);
  const hours = quiet.reduce((sum, { seconds }) => sum + seconds, 0) / 3600;
  const alarms = quiet.reduce((sum, one) => sum + one.alarms, 0);
  const row = (name: string, is: (fall: Fall) => boolean) =>
    rowOf(
      name,
      rooms.map(({ found }) => found.filter(is)),
    );
  const all = row('all', () => true);
  const parts = FALL_PARTS.map((part) => row(part, ({ kind }) => kind.includes(part)));
  return {
    id: 'falls',
    title: 'Falls',
    method: `${plan.rooms} rooms with ${plan.links[0]!} links, ${howCalibrated(plan)}; ${FALLS_A_ROOM} falls in each, one per scene: in four directions, slumping and sliding down a wall; while walking, after standing and getting up, off a chair and out of bed; then ${AFTER_S} s on the floor. A fall counts as found if a sink receives its \`fall_detection\` within 30 s of its start. Reported as lying: the share of the pose frames from 2 s after the fall on in which the fallen person lies. False alarms: ${plan.minutes.daily} min of daily life per room (walking, sitting and lying down, also fast, bending, picking things up, kneeling, jumping, squats, turning, moving the arms, leaving and coming back), and the time before each fall, with the exact Poisson interval.`,
    columns: FALL_COLUMNS,
    rows: [
      { ...all, cells: { ...all.cells, false: poissonRate(alarms, hours), hours: exact(hours) } },
      ...parts,
      { name: 'never', baseline: true, cells: { found: exact(0), false: exact(0) } },
      { name: 'every 30 s', baseline: true, cells: { found: exact(1), false: exact(120) } },
    ],
  };
}

async function fallIn(plan: Plan, room: PlannedRoom, index: number): Promise<Fall> {
  const { kind, played } = await playFall(plan, room, index);
  return { kind, ...judged(played, room) };
}

/** Plays one of the {@link FALLS_A_ROOM} falls of a room. */
export async function playFall(
  plan: Plan,
  room: PlannedRoom,
  index: number,
): Promise<{ readonly kind: string; readonly played: Played }> {
  const number = FALLS_A_ROOM * (room.seed % 1000) + index;
  const before = BEFORE[number % BEFORE.length]!;
  const fall = KINDS[number % KINDS.length]!;
  const kind = `${before.name}, ${fall}`;
  const script: PersonConfig['script'] = [
    ...before.steps,
    { activity: 'fall', fall },
    { activity: 'lie', seconds: AFTER_S + 5 },
  ];
  const people = [{ script }];
  return { kind, played: await playIn(plan, room, `a fall ${kind}`, { people, seconds: 32 + AFTER_S }) };
}

export function judged(
  observed: Observed & { readonly truth: Truth },
  room: PlannedRoom,
): Omit<Fall, 'kind'> {
  const { began } = fallOf(observed.truth, room);
  const alarms = alarmsIn(observed);
  const own = alarms.filter(({ time, givenAt }) => time >= began - EARLY_US && givenAt <= began + FOUND_US);
  const reported = Math.min(...own.map(({ givenAt }) => givenAt - began));
  return {
    found: own.length > 0,
    delay: own.length > 0 ? reported / 1e6 : NaN,
    lying: lyingTold(observed, began),
    before: {
      seconds: secondsBefore(observed, began),
      alarms: alarms.filter(({ time }) => time < began - EARLY_US).length,
    },
  };
}

/** When the fall of a scene begins, and when it ends; microseconds. @throws Error if nobody falls */
export function fallOf(
  truth: Truth,
  { environment }: PlannedRoom,
): { readonly began: number; readonly impact: number } {
  const [began] = truth.beginnings('fall');
  if (!began) throw new Error(`${environment.id}: nobody falls in this scene`);
  const impact = truth.beginnings('lie').find(({ time }) => time > began.time) ?? began;
  return { began: began.time, impact: impact.time };
}

/** The time of a scene in which no event belongs to its fall. */
export const secondsBefore = ({ start }: Observed, began: number): number =>
  Math.max(0, began - EARLY_US - start) / 1e6;

/** A pose frame covers the last two seconds. */
const SETTLED_US = 2e6;

/** Share of the pose frames with somebody lying after a fall that report them as lying. */
function lyingTold({ poses, truth }: Observed & { readonly truth: Truth }, began: number): number {
  const lies = truth.beginnings('lie').find(({ time }) => time > began);
  if (!lies) return NaN;
  const settled = lies.time + SETTLED_US;
  const lying = poses.filter(({ time }) => time > settled && truth.at(time)?.people[0]?.posture === 'lying');
  return mean(lying.map((poseFrame) => Number(surestOf(poseFrame)?.posture === 'lying')));
}

async function quietLife(plan: Plan, room: PlannedRoom): Promise<Quiet> {
  const played = await playLife(plan, room);
  return { seconds: 60 * plan.minutes.daily, alarms: played ? alarmsIn(played).length : 0 };
}

/** A stretch of daily life; null if the plan has no minutes for it. */
export async function playLife(plan: Plan, room: PlannedRoom): Promise<Played | null> {
  const seconds = 60 * plan.minutes.daily;
  if (seconds === 0) return null;
  const people = [{ script: dailyLife(room.seed, seconds) }];
  return playIn(plan, room, 'daily life', { people, seconds });
}

/** The alarms that would notify somebody: a sender's own claim raises no alert. */
export const alarmsIn = ({ events }: Observed): readonly Given<SensedEvent>[] =>
  events.filter(({ type, source }) => type === 'fall_detection' && source === 'csiflow');

export function rowOf(name: string, rooms: readonly (readonly Fall[])[]): Row {
  const values = (of: (fall: Fall) => number) => rooms.map((found) => found.map(of));
  const finite = (of: (fall: Fall) => number) => values(of).map((room) => room.filter(Number.isFinite));
  return {
    name,
    baseline: false,
    cells: {
      found: meanOver(values(({ found }) => Number(found))),
      delay: medianOver(finite(({ delay }) => delay)),
      lying: meanOver(finite(({ lying }) => lying)),
      falls: exact(rooms.flat().length),
    },
  };
}
