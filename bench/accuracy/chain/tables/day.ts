import type { Environment } from '../../../../pipeline/model/index.js';
import { Random } from '../../../../pipeline/sources/simulator/shared/random.js';
import type { PersonConfig } from '../../../../pipeline/sources/simulator/script.js';
import type { CheckedTopology } from '../../../../pipeline/config/index.js';
import { exact, meanOver, over, type Figure } from '../bootstrap.js';
import { givesResult, type Result } from '../needs.js';
import { each, howCalibrated, playIn, plannedRoom, seedsOf, type Plan, type PlannedRoom } from '../plan.js';
import type { Observed, Played } from '../scene.js';
import type { Column, Row, Table } from '../table.js';
import { mean } from '../../../../operators/shared/mean.js';

const COLUMNS: readonly Column[] = [
  { id: 'true', title: 'true, mean', unit: 'number' },
  { id: 'said', title: 'reported, mean', unit: 'number' },
  { id: 'error', title: 'mean error of a room', unit: 'number' },
  { id: 'constant', title: "mean error of the other rooms' mean", unit: 'number' },
  { id: 'unknown', title: 'rooms without an answer', unit: 'share' },
];

/** What a day amounts to, in the order of the table, and the results that tell it. */
const RESULTS = {
  'somebody there, s': 'zones',
  'nobody there, s': 'zones',
  'walking, s': 'activities',
  'standing, s': 'activities',
  'sitting, s': 'activities',
  'lying, s': 'activities',
  'in the zone left, s': 'zones',
  'in bed, s': 'zones',
  'asleep, s': 'zones',
  arrivals: 'zones',
  'inactivity, alerts': 'inactivity',
  'breaths a minute, in bed': 'vitals',
} as const satisfies Readonly<Record<string, Result>>;
type Amount = keyof typeof RESULTS;
const AMOUNTS = Object.keys(RESULTS) as readonly Amount[];
type Amounts = Readonly<Record<Amount, number>>;

const SECONDS = 660;
const MINUTE_US = 60e6;
/** The threshold of `detect-inactivity`, minutes: hours of rest would take hours. */
const INACTIVE_MIN = 1;
/** No random stream of the simulator has this number. */
const STREAM = 91;
/** Breathing needs half a minute of rest before it is measured. */
const ABED_US = 35e6;

/** The amounts that a topology tells. */
export const amountsOf = (topology: CheckedTopology): readonly Amount[] =>
  AMOUNTS.filter((amount) => givesResult(topology, RESULTS[amount]));

/** Why no amount can be measured, if none can. */
export const dayMissing = (topology: CheckedTopology): string | undefined =>
  amountsOf(topology).length > 0
    ? undefined
    : `no sink of ${topology.id} reads detect-activity, watch-zones, detect-inactivity or estimate-vitals: add one, and name it in \`from\` of a sink`;

/** A day in small, through the whole topology: what analytics are made of, against the truth. */
export async function day(plan: Plan): Promise<Table> {
  const topology = withInactivity(plan.topology);
  const rooms = await each(plan, seedsOf(plan, 10), async (seed) => {
    const room = await plannedRoom(plan, seed, plan.links[0]!);
    return dayIn({ ...plan, topology }, { ...room, environment: furnished(room.environment) });
  });
  return {
    id: 'day',
    title: 'A day in small',
    method: `${plan.rooms} rooms with ${plan.links[0]!} links, ${howCalibrated(plan)}. One person lives there for about ten minutes: walks, stands, sits, lies in bed, leaves and comes back, each for 0.5 to 1.5 times its usual time.${leftOutText(plan.topology)} Sums of the measures that the sinks receive for each whole minute, the basis of analytics, against the truth. Inactivity: \`threshold_minutes: ${INACTIVE_MIN}\`, true for each rest that long outside bed. Breathing: the mean while somebody has lain in bed for ${ABED_US / 1e6} s. The comparison without CSI is the mean of the other rooms, which know the same script.`,
    columns: COLUMNS,
    rows: amountsOf(plan.topology).map((amount) => rowOf(amount, rooms)),
  };
}

function leftOutText(topology: CheckedTopology): string {
  const told = amountsOf(topology);
  const others = AMOUNTS.filter((amount) => !told.includes(amount));
  return others.length === 0 ? '' : ` Not measured, as no sink receives them: ${others.join('; ')}.`;
}

interface Day {
  readonly truth: Amounts;
  readonly said: Amounts;
}

async function dayIn(plan: Plan, room: PlannedRoom): Promise<Day> {
  const random = new Random(room.seed, STREAM);
  const breaths = random.uniform(10, 22);
  const people = [{ script: scriptOf(random, room.environment), breathing_bpm: breaths }];
  const played = await playIn(plan, room, 'a day in small', { people, seconds: SECONDS });
  const until = Math.floor(played.end / MINUTE_US) * MINUTE_US;
  return { truth: truthOf(played, room.environment, until, breaths), said: saidOf(played, until) };
}

function scriptOf(random: Random, environment: Environment): PersonConfig['script'] {
  const some = (seconds: number) => Math.round(seconds * random.uniform(0.5, 1.5));
  const [x, y] = middleOf(bedOf(environment));
  return [
    { activity: 'walk', seconds: some(30) },
    { activity: 'stand', seconds: some(30) },
    { activity: 'walk', seconds: some(20) },
    { activity: 'sit', seconds: some(90), on: 'chair' },
    { activity: 'get_up' },
    { activity: 'walk', to: [x, y] },
    { activity: 'lie', seconds: some(120), on: 'bed' },
    { activity: 'get_up' },
    { activity: 'walk', seconds: some(25) },
    { activity: 'away', seconds: some(60) },
    { activity: 'walk', seconds: some(20) },
    { activity: 'sit', seconds: some(70), on: 'sofa' },
    { activity: 'get_up' },
    { activity: 'walk', seconds: some(30) },
    { activity: 'stand', seconds: some(40) },
    { activity: 'walk', seconds: SECONDS },
  ];
}

type Polygon = Environment['zones'][number]['polygon'];

/** The room with a bed in a corner, where one would stand. */
function furnished(environment: Environment): Environment {
  const { x, y } = environment.size;
  const corner: Polygon = [
    [x - 2.4, y - 1.8],
    [x, y - 1.8],
    [x, y],
    [x - 2.4, y],
  ];
  return { ...environment, zones: [...environment.zones, { id: 'bed', kind: 'bed', polygon: corner }] };
}

const bedOf = ({ zones }: Environment): Polygon => zones.find(({ kind }) => kind === 'bed')!.polygon;
const middleOf = (polygon: Polygon): [number, number] => [
  mean(polygon.map(([x]) => x!)),
  mean(polygon.map(([, y]) => y!)),
];
const isIn = (polygon: Polygon, [x, y]: readonly [number, number]): boolean => {
  const [xs, ys] = [polygon.map((corner) => corner[0]!), polygon.map((corner) => corner[1]!)];
  return x >= Math.min(...xs) && x <= Math.max(...xs) && y >= Math.min(...ys) && y <= Math.max(...ys);
};

function withInactivity(topology: CheckedTopology): CheckedTopology {
  const nodes = topology.nodes.map((node) =>
    node.component.name === 'detect-inactivity'
      ? { ...node, config: { ...node.config, threshold_minutes: INACTIVE_MIN } }
      : node,
  );
  return { ...topology, nodes };
}

function truthOf(
  { truth, start }: Played,
  environment: Environment,
  until: number,
  breaths: number,
): Amounts {
  const [bed, left] = [bedOf(environment), environment.zones.find(({ id }) => id === 'left')!.polygon];
  const moments = truth.moments.filter(({ time }) => time >= start && time < until);
  const step = (until - start) / 1e6 / moments.length;
  const sums = new Map<Amount, number>();
  const add = (amount: Amount) => sums.set(amount, (sums.get(amount) ?? 0) + step);
  let [arrivals, wasThere, rested, alerts] = [0, false, 0, 0];
  for (const { people } of moments) {
    const [person] = people;
    add(person ? 'somebody there, s' : 'nobody there, s');
    if (person && !wasThere) arrivals++;
    wasThere = person !== undefined;
    const isAbed = person !== undefined && isIn(bed, person.root);
    const isStill =
      person !== undefined && RESTS.includes(person.activity) && !(isAbed && person.posture === 'lying');
    const before = rested;
    rested = isStill ? rested + step : 0;
    if (before < 60 * INACTIVE_MIN && rested >= 60 * INACTIVE_MIN) alerts++;
    if (!person) continue;
    add(person.activity === 'walk' ? 'walking, s' : POSTURE[person.posture]);
    if (isIn(left, person.root)) add('in the zone left, s');
    if (isAbed) add('in bed, s');
    if (isAbed && person.activity === 'lie') add('asleep, s');
  }
  const seconds = Object.fromEntries(AMOUNTS.map((amount) => [amount, sums.get(amount) ?? 0])) as Amounts;
  return { ...seconds, arrivals, 'inactivity, alerts': alerts, 'breaths a minute, in bed': breaths };
}

const RESTS: readonly string[] = ['stand', 'sit', 'lie'];
const POSTURE = { upright: 'standing, s', sitting: 'sitting, s', lying: 'lying, s' } as const;

function saidOf(played: Played, until: number): Amounts {
  const sum = (name: string, subject?: string | null) => sumOf(played, until, name, subject);
  return {
    'somebody there, s': sum('presence_seconds', null),
    'nobody there, s': sum('seconds_with_0_persons', null),
    'walking, s': sum('walking_seconds'),
    'standing, s': sum('standing_seconds'),
    'sitting, s': sum('sitting_seconds'),
    'lying, s': sum('lying_seconds'),
    'in the zone left, s': sum('zone_seconds', 'left'),
    'in bed, s': sum('bed_seconds', null),
    'asleep, s': sum('sleep_seconds', null),
    arrivals: sum('person_entered'),
    'inactivity, alerts': played.events.filter(({ type, time }) => type === 'inactivity' && time < until)
      .length,
    'breaths a minute, in bed': breathsOf(played),
  };
}

/** @param subject undefined: all of them together */
const sumOf = ({ measures, start }: Observed, until: number, name: string, subject?: string | null): number =>
  measures
    .filter((one) => one.name === name && one.time >= start - MINUTE_US && one.time < until)
    .filter((one) => subject === undefined || one.subject === subject)
    .reduce((sum, { value }) => sum + value, 0);

/** NaN: no rate was given. */
function breathsOf({ measures, truth }: Played): number {
  const lay = truth.beginnings('lie')[0]!.time;
  const rose = truth.beginnings('get_up').find(({ time }) => time > lay)?.time ?? Infinity;
  return mean(
    measures
      .filter(({ name, time }) => name === 'breathing_rate_bpm' && time >= lay + ABED_US && time < rose)
      .map(({ value }) => value),
  );
}

function rowOf(amount: Amount, days: readonly Day[]): Row {
  const answered = days.filter(({ said }) => Number.isFinite(said[amount]));
  const per = (of: (day: Day) => number): Figure => meanOver(answered.map((one) => [of(one)]));
  const constant = (drawn: readonly Day[]) =>
    mean(drawn.map((one) => Math.abs(one.truth[amount] - mean(othersOf(days, one, amount)))));
  return {
    name: amount,
    baseline: false,
    cells: {
      true: exact(mean(days.map(({ truth }) => truth[amount]))),
      said: per(({ said }) => said[amount]),
      error: per(({ said, truth }) => Math.abs(said[amount] - truth[amount])),
      ...(days.length > 1 ? { constant: over(days, constant) } : {}),
      unknown: exact(1 - answered.length / days.length),
    },
  };
}

const othersOf = (days: readonly Day[], one: Day, amount: Amount): readonly number[] =>
  days.filter((other) => other !== one).map(({ truth }) => truth[amount]);
