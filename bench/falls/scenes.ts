import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { Impacts, type Impact } from '../../operators/detect-falls/impacts/impacts.js';
import { withUsableLinks } from '../../operators/shared/usable-links.js';
import { replaceFile } from '../../pipeline/base/files.js';
import { IMPAIRMENTS } from '../../pipeline/sources/simulator/impairments.js';
import type { MotionLibrary } from '../../pipeline/sources/simulator/recorded/library.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';
import { Stage } from '../../pipeline/sources/simulator/stage.js';
import type { Environment, Window } from '../../pipeline/model/index.js';
import { randomEnvironment } from '../accuracy/chain/rooms.js';
import { WindowChain } from './chain.js';
import { scriptOf, type Script } from './scripts.js';

/** An end of motion in a simulated room. */
export interface SimulatedImpact {
  /** Seconds from the beginning of the scene. */
  readonly time: number;
  /**
   * For each antenna, as {@link Impact.antennas}: in units of 1/4000, and -32768 for unknown values. In usual
   * scenes, the data known early.
   */
  readonly sequences: readonly Int16Array[];
  /** Number of its fall, from 0; -1 for none. */
  readonly fall: number;
  /** Too close to a fall to be labelled as a fall or as none. */
  readonly unclear: boolean;
}

/** Data of a simulated room. */
export interface SimulatedRoom {
  readonly seed: number;
  readonly seconds: number;
  readonly falls: readonly { readonly from: number; readonly to: number }[];
  readonly examples: readonly SimulatedImpact[];
}

/** A room to simulate; `life4`: daily life with four links and 50 packets per second (`slow`: 20), as most sites have. */
export interface Plan {
  readonly seed: number;
  readonly kind: Script | 'life4';
  /** 20 to 30 packets per second; `life4`: 20. */
  readonly slow?: boolean;
}

/** How rooms are simulated. */
export interface Simulation {
  /** Folder for simulated rooms; those in it are not simulated again. */
  readonly cache?: string | undefined;
  /** Recorded motion that people play in the scenes made for it. */
  readonly library?: MotionLibrary | undefined;
  readonly print: (line: string) => void;
}

/** For half the rooms; the others use the simulator's own. */
const WIDE_SNR_DB = [8, 40] as const;
const RATES = [30, 50, 50, 50, 80];
const SLOW_RATES = [20, 20, 25, 30];
const LINKS = [2, 3, 4, 4, 4, 4, 5, 6];
/** No random stream of the simulator has this number or the next one. */
const STREAM = 77;
/** Scenes for training warnings: 50 packets per second, the simulator's own noise. */
const USUAL: readonly string[] = ['lasting', 'lasting-recorded', 'day'] satisfies Script[];
/** Scenes in which people play recorded motion. */
const RECORDED: readonly string[] = ['recorded', 'lasting-recorded'] satisfies Script[];
const USUAL_LINKS = [3, 4, 4, 4, 4, 5];
/** From this seed on, rooms are never used for training, and these have four links. */
const UNTRAINED = 700_000;
/**
 * An end of motion from this many seconds after a fall's beginning to this many after its end is that fall
 * ...
 */
const FALL_S = [0.2, 0.7] as const;
/** ... and one from this many before to this many after it is omitted. */
const UNCLEAR_S = [-0.4, 3] as const;
export const SCALE = 4000;
export const UNKNOWN = -32_768;

/** Simulates rooms one after the other. */
export function simulateRooms(plans: readonly Plan[], simulation: Simulation): SimulatedRoom[] {
  const { cache, library, print } = simulation;
  if (cache !== undefined) mkdirSync(cache, { recursive: true });
  const fileOf = roomFiles(library);
  return plans.map((plan, index) => {
    const path = cache && join(cache, fileOf(plan));
    if (path && existsSync(path)) return deserialize(readFileSync(path)) as SimulatedRoom;
    const room = simulateRoom(plan, library);
    if (path) replaceFile(path, serialize(room));
    print(
      `room ${index + 1} of ${plans.length}: ${room.falls.length} falls, ${room.examples.length} ends of motion`,
    );
    return room;
  });
}

/** Names the file of a room in the cache; rooms with other recorded motion have other files. */
export function roomFiles(library?: MotionLibrary): (plan: Plan) => string {
  const motion = library ? `-${digestOfMotion(library)}` : '';
  return ({ kind, seed, slow }) =>
    `i-${slow ? 'slow-' : ''}${kind}-${seed}${RECORDED.includes(kind) ? motion : ''}.v8`;
}

function digestOfMotion({ clips, falls }: MotionLibrary): string {
  const hash = createHash('sha256');
  for (const { poses, ...head } of [...clips, ...falls]) hash.update(JSON.stringify(head)).update(poses);
  return hash.digest('hex').slice(0, 12);
}

/** Ends of motion in a room, from frames through the shipped chain. The same plan gives the same result. */
function simulateRoom(plan: Plan, library: MotionLibrary | undefined): SimulatedRoom {
  const { seed, environment, stage, rateHz } = setUp(plan, library);
  const ticks = stage.enter(0);
  const seconds = ticks / rateHz;
  const falls = fallsOf(stage, ticks, rateHz);
  const within = (time: number, [from, to]: readonly [number, number]) =>
    falls.findIndex((fall) => time > fall.from + from && time < fall.to + to);
  const impacts = new Impacts(isUsual(plan));
  const early = new Map<number, Impact>();
  const examples: SimulatedImpact[] = [];
  for (const window of windowsOf(stage, environment, ticks, rateHz))
    for (const impact of impacts.take(withUsableLinks(window))) {
      if (impact.early) early.set(impact.time, impact);
      const shown = isUsual(plan) ? early.get(impact.time) : impact;
      if (impact.early || !shown) continue;
      const time = impact.time / 1e6;
      const fall = within(time, FALL_S);
      const unclear = fall < 0 && within(time, UNCLEAR_S) >= 0;
      examples.push({ time, sequences: shown.antennas.map(whole), fall, unclear });
    }
  return { seed, seconds, falls, examples };
}

const isUsual = ({ kind }: Plan): boolean => USUAL.includes(kind);

/** A room and the people in it, before anything happens. */
export function setUp(plan: Plan, library?: MotionLibrary) {
  const { seed, kind } = plan;
  const usual = isUsual(plan);
  const random = new Random(seed, usual ? STREAM + 1 : STREAM);
  const draw = <T>(from: readonly T[]): T => from[random.below(from.length)]!;
  const four = kind === 'life4' || (usual && seed >= UNTRAINED);
  const environment = randomEnvironment(seed, four ? 4 : draw(usual ? USUAL_LINKS : LINKS));
  const script = scriptOf(kind === 'life4' ? 'life' : kind, random, seed);
  const rateHz = usual || kind === 'life4' ? (plan.slow ? 20 : 50) : draw(plan.slow ? SLOW_RATES : RATES);
  const impairments = !usual && random.chance(0.5) ? { ...IMPAIRMENTS, snrDb: WIDE_SNR_DB } : IMPAIRMENTS;
  const recorded = RECORDED.includes(kind) ? { library } : {};
  const stage = new Stage(environment, { seed, rateHz, people: [{ script }], impairments, ...recorded });
  return { seed, environment, stage, rateHz };
}

/** Plays `ticks` of a stage through the shipped chain. */
export function* windowsOf(
  stage: Stage,
  environment: Environment,
  ticks: number,
  rateHz: number,
): Generator<Window> {
  const chain = new WindowChain(environment);
  const numbers = environment.links.map((_, index) => index);
  for (let tick = 0; tick < ticks; tick += rateHz) {
    const block = stage.play(tick, Math.min(ticks, tick + rateHz), 0, tick, numbers);
    if (block.count > 0) yield* chain.take(block);
  }
  yield* chain.end();
}

const whole = (values: Float32Array): Int16Array =>
  Int16Array.from(values, (value) =>
    Number.isNaN(value) ? UNKNOWN : Math.round(Math.max(-8, Math.min(8, value)) * SCALE),
  );

export function fallsOf(stage: Stage, ticks: number, rateHz: number): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  let falling = false;
  for (let tick = 0; tick < ticks; tick += 5) {
    const isFall = stage.truth(tick, 0)[0]!.activity === 'fall';
    if (isFall && !falling) found.push({ from: tick / rateHz, to: ticks / rateHz });
    if (!isFall && falling) found.at(-1)!.to = tick / rateHz;
    falling = isFall;
  }
  return found;
}
