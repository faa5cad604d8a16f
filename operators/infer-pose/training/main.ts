import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { loadEnvironment } from '../../../pipeline/config/load/environments.js';
import { formatProblem, Problems } from '../../../pipeline/config/problems/problem.js';
import type { Environment } from '../../../pipeline/model/index.js';
import { InputError } from '../../../pipeline/base/input-error.js';
import { outputFile } from '../../../pipeline/base/paths.js';
import type { BackendName } from '../backends/backends.js';
import { loadTrainingBackend } from './backend.js';
import { namedModel } from '../model/named-model.js';
import { readModel, trainedRoomOf, writeModel, SHIPPED } from '../model/weights.js';
import { calibrate, evaluate } from './evaluate.js';
import { stoppedText } from '../../shared/early-stop.js';
import { WATCHED_SEED } from './early-stop.js';
import { markdownOf, type PoseReport } from './report.js';
import { writeStanding, readStanding } from './standing.js';
import { trainingPlan, trainNetwork, type Progress, type TrainingWatch } from './train.js';

/** Options of `csiflow train pose`. */
export interface TrainPoseOptions {
  /** Environment file of a room to train for; without it, any room. */
  readonly environment?: string;
  readonly minutes?: number;
  readonly windows?: number;
  /** Folder of the weights; its name is the model's. Default: the shipped ones. */
  readonly out?: string;
  /** Folder of the report. Default: docs/reports of csiflow. */
  readonly report?: string;
  readonly seed: number;
  /** Threads that simulate. */
  readonly threads: number;
  readonly rate: number;
  /** Validations without improvement before training stops; 0: it runs to its limit. */
  readonly patience: number;
  /** Model to start from: `general`, or a folder. */
  readonly start?: string;
  /** File with the training's state; an existing one is resumed. */
  readonly state?: string;
  readonly backend: BackendName | 'fastest';
  /** Held-out windows for each table. */
  readonly sequences: number;
  readonly print: (line: string) => void;
  /** Shows what changes with each step. */
  readonly show?: (text: () => string) => void;
  /** Ends the training with its reason; its state is saved first. */
  readonly signal?: AbortSignal;
}

const TRAINED_ON = 'simulated CSI';
/** How often the state of a training is saved. */
const SAVE_MS = 240_000;

/**
 * Trains a network on fresh simulated rooms, fits its error scales on held-out ones, writes weights and
 * report.
 * @throws InputError if the options or the environment's file are invalid; the reason of `signal`
 */
export async function trainPose(options: TrainPoseOptions): Promise<PoseReport> {
  const { print } = options;
  const environment = options.environment ? readEnvironmentFile(options.environment) : null;
  if (!Number.isInteger(options.seed) || options.seed < 0 || options.seed >= WATCHED_SEED) {
    throw new InputError(
      `The seed must be a whole number from 0 to ${WATCHED_SEED - 1}; later ones are held out.`,
    );
  }
  const until = boundOf(options);
  const folder = resolve(options.out ?? outputFile(join(SHIPPED, environment?.id ?? 'general')));
  const name = basename(folder);
  const start = options.start ? readModel(namedModel(options.start)).weights : null;
  const backend = await loadTrainingBackend(options.backend);
  print(`training ${name} on ${backend.name} (${backend.device}, ${backend.reason})`);

  const resume = options.state ? readStanding(options.state) : null;
  if (resume)
    print(`resuming from ${options.state!}: ${resume.windows} windows in ${resume.minutes.toFixed(1)} min`);
  print('simulating the first rooms, which takes some minutes');
  const curve: [number, number, number][] = [];
  const { seed, threads, rate: peakRate, patience } = options;
  const { weights, progress, watched, stopped } = await trainNetwork(
    {
      ...{ seed, environment, until, threads, peakRate, patience, resume },
      start,
    },
    watchOf(options, curve, resume !== null),
  );
  if (stopped) print(`stopped: ${stoppedText(patience)}; using the best weights`);
  const training = {
    seed: options.seed,
    rooms: progress.rooms,
    windows_seen: progress.windows,
    steps: progress.step,
    minutes: Math.round(progress.minutes * 10) / 10,
    started_from: options.start ?? 'random weights',
    peak_learning_rate: options.rate,
    stopped: stopped ? stoppedText(patience) : 'at its limit',
    loss_in_other_rooms: rounded(watched),
    // Windows seen, the mean loss since the previous line, and the loss in validation rooms.
    loss: curve,
    backend: `${backend.name} ${backend.version}, ${backend.device}`,
    place: environment
      ? `${environment.id}: materials, furniture, bodies and motions vary`
      : 'a new room each',
    data: describePlan(options.seed, environment),
  };
  return finishModel({ weights, folder, environment, training, options });
}

/** Prints and saves what a training tells; adds to `curve`. */
function watchOf(
  options: TrainPoseOptions,
  curve: [number, number, number][],
  resumed: boolean,
): TrainingWatch {
  const { print, state, signal } = options;
  let saved = performance.now();
  return {
    report: (now, standing) => {
      curve.push([now.windows, rounded(now.loss), rounded(now.watched)]);
      if (state && performance.now() - saved > SAVE_MS) {
        writeStanding(state, standing());
        saved = performance.now();
      }
      print(`${textOf(now)}, validation ${now.watched.toFixed(3)}`);
    },
    simulated: (rooms, of) => {
      print(`${rooms} of ${of} rooms simulated`);
    },
    lost: (rooms) => {
      print(lostText(rooms, resumed ? state : undefined));
    },
    stepped: (now) => options.show?.(() => textOf(now)),
    interrupted: (standing) => {
      if (!state) return;
      writeStanding(state, standing);
      print(`saved in ${state}: the same command continues`);
    },
    signal,
  };
}

/** Tells what an interruption before the first step loses. @param state that an earlier run saved */
export const lostText = (rooms: number, state: string | undefined): string =>
  `the first rooms (${rooms} so far) are lost, and the same command simulates them again: to keep a training, interrupt it after its first step${
    state === undefined ? '' : `; ${state} is unchanged`
  }`;

const textOf = ({ step, windows, rooms, minutes, share, loss }: Omit<Progress, 'watched'>): string =>
  `step ${step}  windows ${windows}  rooms ${rooms}  ${minutes.toFixed(1)} min  ` +
  `${(100 * share).toFixed(0)} %${Number.isNaN(loss) ? '' : `  loss ${loss.toFixed(3)}`}`;

const rounded = (loss: number): number => Math.round(1000 * loss) / 1000;

function boundOf({ windows, minutes = 60 }: Pick<TrainPoseOptions, 'windows' | 'minutes'>) {
  const until = windows === undefined ? { minutes } : { windows };
  if (!((windows ?? minutes) > 0)) {
    throw new InputError(
      `A training of length ${JSON.stringify(until)} is empty: the length must be above 0.`,
    );
  }
  return until;
}

/** Calibrates trained weights, and writes model and report. */
function finishModel({ weights, folder, environment, training, options }: Finished): PoseReport {
  const { print, sequences } = options;
  print('fitting the error scales');
  const name = basename(folder);
  const manifest = writeModel(folder, weights, {
    name: `csiflow-pose-${name}`,
    version: VERSION,
    trainedOn: TRAINED_ON,
    accuracy: `docs/reports/pose-${name}.md`,
    calibration: calibrate(weights, environment, sequences),
    site: environment ? trainedRoomOf(environment) : null,
    training,
  });
  const report = evaluate(weights, manifest, environment, sequences, print);
  writeReport(options.report ?? outputFile('docs/reports'), name, report);
  print(`wrote ${folder} and pose-${name}.md`);
  return report;
}

/** Version of the shipped weights, incremented with each published training. */
const VERSION = '1.0.0';

interface Finished {
  readonly weights: Float32Array;
  readonly folder: string;
  readonly environment: Environment | null;
  readonly training: Readonly<Record<string, unknown>>;
  readonly options: Pick<TrainPoseOptions, 'print' | 'sequences' | 'report'>;
}

export { markdownOf, type PoseReport } from './report.js';

function writeReport(folder: string, name: string, report: PoseReport): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `pose-${name}.md`), markdownOf(report));
  writeFileSync(join(folder, `pose-${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
}

/** @throws InputError with all problems of the file */
export function readEnvironmentFile(file: string): Environment {
  const problems = new Problems();
  const folder = process.cwd();
  const at = { file, line: 1, column: 1, length: 1 };
  const loaded = loadEnvironment(
    { kind: 'scalar', location: at, size: 1, value: file, text: file },
    { shown: join(folder, 'environment'), folder },
    { env: process.env },
    problems,
  );
  if (!loaded)
    throw new InputError(
      problems
        .list()
        .map((problem) => formatProblem(problem))
        .join('\n'),
    );
  return loaded.environment;
}

function describePlan(seed: number, environment: Environment | null): string {
  const plan = trainingPlan(seed, environment);
  return (
    `${plan.seconds} s and ${plan.windows} windows of each room behind denoise and window, ` +
    `shares with nobody, one to four people: ${plan.people.join(', ')}; ${100 * plan.falls} % with a fall; ` +
    `links of 26 to 56 subcarriers, 20 to 100 packets per second, 3 to 45 dB of signal to noise, some dead or misplaced; ` +
    `rotated by any angle, mirrored, antennas swapped, a quarter without calibration`
  );
}
