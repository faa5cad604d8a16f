import { mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Network, weightTensors } from '../../operators/infer-pose/networks/network.js';
import type { Scene } from '../../operators/infer-pose/inputs/scene.js';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import {
  readMemory,
  readModel,
  trainedRoomOf,
  writeMemory,
  writeModel,
  type Manifest,
} from '../../operators/infer-pose/model/weights.js';
import { stoppedText } from '../../operators/shared/early-stop.js';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';
import { replaceFile } from '../../pipeline/base/files.js';
import type { CheckedTopology } from '../../pipeline/config/index.js';
import type { Environment } from '../../pipeline/model/index.js';
import { playlist } from '../accuracy/chain/inputs.js';
import { feed } from '../accuracy/chain/scene.js';
import { TOLD, TRUE } from '../memory/courses.js';
import { trainAnswers, type SiteSettings } from './answers-training.js';
import { judgedTable, usualPlace } from './judge.js';
import type { Labels } from './labels.js';
import { lessonsOf, splitOf, type Labelled, type Lesson, type Split } from './lessons.js';
import { listenToRecordings, poseSettings, withModel } from './listen.js';
import { markdownOf, type SiteReport } from './report.js';

/** Chosen on simulated rooms (seeds from 700,000). */
const SITE_SETTINGS: SiteSettings = { steps: 1500, batch: 64, rate: 0.003, look: 25 };

/** A recording with its labels. */
export interface LabelledRecording {
  /** In any format that the `file` source reads. */
  readonly path: string;
  readonly labels: Labels;
  readonly absolute: boolean;
}

/** Options of `csiflow train site`. */
export interface TrainSiteOptions {
  /** In the recordings' own room: see {@link inEnvironment}. */
  readonly topology: CheckedTopology;
  readonly recordings: readonly LabelledRecording[];
  /** Folder for the new model. */
  readonly out: string;
  readonly seed: number;
  readonly steps: number;
  readonly patience: number;
  readonly print: (line: string) => void;
}

/**
 * Trains the memory of `infer-pose` on a site's own recordings, through the nodes of the topology, and writes
 * a model and a report into `out`. The last part of each recording is used neither for training nor for
 * validation: the output of the topology's sinks for it is measured before and after.
 * @throws CommandError that names the problem with the topology, recordings or model
 */
export async function trainSite(options: TrainSiteOptions): Promise<SiteReport> {
  const { topology, recordings, print } = options;
  const [environment] = topology.environments;
  const folder = resolve(options.out);
  const { usual, high } = poseSettings(topology);
  // Each is read before the recordings are played, which takes long.
  const starts = new Map(Array.from(new Set([usual, high]), (model) => [model, startOf(model, folder)]));
  const backend = await loadTrainingBackend();
  print(`training on ${backend.name} (${backend.device}, ${backend.reason})`);
  print(`playing ${recordings.length} recordings through ${topology.id}`);
  const paths = recordings.map(({ path }) => path);
  const networkOf = (model: string) => new Network(weightTensors(starts.get(model)!.weights));
  const { observed, windows, played, model } = await listenToRecordings(topology, networkOf, paths);
  const start = starts.get(model)!;
  print(`starting from ${start.manifest.name} ${start.manifest.version}`);
  const labelled = recordings.map(({ labels, absolute }, i): Labelled => ({
    played: played[i]!,
    labels,
    absolute,
  }));
  const split = splitOf(windows, labelled);
  const { size } = environment!;
  const lessons = (of: keyof Split) => lessonsOf(windows, split[of], labelled, { start: start.memory, size });
  const trained = trainOn({ trained: lessons('trained'), watched: lessons('watched') }, start, size, options);
  const manifest = writeSite(folder, trained, {
    environment: environment!,
    start,
    backend: backend.name,
    options,
  });
  print('playing them once more, with what was trained');
  const again = await feed(withModel(topology, folder), playlist(paths, []));
  const runs = [
    { name: 'before', observed },
    { name: 'after', observed: again.observed },
  ];
  const places = trained.places;
  const table = judgedTable(runs, {
    ...{ recordings: labelled, spans: split.judged, environment: environment!, usual: usualPlace(places) },
  });
  const report: SiteReport = {
    model: manifest.name,
    from: { folder: start.folder, sha256: start.manifest.memory!.sha256 },
    sha256: manifest.memory!.sha256,
    training: manifest.memory!.training,
    curve: trained.curve,
    table,
  };
  replaceFile(join(folder, 'report.md'), markdownOf(report));
  replaceFile(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  return report;
}

interface Start {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly weights: Float32Array;
  readonly memory: Float32Array;
}

/**
 * A model to start from.
 * @param out folder of the new model
 * @throws CommandError if it has no memory, or is in that folder
 */
function startOf(folder: string, out: string): Start {
  if (folder === out)
    throw new CommandError(
      `${folder} holds the weights that it begins with: name another folder`,
      EXIT.invalid,
    );
  const { manifest, weights } = readModel(folder);
  const memory = readMemory(folder, manifest);
  if (!memory)
    throw new CommandError(
      `${folder} has no memory, and a site's recordings are too few to make one: run \`csiflow train memory --model ${folder}\` first`,
      EXIT.invalid,
    );
  return { folder, manifest, weights, memory };
}

interface Lessons {
  readonly trained: readonly Lesson[];
  readonly watched: readonly Lesson[];
}

/** Minimum number of labelled windows. */
const FEWEST = 20;
const WHERE = 'in the part that is not trained on';

/** @throws CommandError if there are too few labels */
function trainOn(lessons: Lessons, start: Start, size: Scene['size'], options: TrainSiteOptions) {
  const { trained, watched } = lessons;
  if (trained.length < FEWEST || watched.length === 0)
    throw new CommandError(
      `${trained.length} windows are labelled to be trained on, and ${watched.length} to look at: at least ${FEWEST} and one are needed, so label more`,
      EXIT.invalid,
    );
  const { seed, patience, steps, print } = options;
  print(`training on ${trained.length} windows, watched by ${watched.length} later ones`);
  const curve: [number, number | null, number][] = [];
  const result = trainAnswers(
    start.memory,
    lessons,
    { ...SITE_SETTINGS, steps },
    {
      ...{ size, seed, patience },
      progress: ({ step, loss, watched: elsewhere }) => {
        curve.push([step, rounded(loss), rounded(elsewhere)]);
        print(`step ${step} of ${steps}, loss ${loss.toFixed(3)}, ${WHERE} ${elsewhere.toFixed(3)}`);
      },
    },
  );
  const { before, stopped } = result;
  if (stopped) print(`stopped: ${stoppedText(patience, WHERE)}; using the best weights`);
  if (result.watched >= before) print('it got no better than what it began with, and ends with that');
  return {
    ...result,
    curve: [[0, null, rounded(before)] as const, ...curve],
    places: trained.flatMap(placesOf),
  };
}

const rounded = (loss: number): number => Math.round(1000 * loss) / 1000;

/** Writes the model in the format of `infer-pose`: the unchanged pose network, and the trained memory. */
function writeSite(
  folder: string,
  trained: ReturnType<typeof trainOn>,
  site: {
    readonly environment: Environment;
    readonly start: Start;
    readonly backend: string;
    readonly options: TrainSiteOptions;
  },
): Manifest {
  const { environment, start, backend, options } = site;
  const { seed, patience, print } = options;
  const { calibration, training, trainedOn, version } = start.manifest;
  mkdirSync(folder, { recursive: true });
  writeModel(folder, start.weights, {
    ...{ version, calibration, training },
    trainedOn: `${trainedOn}, recordings of ${environment.id}`,
    name: `csiflow-pose-${basename(folder)}`,
    accuracy: 'report.md beside the weights',
    site: trainedRoomOf(environment),
  });
  const manifest = writeMemory(folder, trained.weights, {
    calibration: start.manifest.memory!.calibration,
    ...(start.manifest.memory!.confirmation && { confirmation: start.manifest.memory!.confirmation }),
    training: {
      ...{ seed, ...SITE_SETTINGS, steps: options.steps },
      began_with: start.manifest.memory!.sha256,
      recordings: options.recordings.map(({ path }) => basename(path)),
      stopped: trained.stopped
        ? stoppedText(patience, 'in the part that is not trained on')
        : 'at its last epoch',
      loss_before: rounded(trained.before),
      loss_after: rounded(trained.watched),
      with: `\`csiflow train site\`, ${backend}`,
    },
  });
  print(`wrote ${folder}`);
  return manifest;
}

/** Positions of the people. */
const placesOf = ({ people, truth }: Lesson): (readonly [number, number])[] =>
  Array.from({ length: people }, (_, p): readonly [number, number] => {
    const at = p * TOLD + TRUE.place;
    return [truth[at]!, truth[at + 1]!];
  });
