import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { estimate } from '../../operators/infer-pose/sights/estimate.js';
import { JOINTS, POSTURES } from '../../operators/infer-pose/networks/body.js';
import { axesAt, CELLS, turnBack } from '../../operators/infer-pose/inputs/geometry.js';
import { OUT } from '../../operators/infer-pose/networks/layers.js';
import { answerRow, readingInputs } from '../../operators/infer-pose/sights/reading.js';
import { ROOM_INPUTS, CELL_INPUTS } from '../../operators/infer-pose/networks/memory-layers.js';
import type { Network } from '../../operators/infer-pose/networks/network.js';
import { ProfileLearner } from '../../operators/infer-pose/windows/profiles.js';
import { featuresOf, requestOf, type Request } from '../../operators/infer-pose/windows/request.js';
import { UNCALIBRATED, type RoomCalibration } from '../../operators/infer-pose/model/calibration.js';
import { withUsableLinks } from '../../operators/shared/usable-links.js';
import { replaceFile } from '../../pipeline/base/files.js';
import { LinkTable, type CsiLayout, type Environment } from '../../pipeline/model/index.js';
import { GAINS } from '../../pipeline/sources/simulator/gain-control.js';
import { IMPAIRMENTS } from '../../pipeline/sources/simulator/impairments.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';
import { Stage } from '../../pipeline/sources/simulator/stage.js';
import type { TruthLine } from '../../pipeline/sources/simulator/truth-file.js';
import { randomEnvironment } from '../accuracy/chain/rooms.js';
import { echoOf } from '../shared/echoes.js';
import { playWindows, type Playing } from '../falls/play-windows.js';
import { receiverOf, type Receivers } from './receivers.js';
import type { RoomProgress } from './room-progress.js';
import { COURSE_S, isThing, kindOf, peopleOf, type Kind } from './what-happens.js';

/** People whose places a course gives. */
export const PEOPLE = 4;
/** Offsets of a person's ground truth. Joints: from the floor point, in the body's own axes. */
export const TRUE = { place: 0, heading: 2, posture: 4, speed: 5, joints: 6 } as const;
/** Values per person. */
export const TOLD = TRUE.joints + 3 * JOINTS;

/** Output of the pose network for a simulated room, window after window, with the ground truth. */
export interface Course {
  readonly seed: number;
  readonly kind: Kind;
  /** Metres. */
  readonly size: { readonly x: number; readonly y: number };
  readonly windows: number;
  /** [windows, CELLS, CELL_INPUTS], upper halves of 32-bit floats. */
  readonly cells: Uint16Array;
  /** [windows, ROOM_INPUTS] */
  readonly room: Float32Array;
  /** The answer from one window alone, in the order of OUT: [windows, OUT.size]. */
  readonly alone: Float32Array;
  /** [windows]: number of people present. */
  readonly people: Uint8Array;
  /** [windows, PEOPLE, TOLD] */
  readonly truth: Float32Array;
}

const RATE_HZ = 50;
/** Every second window of the chain is used, at {@link BEAT_S}. */
const EVERY = 2;
const CALIBRATION_S = 12;
/** No random stream of the simulator has this number. */
const STREAM = 78;
const LINKS = [4, 4, 4, 4, 3, 6, 9, 5] as const;
const WIDE_SNR_DB = [8, 40] as const;
const GAIN_STREAM = 79;
/** Up to a little more than those of real ESP32s. */
const RSSI = { noiseDb: [0, 0.4], outliers: [0, 0.04] } as const;
/** Windows per inference of the network. */
const BATCH = 30;
/** Seconds before and after a window's middle over which a speed is taken. */
const REACH_S = 0.4;

/** Rooms from a seed on; without a kind, of any; without a number of links, with the usual ones. */
export interface Rooms extends Receivers {
  readonly kind?: Kind;
  readonly links?: number;
  /** Packets a second; {@link RATE_HZ} if missing. */
  readonly rateHz?: number;
  /** If missing: always in rooms of a kind, otherwise mostly. */
  readonly calibrated?: boolean;
  /** Whether people and things reflect more or less than usual, see {@link echoOf}. */
  readonly echoes?: boolean;
  readonly first: number;
  readonly count: number;
}

/** Courses of these rooms; those in `cache` are not simulated again. */
export function simulateCourses(
  network: Network,
  { first, count, ...wanted }: Rooms,
  {
    cache,
    behind,
    progress,
  }: {
    readonly cache?: string | undefined;
    /** SHA-256 of the network's weights: cached outputs of other weights are not used. */
    readonly behind: string;
    readonly progress: RoomProgress;
  },
): Course[] {
  if (cache !== undefined) mkdirSync(cache, { recursive: true });
  return Array.from({ length: count }, (_, index) => {
    const seed = first + index;
    const { kind = 'any', links = 'usual', device = 'esp32', rateHz = RATE_HZ } = wanted;
    const { band = device, calibrated = 'any', echoes = false } = wanted;
    const name = [behind.slice(0, 8), kind, links, band, rateHz, calibrated, echoes, seed].join('-');
    const path = cache && join(cache, `course-${name}.v8`);
    const cached = path && existsSync(path) ? (deserialize(readFileSync(path)) as Course) : null;
    return progress.room(cached, () => {
      const course = simulateCourse(network, seed, wanted);
      if (path) replaceFile(path, serialize(course));
      return course;
    });
  });
}

type Wanted = Omit<Rooms, 'first' | 'count'>;

const simulateCourse = (network: Network, seed: number, wanted: Wanted): Course =>
  record(network, playRoom(seed, wanted));

/** What the windows of a simulated room show, before any network, and what happens in it. */
export interface PlayedRoom {
  readonly seed: number;
  readonly kind: Kind;
  readonly environment: Environment;
  readonly layout: CsiLayout;
  readonly rateHz: number;
  readonly stage: Stage;
  readonly asked: readonly Asked[];
}

/** The same seed gives the same room. With a kind, of that kind: calibrated, and with four links unless told. */
export function playRoom(seed: number, wanted: Wanted = {}): PlayedRoom {
  const random = new Random(seed, STREAM);
  const drawn = kindOf(random.next());
  const kind = wanted.kind ?? drawn;
  const usual = LINKS[wanted.kind ? 0 : random.below(LINKS.length)]!;
  const people = peopleOf(random, seed, kind);
  const environment = randomEnvironment(seed, wanted.links ?? usual);
  const impairments = {
    ...IMPAIRMENTS,
    ...(random.chance(0.6) && { snrDb: WIDE_SNR_DB }),
    ...(new Random(seed, GAIN_STREAM).chance(0.5) && { following: GAINS.following }),
    rssi: RSSI,
  };
  const chance = wanted.kind !== undefined || random.chance(0.85);
  const calibrated = wanted.calibrated ?? chance;
  const layout = receiverOf(seed, wanted);
  const rateHz = wanted.rateHz ?? RATE_HZ;
  const options = { seed, rateHz, impairments, layout, echoDb: wanted.echoes ? echoOf(seed) : 0 };
  const empty = new Stage(environment, { ...options, people: [] });
  const calibration = calibrated ? learn({ environment, rateHz, stage: empty }) : UNCALIBRATED;
  const things = kind === 'keeper' ? [{ type: 'pet' as const }] : isThing(kind) ? [{ type: kind }] : [];
  const stage = new Stage(environment, { ...options, people, things });
  const room = { seed, kind, environment, layout, rateHz, stage };
  return { ...room, asked: askedOf(room, calibration) };
}

function learn(room: Playing): RoomCalibration {
  const learner = new ProfileLearner();
  playWindows(room, CALIBRATION_S, (window) => {
    learner.add(window);
  });
  return { ...UNCALIBRATED, profiles: learner.profiles() };
}

/** A window in use. */
export interface Asked {
  readonly request: Request;
  /** The links of the request, in its order. */
  readonly ids: readonly string[];
  /** The tick of the window's middle. */
  readonly tick: number;
}

function askedOf(room: Playing, calibration: RoomCalibration): Asked[] {
  const table = new LinkTable([room.environment]);
  const asked: Asked[] = [];
  let number = 0;
  playWindows(room, COURSE_S, (window) => {
    if (number++ % EVERY !== 0) return;
    const usable = withUsableLinks(window);
    const request = requestOf(usable, table, calibration);
    const tick = Math.round(((window.start + (window.points * window.step) / 2) / 1e6) * room.rateHz);
    if (request && tick < COURSE_S * room.rateHz)
      asked.push({ request, tick, ids: usable.links.map(({ id }) => id) });
  });
  return asked;
}

function record(network: Network, played: PlayedRoom): Course {
  const { seed, kind, environment, asked } = played;
  const windows = asked.length;
  const course = {
    ...{ seed, kind },
    size: { x: environment.size.x, y: environment.size.y },
    windows,
    cells: new Uint16Array(windows * CELLS * CELL_INPUTS),
    room: new Float32Array(windows * ROOM_INPUTS),
    alone: new Float32Array(windows * OUT.size),
    people: new Uint8Array(windows),
    truth: new Float32Array(windows * PEOPLE * TOLD),
  };
  let at = 0;
  for (const batch of batches(asked)) {
    const requests = batch.map(({ request }) => request);
    for (const { cells, room, alone } of shownTo(network, requests)) {
      course.cells.set(cells, at * CELLS * CELL_INPUTS);
      course.room.set(room, at * ROOM_INPUTS);
      course.alone.set(alone, at * OUT.size);
      const people = peopleAt(played, asked[at]!.tick);
      course.people[at] = people.length;
      course.truth.set(people.slice(0, PEOPLE).flat(), at * PEOPLE * TOLD);
      at++;
    }
  }
  return course;
}

/** Input of the memory network for one window. */
export interface ShownWindow {
  /** [CELLS, CELL_INPUTS], upper halves of 32-bit floats. */
  readonly cells: Uint16Array;
  /** [ROOM_INPUTS] */
  readonly room: Float32Array;
  /** [OUT.size] */
  readonly alone: Float32Array;
}

/** Network inputs of windows with equally many links. */
export const shownTo = (network: Network, requests: readonly Request[]): ShownWindow[] =>
  estimate(network, requests, featuresOf(requests)).map(({ alone, shown }) => {
    const { cells, room } = readingInputs(shown);
    return { cells: halves(cells), room, alone: answerRow(alone) };
  });

/** Groups consecutive windows with equally many links. */
export function* batches<T extends { readonly request: Request }>(
  asked: readonly T[],
): Generator<readonly T[]> {
  for (let from = 0, to = 1; from < asked.length; from = to++) {
    const { length } = asked[from]!.request.links;
    while (to < asked.length && to - from < BATCH && asked[to]!.request.links.length === length) to++;
    yield asked.slice(from, to);
  }
}

/** [people present][TOLD] at a tick. */
export function peopleAt({ stage, rateHz }: Playing, tick: number): number[][] {
  const reach = Math.round(REACH_S * rateHz);
  const there = stage.truth(tick, 0).filter(({ present }) => present);
  const before = stage.truth(Math.max(0, tick - reach), 0);
  const after = stage.truth(tick + reach, 0);
  return there.map((line) => [
    ...line.root,
    Math.cos(line.heading),
    Math.sin(line.heading),
    POSTURES.indexOf(line.posture),
    distanceOf(before[line.person]!, after[line.person]!) / (2 * REACH_S),
    ...jointsOf(line),
  ]);
}

/** From the floor point, in the body's own axes. */
function jointsOf({ root, heading, keypoints }: TruthLine): number[] {
  const own = axesAt(heading);
  return keypoints.flatMap(([x, y, z]) => [...turnBack(own, x! - root[0], y! - root[1]), z!]);
}

const distanceOf = (before: TruthLine, after: TruthLine): number =>
  Math.hypot(after.root[0] - before.root[0], after.root[1] - before.root[1]);

/** Upper halves of 32-bit floats. */
function halves(values: Float32Array): Uint16Array {
  const words = new Uint16Array(values.buffer, values.byteOffset, 2 * values.length);
  return Uint16Array.from(values, (_, i) => words[2 * i + 1]!);
}

/** From upper halves, as many as fit into `out`. */
export function wholes(values: Uint16Array, out: Float32Array): Float32Array {
  const words = new Uint16Array(out.buffer, out.byteOffset, 2 * out.length);
  for (let i = 0; i < out.length; i++) words[2 * i + 1] = values[i]!;
  return out;
}
