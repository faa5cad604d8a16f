import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { MEMORY_PARAMETERS } from '../../operators/infer-pose/memory-layers.js';
import { Network, weightTensors } from '../../operators/infer-pose/network.js';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import { modelFolder, readModel, writeMemory, type Manifest } from '../../operators/infer-pose/weights.js';
import { stoppedText } from '../../operators/shared/early-stop.js';
import { replaceFile } from '../../pipeline/base/files.js';
import { COURSE_S, simulateCourses, type Course, type Kind } from './courses.js';
import { judgeMemory, type MemoryFigures } from './judge-memory.js';
import {
  trainMemory,
  type MemorySettings,
  type MemoryStanding,
  type MemoryTraining,
  type TrainedWeights,
} from './training.js';

/** Chosen on the tuning rooms. */
export const MEMORY_SETTINGS: MemorySettings = {
  epochs: 40,
  batch: 12,
  reach: 66,
  rate: 0.002,
  decay: 0.01,
};

/** Training rooms. */
const TRAINING = { first: 530_000, count: 720 } as const;
/** Validation rooms of any kind: used neither for training nor for evaluation. */
const WATCHED = { first: 745_000, count: 24 } as const;
/** Rooms of each kind for fitting scales and comparing trainings. */
const TUNING: readonly { readonly first: number; readonly count: number; readonly kind?: Kind }[] = [
  ...(['walk', 'rest', 'many', 'daily'] as const).map((kind) => ({ kind, first: 740_000, count: 10 })),
  // Of any kind, with three to nine links, some without a calibration.
  { first: 742_000, count: 40 },
];

/** Options of `csiflow train memory`. */
export interface TrainMemoryOptions {
  /** The model to extend with a memory: `general`, or a folder. */
  readonly model: string;
  readonly seed: number;
  readonly rooms?: number;
  readonly epochs?: number;
  /** Validations without improvement before training stops; 0: it runs to its last epoch. */
  readonly patience: number;
  /** Folder that caches simulated rooms. */
  readonly cache?: string;
  /** File with the training's state; an existing one is resumed. */
  readonly state?: string;
  readonly print: (line: string) => void;
}

export interface TrainedMemory {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly figures: readonly MemoryFigures[];
}

/**
 * Simulates rooms, trains the memory network behind a model's pose network, fits its error scale on rooms
 * excluded from training, and writes it beside the model.
 * @throws Error that names the problem with the model or the state
 */
export async function trainMemoryOf(options: TrainMemoryOptions): Promise<TrainedMemory> {
  const { model, seed, patience, cache, state, print } = options;
  const folder = resolve(modelFolder(model, process.cwd()));
  const backend = await loadTrainingBackend();
  print(`training on ${backend.name} (${backend.device}, ${backend.reason})`);
  const { weights: posing, manifest } = readModel(folder);
  if (manifest.site)
    throw new Error(
      `${folder} was trained for ${manifest.site.environment} alone, and rooms by chance would teach its memory nothing of it. Leave it without, or train the pose network for any room.`,
    );
  const network = new Network(weightTensors(posing));
  const behind = manifest.sha256;
  const rooms = { ...TRAINING, count: options.rooms ?? TRAINING.count };
  const settings = { ...MEMORY_SETTINGS, epochs: options.epochs ?? MEMORY_SETTINGS.epochs };
  const courses = simulateCourses(network, { ...rooms, cache, behind }, print);
  const { weights, watched, stopped, curve } = trainWatched(courses, settings, {
    ...{ seed, patience, print },
    watched: simulateCourses(network, { ...WATCHED, cache, behind }, print),
    state,
  });
  const training = {
    ...{
      seed,
      rooms: courses.length,
      first_seed: rooms.first,
      last_seed: rooms.first + courses.length - 1,
      ...settings,
    },
    seconds: COURSE_S,
    stopped: stopped ? stoppedText(patience) : 'at its last epoch',
    loss_in_other_rooms: rounded(watched),
    // Epochs, the mean loss of each, and the validation loss.
    loss: curve,
    with: `\`csiflow train memory\`, ${backend.name} ${backend.version} on ${backend.device}`,
  };
  return finish({ folder, network, behind, weights, training, cache, print });
}

type Curve = readonly (readonly [epoch: number, loss: number, watched: number])[];

/** Trains, reports progress, and saves the training's state. */
function trainWatched(
  courses: readonly Course[],
  settings: MemorySettings,
  options: Pick<MemoryTraining, 'seed' | 'patience' | 'watched'> &
    Pick<TrainMemoryOptions, 'print'> & { readonly state: string | undefined },
): TrainedWeights & { readonly curve: Curve } {
  const { seed, patience, state, print } = options;
  const curve: [number, number, number][] = [];
  const trained = trainMemory(courses, settings, {
    ...options,
    standing: standingOf(state, seed),
    progress: ({ epoch, loss, watched }, now) => {
      curve.push([epoch, rounded(loss), rounded(watched)]);
      print(
        `epoch ${epoch} of ${settings.epochs}, loss ${loss.toFixed(3)}, validation ${watched.toFixed(3)}`,
      );
      if (state !== undefined) replaceFile(state, serialize(now()));
    },
  });
  if (trained.stopped) print(`stopped: ${stoppedText(patience)}; using the best weights`);
  return { ...trained, curve };
}

const rounded = (loss: number): number => Math.round(1000 * loss) / 1000;

/** Evaluates trained weights on the tuning rooms, fits their scale, and writes them. */
function finish(trained: {
  readonly folder: string;
  readonly network: Network;
  /** SHA-256 of the pose network's weights. */
  readonly behind: string;
  readonly weights: Float32Array;
  readonly training: Readonly<Record<string, unknown>>;
  readonly cache?: string | undefined;
  readonly print: (line: string) => void;
}): TrainedMemory {
  const { folder, network, behind, weights, training, cache, print } = trained;
  const tuning = TUNING.map((rooms) => simulateCourses(network, { ...rooms, cache, behind }, print));
  const { figures, calibration } = judgeMemory(weights, tuning.flat());
  for (const line of figures) print(JSON.stringify(line));
  const manifest = writeMemory(folder, weights, { calibration, training });
  print(`wrote memory.bin in ${folder}`);
  return { folder, manifest, figures };
}

/** ⏎ @throws Error that names the file if it holds no training of a memory, or a different one */
function standingOf(file: string | undefined, seed: number): MemoryStanding | null {
  if (file === undefined || !existsSync(file)) return null;
  let standing: Partial<MemoryStanding> | null;
  try {
    standing = deserialize(readFileSync(file)) as Partial<MemoryStanding> | null;
  } catch (error) {
    throw new Error(`${file} is not a readable training state: remove it to start over.`, { cause: error });
  }
  if (standing?.adam?.parameters.length !== MEMORY_PARAMETERS || standing.epoch === undefined)
    throw new Error(`${file} is the training state of another network: remove it to start over.`);
  if (standing.seed !== seed)
    throw new Error(`${file} holds a training with seed ${standing.seed}: name it, or remove the file.`);
  return standing as MemoryStanding;
}
