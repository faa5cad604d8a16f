import { Value } from 'typebox/value';
import { EchoLearner } from '../../../operators/infer-pose/windows/echo.js';
import { ProfileLearner } from '../../../operators/infer-pose/windows/profiles.js';
import {
  readCalibration,
  UNCALIBRATED,
  writeCalibration,
} from '../../../operators/infer-pose/model/calibration.js';
import type { AnySource } from '../../../pipeline/component/index.js';
import type { CheckedNode, CheckedTest, CheckedTopology, TestInput } from '../../../pipeline/config/index.js';
import type {
  Data,
  Environment,
  Measure,
  PoseFrame,
  SensedEvent,
  Window,
} from '../../../pipeline/model/index.js';
import { listenTo, readBy } from '../../../pipeline/runtime/listen.js';
import { simulator } from '../../../pipeline/sources/simulator/source.js';
import type { PersonConfig } from '../../../pipeline/sources/simulator/script.js';
import { runTest } from '../../../pipeline/testing/run-test.js';
import type { Outcome } from '../../../pipeline/testing/outcome.js';
import { simulatedIn, withBadLink, type Fault } from './inputs.js';
import { Truth } from './truth.js';

/** Input of a topology. */
export interface Scene {
  readonly environment: Environment;
  /** File as written by `csiflow calibrate`; null: none. */
  readonly calibration: string | null;
  readonly seed: number;
  readonly people: readonly PersonConfig[];
  readonly seconds: number;
  /** Further settings of the simulator: `snr_db`, `loss`, ... */
  readonly simulator?: Readonly<Record<string, unknown>>;
  /** A link that is bad from the start; the calibration predates the fault. */
  readonly bad?: { readonly link: string; readonly fault: Fault } | null;
  /** Where the nodes really stand, if not where the topology says; the same links. */
  readonly actual?: Environment | null;
  /** A node whose windows are also collected. */
  readonly windowsOf?: string | undefined;
}

/** A record with the amount of input read when a sink received it. */
export type Given<T> = T & { readonly givenAt: number };

/** The output of a topology's sinks. Times are event times, microseconds. */
export interface Observed {
  readonly start: number;
  readonly end: number;
  readonly poses: readonly Given<PoseFrame>[];
  readonly events: readonly Given<SensedEvent>[];
  readonly measures: readonly Given<Measure>[];
}

/** A scene that was played. */
export interface Played extends Observed {
  readonly truth: Truth;
  /** Empty unless requested. */
  readonly windows: readonly Window[];
}

/** Real-time limit of one scene, milliseconds. */
const LIMIT_MS = 3_600_000;
const LOCATION = { file: '', line: 1, column: 1, length: 1 };

/**
 * Plays a scene as raw frames through every node of a topology.
 * @param onRead called often with how much of it was read so far, milliseconds
 */
export async function play(
  topology: CheckedTopology,
  scene: Scene,
  onRead?: (ms: number) => void,
): Promise<Played> {
  const placed = scene.actual ? simulatedIn(simulated(scene), scene.actual) : simulated(scene);
  const input = scene.bad ? withBadLink(placed, scene.bad.link, scene.bad.fault) : placed;
  const { windowsOf } = scene;
  const { observed, outcome } = await feed(placedIn(topology, scene), input, windowsOf, onRead);
  const windows = (outcome.taken.get(windowsOf ?? '') ?? []).flatMap(({ record }) =>
    record.port === 'window' ? [record] : [],
  );
  const [truth] = outcome.truth.values();
  if (truth === undefined) throw new Error('the scene has no truth: its source does not declare `simulates`');
  return { ...observed, windows, truth: new Truth(truth) };
}

/** Feeds the first source of a topology; the others get no input. @throws Error if any part fails */
export async function feed(
  topology: CheckedTopology,
  input: TestInput,
  alsoOf?: string,
  onRead?: (ms: number) => void,
): Promise<{ readonly observed: Observed; readonly outcome: Outcome }> {
  const [first, ...others] = topology.nodes.filter(({ component }) => component.kind === 'source');
  if (!first) throw new Error(`${topology.id} has no source`);
  const silent = others.map(({ id }) => [id, { kind: 'records', records: [] }] as const);
  const test: CheckedTest = {
    name: 'evaluation',
    location: LOCATION,
    input: new Map<string, TestInput>([[first.id, input], ...silent]),
    faults: new Map(),
    runOnMs: 0,
    expect: [],
  };
  const sinks = topology.nodes.filter(({ component }) => component.kind === 'sink').map(({ id }) => id);
  const watched = new Set(alsoOf === undefined ? sinks : [...sinks, alsoOf]);
  const outcome = await runTest(topology, test, LIMIT_MS, watched, onRead);
  checkWhole(topology, outcome);
  return { observed: observedIn(outcome), outcome };
}

/** Learns the profiles of the empty room like `csiflow calibrate`, and writes them to a file. */
export async function calibrate(
  topology: CheckedTopology,
  scene: CalibrationScene,
  file: string,
): Promise<string> {
  return learn(placedIn(topology, { ...scene, calibration: null }), played(scene, []), file);
}

/**
 * Adds the echo of a room to its calibration like `csiflow calibrate --walker`.
 * @returns why it has none, as where echoes are weak; null: it has one
 */
export async function calibrateEcho(
  topology: CheckedTopology,
  scene: CalibrationScene,
  file: string,
): Promise<string | null> {
  const { environment } = scene;
  const learner = new EchoLearner(environment);
  const input = played(scene, [...OTHERS, { script: [{ activity: 'walk', seconds: CALIBRATION_S }] }]);
  await hear(placedIn(topology, { environment, calibration: null }), input, (window) => {
    learner.add(window);
  });
  const { echoDb, problem } = learner;
  if (echoDb === null) return problem;
  const { profiles } = readCalibration(file);
  writeCalibration(file, { profiles, echoes: { [environment.id]: echoDb } });
  return null;
}

type CalibrationScene = Omit<Scene, 'people' | 'seconds' | 'calibration'>;
type Input = Pick<CheckedNode, 'component' | 'config'>;

function played(scene: CalibrationScene, people: Scene['people']): Input {
  const { component, config } = simulated({ ...scene, people, seconds: CALIBRATION_S, calibration: null });
  return { component, config: { ...config, speed: 0, start_time: CALIBRATION_TIME } };
}

/** Hands over the windows that the topology's pose network reads. */
async function hear(topology: CheckedTopology, input: Input, take: (window: Window) => void): Promise<void> {
  const node = readBy(topology, 'infer-pose', 'window');
  if (node === undefined) throw new Error(`${topology.id} has no infer-pose that reads windows`);
  await listenTo(fedBy(topology, input), node, (window) => {
    if (window.port === 'window') take(window);
    return false;
  });
}

/**
 * Learns the profiles of an empty room from what a source plays in it, and writes them to a file.
 * @throws Error if a link has none
 */
export async function learn(topology: CheckedTopology, input: Input, file: string): Promise<string> {
  const learner = new ProfileLearner();
  await hear(topology, input, (window) => {
    learner.add(window);
  });
  const profiles = learner.profiles();
  const missing = topology.environments.flatMap(({ links }) => links.filter(({ id }) => !(id in profiles)));
  if (missing.length > 0)
    throw new Error(
      `the empty room has too few frames of ${missing.map(({ id }) => id).join(', ')} to calibrate`,
    );
  writeCalibration(file, { ...UNCALIBRATED, profiles });
  return file;
}

/** The default of `csiflow calibrate`. */
const CALIBRATION_S = 60;
/** The evening before. */
const CALIBRATION_TIME = '2025-12-31T20:00:00Z';
/** Outside all the time: bodies and paths follow from a person's number, and scenes have up to four people. */
const OTHERS: readonly PersonConfig[] = Array.from({ length: 4 }, () => ({
  script: [{ activity: 'away', seconds: 2 * CALIBRATION_S }],
}));

/** The simulator as a topology would name it. @throws Error for an unknown setting */
function simulated({ seed, people, seconds, simulator: more }: Scene): TestInput & { kind: 'source' } {
  const config = Value.Default(simulator.config, { ...more, people, seed, duration_s: seconds });
  const [problem] = Value.Errors(simulator.config, config);
  if (problem) throw new Error(`the simulator refuses a scene: ${problem.instancePath} ${problem.message}`);
  const component = simulator as unknown as AnySource;
  return { kind: 'source', component, config: config as Readonly<Record<string, unknown>> };
}

/** A topology in another room, with the changes that a user would make to a shipped file. */
export function placedIn(
  topology: CheckedTopology,
  { environment, calibration }: Pick<Scene, 'environment' | 'calibration'>,
): CheckedTopology {
  const nodes = topology.nodes.map((node): CheckedNode => {
    if (node.component.name !== 'infer-pose') return node;
    return { ...node, config: { ...node.config, calibration: calibration ?? undefined } };
  });
  return { ...topology, environments: [environment], nodes };
}

/**
 * A topology that is degraded because it ignores a faulty link is measured with the remaining ones, as its
 * users would see it.
 * @throws Error if records were lost or a node failed: the figures would not be of the whole topology
 */
function checkWhole(topology: CheckedTopology, { state, problem, deadLetters, log }: Outcome): void {
  const dead = [...deadLetters].map(([node, letters]) => `${letters.length} of ${node}`);
  const whole = problem === null || LEFT_OUT.test(problem);
  if (whole && dead.length === 0) return;
  const lost = dead.length === 0 ? '' : `; dead letters: ${dead.join(', ')}`;
  throw new Error(
    `${topology.id} did not run through (${state}: ${problem ?? 'no problem'}${lost})\n${log.slice(0, 5).join('\n')}`,
  );
}

/** Message of `window` for a link that cannot be right. */
const LEFT_OUT = /^\S+: link \S+ is faulty and ignored/;
/** A topology with other sources. */
export const fedBy = (
  topology: CheckedTopology,
  { component, config }: Pick<CheckedNode, 'component' | 'config'>,
): CheckedTopology => ({
  ...topology,
  nodes: topology.nodes.map((node) =>
    node.component.kind === 'source' ? { ...node, component, config } : node,
  ),
});

/** The output of all sinks, each record once. */
function observedIn({ taken, start, inputMs }: Outcome): Observed {
  const poses = new Map<string, Given<PoseFrame>>();
  const events = new Map<string, Given<SensedEvent>>();
  const measures = new Map<string, Given<Measure>>();
  const give = <T extends Data>(record: T, givenMs: number) =>
    ({ ...record, givenAt: start + givenMs * 1000 }) as Given<T>;
  for (const { record, givenMs } of [...taken.values()].flat()) {
    if (record.port === 'pose') {
      const key = `${record.environment} ${record.frameId}`;
      const known = poses.get(key);
      // If a pose frame arrives with and without tracks, people see the tracked one.
      const tracked = known?.persons.some(({ track }) => track !== null) ?? false;
      if (!known || !tracked) poses.set(key, give(record, givenMs));
    }
    if (record.port === 'event') events.set(record.id, give(record, givenMs));
    if (record.port === 'measure') {
      const { environment, name, subject, source, time } = record;
      measures.set(`${environment} ${name} ${subject ?? ''} ${source} ${time}`, give(record, givenMs));
    }
  }
  const byTime = (a: { time: number }, b: { time: number }) => a.time - b.time;
  return {
    start,
    end: start + inputMs * 1000,
    poses: [...poses.values()].sort(byTime),
    events: [...events.values()].sort(byTime),
    measures: [...measures.values()].sort(byTime),
  };
}
