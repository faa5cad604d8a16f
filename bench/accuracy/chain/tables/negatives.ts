import type { ThingKind } from '../../../../pipeline/sources/simulator/thing.js';
import { poseFramesIn, measuresIn, occupancyAt, seenIn, toldOf } from '../answers.js';
import { exact, meanOver, poissonRate } from '../bootstrap.js';
import { givesResult } from '../needs.js';
import {
  countsPersons,
  each,
  howCalibrated,
  playIn,
  plannedRoom,
  seedsOf,
  type Plan,
  type PlannedRoom,
} from '../plan.js';
import type { Column, Row, Table } from '../table.js';

const COLUMNS: readonly Column[] = [
  { id: 'seen', title: 'frames that see a person', unit: 'share' },
  { id: 'told', title: 'frames that report a person', unit: 'share' },
  { id: 'skeleton', title: 'frames with a skeleton', unit: 'share' },
  { id: 'presence', title: 'seconds with presence', unit: 'share' },
  { id: 'unknown', title: 'seconds without an answer', unit: 'share' },
  { id: 'occupied', title: 'time with an occupancy above 0', unit: 'share' },
  { id: 'alarms', title: 'false fall alarms per hour', unit: 'per_h' },
];

/** Things that move in an empty room. */
const VARIANTS: readonly { readonly name: string; readonly thing: ThingKind | null }[] = [
  { name: 'nothing', thing: null },
  { name: 'a fan', thing: 'fan' },
  { name: 'a curtain', thing: 'curtain' },
  { name: 'a pet', thing: 'pet' },
];

/** Claims in one scene: 1 where the condition holds, 0 where it does not, for each pose frame or second. */
interface Claims {
  readonly seen: readonly number[];
  readonly told: readonly number[];
  readonly skeleton: readonly number[];
  readonly presence: readonly number[];
  readonly unknown: readonly number[];
  readonly occupied: readonly number[];
  readonly alarms: number;
}

const SECOND = 1e6;
/** Until windows are full, microseconds. */
const SETTLED_US = 4e6;

export async function negatives(plan: Plan): Promise<Table> {
  const rooms = await each(plan, seedsOf(plan, 7), async (seed) => {
    const room = await plannedRoom(plan, seed, plan.links[0]!);
    const claims: Claims[] = [];
    for (const variant of VARIANTS) claims.push(await claimsIn(plan, room, variant));
    return claims;
  });
  const hours = (plan.rooms * plan.minutes.empty) / 60;
  return {
    id: 'negatives',
    title: 'Rooms with nobody in them',
    method: `${plan.rooms} rooms with ${plan.links[0]!} links, ${howCalibrated(plan)}; the room is empty for ${plan.minutes.empty} min after a cold start, while something moves: a standing or hanging fan, a curtain in a draught, or a pet that walks around and rests. \`See\` and \`report\` have the same meaning as for empty rooms. False fall alarms have the exact Poisson interval.`,
    columns: COLUMNS,
    rows: [
      ...VARIANTS.map(({ name }, index) =>
        rowOf(
          name,
          rooms.map((claims) => claims[index]!),
          givesResult(plan.topology, 'falls') ? hours : NaN,
        ),
      ),
      constant('nobody, always', 0),
      constant('somebody, always', 1),
    ],
  };
}

async function claimsIn(
  plan: Plan,
  room: PlannedRoom,
  { name, thing }: (typeof VARIANTS)[number],
): Promise<Claims> {
  const observed = await playIn(plan, room, `nobody there, ${name} moves`, {
    people: [],
    seconds: 60 * plan.minutes.empty,
    simulator: thing ? { things: [{ type: thing }] } : {},
  });
  const zones = countsPersons(plan);
  const from = observed.start + SETTLED_US;
  const poseFrames = poseFramesIn(observed, from, observed.end);
  const share = (is: (poseFrame: (typeof poseFrames)[number]) => boolean) =>
    poseFrames.map((poseFrame) => Number(is(poseFrame)));
  const presence = measuresIn(observed, 'presence', from, observed.end);
  const seconds = Array.from(
    { length: Math.floor((observed.end - from) / SECOND) },
    (_, i) => from + i * SECOND,
  );
  return {
    seen: share((poseFrame) => seenIn(poseFrame).length > 0),
    told: share((poseFrame) => toldOf(poseFrame).length > 0),
    skeleton: share((poseFrame) => toldOf(poseFrame).some(({ articulated }) => articulated)),
    presence: presence.filter(Number.isFinite).map((value) => Number(value > 0)),
    unknown: seconds.map((_, second) => Number(second >= presence.filter(Number.isFinite).length)),
    occupied: seconds.map((time) => Number(occupancyAt(observed, zones, time) > 0)),
    alarms: observed.events.filter(({ type, source }) => type === 'fall_detection' && source === 'csiflow')
      .length,
  };
}

const rowOf = (name: string, claims: readonly Claims[], hours: number): Row => ({
  name,
  baseline: false,
  cells: {
    seen: meanOver(claims.map(({ seen }) => seen)),
    told: meanOver(claims.map(({ told }) => told)),
    skeleton: meanOver(claims.map(({ skeleton }) => skeleton)),
    presence: meanOver(claims.map(({ presence }) => presence)),
    unknown: meanOver(claims.map(({ unknown }) => unknown)),
    occupied: meanOver(claims.map(({ occupied }) => occupied)),
    alarms: poissonRate(
      claims.reduce((sum, { alarms }) => sum + alarms, 0),
      hours,
    ),
  },
});

const constant = (name: string, value: number): Row => ({
  name,
  baseline: true,
  cells: Object.fromEntries(
    ['seen', 'told', 'skeleton', 'presence', 'occupied'].map((id) => [id, exact(value)] as const),
  ),
});
