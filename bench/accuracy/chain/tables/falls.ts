import type { PersonConfig } from '../../../../pipeline/sources/simulator/script.js';
import type { SensedEvent } from '../../../../pipeline/model/index.js';
import { surestOf } from '../answers.js';
import { exact, meanOver, medianOver, poissonRate } from '../bootstrap.js';
import { dailyLife } from '../daily-life.js';
import { each, howCalibrated, playIn, plannedRoom, seedsOf, type Plan, type PlannedRoom } from '../plan.js';
import type { Given, Observed } from '../scene.js';
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

/** Further columns for topologies whose `detect-falls` warns. */
const WARNING_COLUMNS: readonly Column[] = [
  { id: 'warned', title: 'falls warned of', unit: 'share' },
  { id: 'warnedAfter', title: 'after the impact, median s', unit: 'number' },
  { id: 'warnings', title: 'other warnings per hour', unit: 'per_h' },
];
const ABOUT_WARNINGS =
  ' Warned of: a `fall_suspected` about the fall was received. The impact is when the fall ends. Other warnings include those that were withdrawn.';

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
const FALLS_A_ROOM = 5;
/** Seconds on the floor. */
export const AFTER_S = 35;
const FOUND_US = 30e6;
/** An alarm this long or longer before a fall begins does not belong to that fall. */
const EARLY_US = 2e6;

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
  readonly warned: boolean;
  /** Seconds from the impact until the warning was received; NaN if there was none. */
  readonly warnedAfter: number;
  readonly before: Quiet;
}

/** Time without a fall. */
interface Quiet {
  readonly seconds: number;
  readonly alarms: number;
  readonly warnings: number;
}

const warns = ({ topology }: Plan): boolean =>
  topology.nodes.some(
    ({ component, config }) => component.name === 'detect-falls' && (config as { warn: boolean }).warn,
  );

export async function falls(plan: Plan): Promise<Table> {
  const rooms = await each(plan, seedsOf(plan, 6), async (seed) => {
    const room = await plannedRoom(plan, seed, plan.links[0]!);
    const found: Fall[] = [];
    for (let index = 0; index < FALLS_A_ROOM; index++) found.push(await fallIn(plan, room, index));
    return { found, life: await quietLife(plan, room) };
  });
  const quiet = rooms.flatMap(({ found, life }) => [life, ...found.map(({ before }) => before)]);
  const hours = quiet.reduce((sum, { seconds }) => sum + seconds, 0) / 3600;
  const alarms = quiet.reduce((sum, one) => sum + one.alarms, 0);
  const warnings = quiet.reduce((sum, one) => sum + one.warnings, 0);
  const isWarned = warns(plan);
  const row = (name: string, is: (fall: Fall) => boolean) =>
    rowOf(
      name,
      rooms.map(({ found }) => found.filter(is)),
      isWarned,
    );
  const all = row('all', () => true);
  const parts = [...KINDS, ...BEFORE.map(({ name }) => name)].map((part) =>
    row(part, ({ kind }) => kind.includes(part)),
  );
  return {
    id: 'falls',
    title: 'Falls',
    method: `${plan.rooms} rooms with ${plan.links[0]!} links, ${howCalibrated(plan)}; ${FALLS_A_ROOM} falls in each, one per scene: in four directions, slumping and sliding down a wall; while walking, after standing and getting up, off a chair and out of bed; then ${AFTER_S} s on the floor. A fall counts as found if a sink receives its \`fall_detection\` within 30 s of its start. Reported as lying: the share of the pose frames from 2 s after the fall on in which the fallen person lies. False alarms: ${plan.minutes.daily} min of daily life per room (walking, sitting and lying down, also fast, bending, picking things up, kneeling, jumping, squats, turning, moving the arms, leaving and coming back), and the time before each fall, with the exact Poisson interval.${isWarned ? ABOUT_WARNINGS : ''}`,
    columns: isWarned ? [...FALL_COLUMNS, ...WARNING_COLUMNS] : FALL_COLUMNS,
    rows: [
      {
        ...all,
        cells: {
          ...all.cells,
          false: poissonRate(alarms, hours),
          hours: exact(hours),
          ...(isWarned && { warnings: poissonRate(warnings, hours) }),
        },
      },
      ...parts,
      { name: 'never', baseline: true, cells: { found: exact(0), false: exact(0) } },
      { name: 'every 30 s', baseline: true, cells: { found: exact(1), false: exact(120) } },
    ],
  };
}

async function fallIn(plan: Plan, room: PlannedRoom, index: number): Promise<Fall> {
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
  const observed = await playIn(plan, room, `a fall ${kind}`, { people, seconds: 32 + AFTER_S });
  return { kind, ...judged(observed, room) };
}

export function judged(
  observed: Observed & { readonly truth: Truth },
  room: PlannedRoom,
): Omit<Fall, 'kind'> {
  const [began] = observed.truth.beginnings('fall');
  if (!began) throw new Error(`${room.environment.id}: nobody falls in this scene`);
  const impact = observed.truth.beginnings('lie').find(({ time }) => time > began.time) ?? began;
  const isOwn = ({ time, givenAt }: Given<SensedEvent>) =>
    time >= began.time - EARLY_US && givenAt <= began.time + FOUND_US;
  /** Microseconds from `since` until the first of these events about the fall was received. */
  const after = (events: readonly Given<SensedEvent>[], since: number) =>
    Math.min(...events.filter(isOwn).map(({ givenAt }) => givenAt - since));
  const count = (events: readonly Given<SensedEvent>[]) =>
    events.filter(({ time }) => time < began.time - EARLY_US).length;
  const [alarms, warnings] = [alarmsIn(observed), warningsIn(observed)];
  const [reported, warned] = [after(alarms, began.time), after(warnings, impact.time)];
  const seconds = (us: number) => (Number.isFinite(us) ? us / 1e6 : NaN);
  return {
    found: Number.isFinite(reported),
    delay: seconds(reported),
    lying: lyingTold(observed, began.time),
    warned: Number.isFinite(warned),
    warnedAfter: seconds(warned),
    before: {
      seconds: Math.max(0, began.time - EARLY_US - observed.start) / 1e6,
      alarms: count(alarms),
      warnings: count(warnings),
    },
  };
}

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

/** A stretch of daily life. */
async function quietLife(plan: Plan, room: PlannedRoom): Promise<Quiet> {
  const seconds = 60 * plan.minutes.daily;
  if (seconds === 0) return { seconds, alarms: 0, warnings: 0 };
  const people = [{ script: dailyLife(room.seed, seconds) }];
  const observed = await playIn(plan, room, 'daily life', { people, seconds });
  return { seconds, alarms: alarmsIn(observed).length, warnings: warningsIn(observed).length };
}

/** The alarms that would notify somebody: a sender's own claim raises no alert. */
export const alarmsIn = ({ events }: Observed): readonly Given<SensedEvent>[] =>
  events.filter(({ type, source }) => type === 'fall_detection' && source === 'csiflow');

const warningsIn = ({ events }: Observed): readonly Given<SensedEvent>[] =>
  events.filter(({ type, source }) => type === 'fall_suspected' && source === 'csiflow');

export function rowOf(name: string, rooms: readonly (readonly Fall[])[], isWarned: boolean): Row {
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
      ...(isWarned && {
        warned: meanOver(values(({ warned }) => Number(warned))),
        warnedAfter: medianOver(finite(({ warnedAfter }) => warnedAfter)),
      }),
    },
  };
}
