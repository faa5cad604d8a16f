import type { CheckedTopology } from '../../../../pipeline/config/index.js';
import type { SensedEvent } from '../../../../pipeline/model/index.js';
import { exact, meanOver, medianOver, poissonRate, shareOfRooms } from '../bootstrap.js';
import { howCalibrated, type Plan, type PlannedRoom } from '../plan.js';
import type { Given, Observed } from '../scene.js';
import type { Column, Row, Table } from '../table.js';
import type { Truth } from '../truth.js';
import {
  EARLY_US,
  FALL_PARTS,
  fallOf,
  FALLS_A_ROOM,
  inFallRooms,
  playFall,
  playLife,
  secondsBefore,
} from './falls.js';

const COLUMNS: readonly Column[] = [
  { id: 'warned', title: 'falls warned of', unit: 'share' },
  { id: 'soon', title: 'within 2 s of the impact', unit: 'share' },
  { id: 'after', title: 'warned after the impact, median s', unit: 'number' },
  { id: 'slowest', title: 'maximum s', unit: 'number' },
  { id: 'falls', title: 'falls', unit: 'count' },
  { id: 'settled', title: 'warnings settled within 30 s', unit: 'rooms' },
  { id: 'settledAfter', title: 'settled after, median s', unit: 'number' },
  { id: 'settledSlowest', title: 'maximum s', unit: 'number' },
  { id: 'others', title: 'other warnings per hour', unit: 'per_h' },
  { id: 'hours', title: 'hours', unit: 'number' },
];

const SOON_S = 2;
const SETTLED_S = 30;
/** A warning of what happened this long or longer after the impact does not belong to the fall. */
const LATE_US = 3e6;

/** The warnings of a scene. */
interface Warnings {
  /** Seconds without a fall, and the warnings in them. */
  readonly quiet: { readonly seconds: number; readonly warnings: number };
  /** For each warning, seconds from it to its fall or withdrawal, as received; infinite if neither was. */
  readonly settled: readonly number[];
}

interface WarnedFall extends Warnings {
  readonly kind: string;
  /** Seconds from the impact until the warning was received; NaN if there was none. */
  readonly after: number;
}

/** Warnings that a topology's sinks receive if its `detect-falls` warns. */
export async function warnings(plan: Plan): Promise<Table> {
  const warning = { ...plan, topology: withWarnings(plan.topology) };
  const rooms = await inFallRooms(warning, async (room) => {
    const falls: WarnedFall[] = [];
    for (let index = 0; index < FALLS_A_ROOM; index++) {
      const { kind, played } = await playFall(warning, room, index);
      falls.push({ kind, ...warnedOf(played, room) });
    }
    const life = await playLife(warning, room);
    return { falls, all: [...falls, ...(life ? [lifeOf(life, 60 * plan.minutes.daily)] : [])] };
  });
  const row = (name: string, is: (fall: WarnedFall) => boolean) =>
    rowOf(
      name,
      rooms.map(({ falls }) => falls.filter(is)),
    );
  const all = row('all', () => true);
  return {
    id: 'warnings',
    title: 'Warnings of falls',
    method: `The rooms and scenes of the table of falls (${plan.rooms} rooms with ${plan.links[0]!} links, ${howCalibrated(plan)}), with \`warn: true\` in \`detect-falls\`, which warns at once and decides later. A fall counts as warned of if a sink receives a \`fall_suspected\` about it, of a time from 2 s before its beginning to ${LATE_US / 1e6} s after the impact. The impact is the end of the fall. Settled: a sink has received the \`fall_detection\` or \`fall_withdrawn\` that names the warning; warnings of the last ${SETTLED_S} s of a scene are left out, with the exact binomial interval, as if warnings were independent. Other warnings: those in ${plan.minutes.daily} min of daily life per room and before each fall, withdrawn or not, with the exact Poisson interval.`,
    columns: COLUMNS,
    rows: [
      { ...all, cells: { ...all.cells, ...overall(rooms.flatMap((room) => room.all)) } },
      ...FALL_PARTS.map((part) => row(part, ({ kind }) => kind.includes(part))),
      { name: 'never', baseline: true, cells: { warned: exact(0), soon: exact(0), others: exact(0) } },
      {
        name: `every ${SOON_S} s`,
        baseline: true,
        cells: { warned: exact(1), soon: exact(1), others: exact(3600 / SOON_S) },
      },
    ],
  };
}

/** As users turn them on. */
const withWarnings = (topology: CheckedTopology): CheckedTopology => ({
  ...topology,
  nodes: topology.nodes.map((node) =>
    node.component.name === 'detect-falls' ? { ...node, config: { ...node.config, warn: true } } : node,
  ),
});

/** The warnings of a scene with a fall. */
export function warnedOf(
  observed: Observed & { readonly truth: Truth },
  room: PlannedRoom,
): Omit<WarnedFall, 'kind'> {
  const { began, impact } = fallOf(observed.truth, room);
  const given = warningsIn(observed);
  const own = given.filter(({ time }) => time >= began - EARLY_US && time <= impact + LATE_US);
  const first = Math.min(...own.map(({ givenAt }) => givenAt));
  return {
    after: own.length > 0 ? (first - impact) / 1e6 : NaN,
    quiet: {
      seconds: secondsBefore(observed, began),
      warnings: given.filter(({ time }) => time < began - EARLY_US).length,
    },
    settled: settledIn(observed),
  };
}

const lifeOf = (observed: Observed, seconds: number): Warnings => ({
  quiet: { seconds, warnings: warningsIn(observed).length },
  settled: settledIn(observed),
});

const warningsIn = ({ events }: Observed): readonly Given<SensedEvent>[] =>
  events.filter(({ type, source }) => type === 'fall_suspected' && source === 'csiflow');

const settledIn = (observed: Observed): readonly number[] =>
  warningsIn(observed)
    .filter(({ givenAt }) => givenAt <= observed.end - 1e6 * SETTLED_S)
    .map(({ id, givenAt }) => {
      const end = observed.events.find(({ metadata }) => metadata['suspected'] === id);
      return end ? (end.givenAt - givenAt) / 1e6 : Infinity;
    });

function rowOf(name: string, rooms: readonly (readonly WarnedFall[])[]): Row {
  const values = (of: (fall: WarnedFall) => number) => rooms.map((falls) => falls.map(of));
  const delays = values(({ after }) => after).map((room) => room.filter(Number.isFinite));
  return {
    name,
    baseline: false,
    cells: {
      warned: meanOver(values(({ after }) => Number(Number.isFinite(after)))),
      soon: meanOver(values(({ after }) => Number(after <= SOON_S))),
      after: medianOver(delays),
      slowest: exact(largest(delays.flat())),
      falls: exact(rooms.flat().length),
    },
  };
}

/** The cells of all scenes, with a fall or without. */
function overall(scenes: readonly Warnings[]): Row['cells'] {
  const hours = scenes.reduce((sum, { quiet }) => sum + quiet.seconds, 0) / 3600;
  const others = scenes.reduce((sum, { quiet }) => sum + quiet.warnings, 0);
  const settled = scenes.map((scene) => scene.settled);
  const all = settled.flat();
  return {
    settled: shareOfRooms(all.filter((seconds) => seconds <= SETTLED_S).length, all.length),
    // Those that never settle count in the share.
    settledAfter: medianOver(settled.map((one) => one.filter(Number.isFinite))),
    settledSlowest: exact(largest(all.filter(Number.isFinite))),
    others: poissonRate(others, hours),
    hours: exact(hours),
  };
}

const largest = (values: readonly number[]): number => (values.length > 0 ? Math.max(...values) : NaN);
