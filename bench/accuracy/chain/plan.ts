import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import type { Environment } from '../../../pipeline/model/index.js';
import { givesResult } from './needs.js';
import { randomEnvironment } from './rooms.js';
import type { SharedWork } from './shared-work.js';
import { calibrate, calibrateEcho, play, type Played, type Scene } from './scene.js';

/** Settings of the simulator. */
export interface Received {
  readonly device?: string;
  readonly rate_hz?: number;
  /** Least and most, dB. */
  readonly snr_db?: readonly [number, number];
  readonly echo_db?: number;
}

/** What is measured, and how much of it. */
export interface Plan {
  readonly topology: CheckedTopology;
  /** What receives in simulated rooms, instead of the simulator's defaults. */
  readonly received?: Received;
  /** Whether rooms are calibrated with one who walks, too, as by `csiflow calibrate --walker`. */
  readonly walker?: boolean;
  /** Determines rooms, bodies, motions and receivers. */
  readonly seed: number;
  /** Rooms per row. */
  readonly rooms: number;
  /** Numbers of links; tables that need only one use the first. */
  readonly links: readonly number[];
  /** Minutes per room: empty, and with daily life. */
  readonly minutes: { readonly empty: number; readonly daily: number };
  /** Folder with captures/, labelled/, motion/ and scenes/; without it, tables of recordings are skipped. */
  readonly data?: string;
  /** For calibrations; removed afterwards. */
  readonly folder: string;
  /** Scenes that are played concurrently: one thread simulates, the other infers. */
  readonly atOnce: number;
  /** Other processes do a share of the rooms. */
  readonly shared?: SharedWork;
  readonly print: (line: string) => void;
  /** Called often with the share of a scene that was played; 1: all of it. */
  readonly playing?: (scene: string, share: number) => void;
}

/** A plan for a table that plays recordings. */
export type RecordingsPlan = Plan & Required<Pick<Plan, 'data'>>;

/** A room of the plan with its calibration; null: none. */
export interface PlannedRoom {
  readonly seed: number;
  readonly environment: Environment;
  readonly calibration: string | null;
}

/** Whether the topology's users calibrate their rooms: its pose network names a calibration. */
export const isCalibrated = ({ nodes }: CheckedTopology): boolean =>
  nodes.some(({ component, config }) => component.name === 'infer-pose' && config['calibration'] != null);

/** Whether the topology's occupancy is a number of persons, see `occupancyAt`. */
export const countsPersons = ({ topology }: Plan): boolean => givesResult(topology, 'zones');

/** For the description of a table. */
export const howCalibrated = ({
  topology,
  received: { device, rate_hz, snr_db, echo_db } = {},
  walker = false,
}: Plan): string =>
  [
    isCalibrated(topology) ? 'calibrated' : 'not calibrated',
    ...(walker ? ['also with one who walks'] : []),
    ...(device === undefined ? [] : [`with receivers like ${device}`]),
    ...(rate_hz === undefined ? [] : [`with ${rate_hz} frames a second of each link`]),
    ...(snr_db === undefined ? [] : [`with an SNR of ${snr_db.join(' to ')} dB`]),
    ...(echo_db === undefined
      ? []
      : [`with echoes ${Math.abs(echo_db)} dB ${echo_db < 0 ? 'weaker' : 'stronger'}`]),
  ].join(', ');

const receivedBy = ({ received }: Plan, simulator: Readonly<Record<string, unknown>> = {}) => ({
  ...received,
  ...simulator,
});

/**
 * Each table has its own seeds, so that measuring part of the report gives the same figures as measuring all
 * of it.
 */
export const seedsOf = ({ seed, rooms }: Plan, table: number): readonly number[] =>
  Array.from({ length: rooms }, (_, room) => seed + 1000 * table + room);

/**
 * A random room. If the topology names a calibration, it is calibrated as a user would: from a run of the same
 * room while it is empty.
 * @param simulator further settings of the room
 */
export async function plannedRoom(
  plan: Plan,
  seed: number,
  links: number,
  simulator: Readonly<Record<string, unknown>> = {},
): Promise<PlannedRoom> {
  const room = uncalibrated(seed, links);
  return isCalibrated(plan.topology) ? calibrated(plan, room, simulator) : room;
}

export const uncalibrated = (seed: number, links: number): PlannedRoom => ({
  seed,
  environment: randomEnvironment(seed, links),
  calibration: null,
});

/** The same room with a calibration. */
export async function calibrated(
  plan: Plan,
  { seed, environment }: PlannedRoom,
  simulator: Readonly<Record<string, unknown>> = {},
): Promise<PlannedRoom> {
  const { topology, folder } = plan;
  const file = join(folder, `${environment.id}-${environment.links.length}-${randomUUID()}.json`);
  const scene = { environment, seed, simulator: receivedBy(plan, simulator) };
  await calibrate(topology, scene, file);
  const problem = plan.walker ? await calibrateEcho(topology, scene, file) : null;
  if (problem !== null) plan.print(`calibrated without an echo: ${problem}`);
  return { seed, environment, calibration: file };
}

/** Plays a scene in a room, and reports progress. */
export async function playIn(
  plan: Plan,
  room: PlannedRoom,
  what: string,
  scene: Pick<Scene, 'people' | 'seconds'> & Partial<Scene>,
): Promise<Played> {
  const began = performance.now();
  const { seed, environment, calibration } = room;
  const name = `${environment.id}: ${what}`;
  const received = { ...scene, simulator: receivedBy(plan, scene.simulator) };
  const played = await play(plan.topology, { seed, environment, calibration, ...received }, (ms) =>
    plan.playing?.(name, Math.min(0.99, ms / 1000 / scene.seconds)),
  );
  plan.playing?.(name, 1);
  const took = ((performance.now() - began) / 1000).toFixed(0);
  plan.print(`${name}, ${scene.seconds.toFixed(0)} s played in ${took} s`);
  return played;
}

/**
 * Applies a function to each item, several concurrently; returns results in their order, as plain data. Stops at
 * the first failure.
 */
export async function each<T, R>(
  { atOnce, shared }: Plan,
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  if (shared) return shared.each(items, atOnce, work);
  const results: R[] = [];
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, one));
  return results;
}
