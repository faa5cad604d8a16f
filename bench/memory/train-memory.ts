import { resolve } from 'node:path';
import { serialize } from 'node:v8';
import { MEMORY_PARAMETERS } from '../../operators/infer-pose/networks/memory-layers.js';
import { extendedModel, namedModel } from '../../operators/infer-pose/model/named-model.js';
import { Network, weightTensors } from '../../operators/infer-pose/networks/network.js';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import {
  readMemory,
  readModel,
  writeMemory,
  type Manifest,
} from '../../operators/infer-pose/model/weights.js';
import { stoppedText } from '../../operators/shared/early-stop.js';
import { replaceFile } from '../../pipeline/base/files.js';
import { InputError } from '../../pipeline/base/input-error.js';
import { readTrainingState } from '../shared/training-state.js';
import { CROWD_ODDS, withCrowdOdds } from './crowd-odds.js';
import type { Band } from './bands.js';
import { simulateCourses, type Course, type Rooms } from './courses.js';
import { inBand } from './receivers.js';
import { RoomProgress } from './room-progress.js';
import { judgeMemory, type MemoryFigures } from './judge-memory.js';
import {
  trainMemory,
  type MemorySettings,
  type MemoryStanding,
  type MemoryTraining,
  type TrainedWeights,
} from './training.js';
import { COURSE_S } from './what-happens.js';

/** Chosen on the tuning rooms. */
const MEMORY_SETTINGS: MemorySettings = {
  epochs: 40,
  batch: 12,
  reach: 66,
  rate: 0.002,
  decay: 0.01,
};

/** The same from trained weights: shorter, and slower. */
const CONTINUED_SETTINGS: MemorySettings = { ...MEMORY_SETTINGS, epochs: 6, rate: 0.0006 };

/** Training rooms. */
export const TRAINING: readonly Rooms[] = [
  { first: 530_000, count: 920 },
  { kind: 'pet', first: 570_000, count: 160 },
  { kind: 'curtain', first: 571_000, count: 60 },
  { kind: 'fan', first: 572_000, count: 20 },
  { kind: 'daily', first: 573_000, count: 120 },
  { kind: 'rest', first: 574_000, count: 100 },
  { kind: 'asleep', first: 575_000, count: 80 },
  { kind: 'walk', first: 576_000, count: 20 },
  { kind: 'many', first: 577_000, count: 30 },
  { kind: 'fallen', first: 578_000, count: 209 },
  { kind: 'keeper', first: 579_000, count: 60 },
  // Many sites have one link, and the figures of one are least like those of four.
  { links: 1, first: 580_000, count: 140 },
  { links: 2, first: 581_000, count: 100 },
  { links: 1, kind: 'leave', first: 582_000, count: 20 },
  { links: 1, kind: 'empty', first: 583_000, count: 30 },
  { links: 1, kind: 'pet', first: 584_000, count: 20 },
  { links: 1, kind: 'curtain', first: 585_000, count: 10 },
  { links: 2, kind: 'empty', first: 586_000, count: 10 },
  { links: 2, kind: 'pet', first: 587_000, count: 16 },
];
/** Validation rooms: used neither for training nor for evaluation. */
export const WATCHED: readonly Rooms[] = [
  { first: 745_000, count: 24 },
  { kind: 'pet', first: 745_100, count: 8 },
  { kind: 'fallen', first: 745_200, count: 8 },
  { links: 1, first: 745_300, count: 16 },
  { links: 2, first: 745_400, count: 8 },
];
/** Rooms of each kind for fitting scales and comparing trainings. */
export const TUNING: readonly Rooms[] = [
  ...(['walk', 'rest', 'many', 'daily'] as const).map((kind) => ({ kind, first: 740_000, count: 10 })),
  { kind: 'fallen', first: 749_500, count: 20 },
  // Any kind, with three to nine links, some without a calibration.
  { first: 742_000, count: 40 },
];

/** Options of `csiflow train memory`. */
export interface TrainMemoryOptions {
  /** The model to extend with a memory: `general`, or a folder. */
  readonly model: string;
  /** Folder of the extended model. Default: see {@link extendedModel}. */
  readonly out?: string;
  readonly seed: number;
  /** Where the rooms' receivers work. */
  readonly band: Band;
  /** Model whose memory training starts from: `general`, or a folder; missing: random weights. */
  readonly start?: string;
  /** Fewer or more rooms than usual, in the same proportions. */
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
 * excluded from training, and writes it with the model into `out`.
 * @throws InputError that names the problem with the model or the state
 */
export async function trainMemoryOf(options: TrainMemoryOptions): Promise<TrainedMemory> {
  const { model, seed, band, start, patience, cache, state, print } = options;
  const from = namedModel(model);
  const folder = resolve(options.out ?? extendedModel(model));
  print(`the extended model will be in ${folder}`);
  const backend = await loadTrainingBackend();
  print(`training on ${backend.name} (${backend.device}, ${backend.reason})`);
  const { weights: posing, manifest } = readModel(from);
  if (manifest.site)
    throw new InputError(
      `${from} was trained for ${manifest.site.environment} alone, and rooms by chance would teach its memory nothing of it. Leave it without, or train the pose network for any room.`,
    );
  const network = new Network(weightTensors(posing));
  const behind = manifest.sha256;
  const before = start === undefined ? null : memoryOf(start);
  const usual = before ? CONTINUED_SETTINGS : MEMORY_SETTINGS;
  const settings = { ...usual, epochs: options.epochs ?? usual.epochs };
  const rooms = inProportion(TRAINING, options.rooms);
  const progress = new RoomProgress([...rooms, ...WATCHED, ...TUNING], { cache, print });
  const simulate = (wanted: readonly Rooms[]) =>
    inBand(wanted, band).flatMap((some) => simulateCourses(network, some, { cache, behind, progress }));
  const courses = simulate(rooms);
  const { watched, stopped, curve, ...trained } = trainWatched(courses, settings, {
    ...{ seed, band, patience, print, state, start: before?.weights ?? null },
    watched: simulate(WATCHED),
  });
  const training = {
    ...{ seed, band },
    rooms: courses.length,
    kinds: rooms,
    ...settings,
    ...(before ? { before: before.training } : {}),
    seconds: COURSE_S,
    stopped: stopped ? stoppedText(patience) : 'at its last epoch',
    loss_in_other_rooms: rounded(watched),
    // Epochs, the mean loss of each, and the validation loss.
    loss: curve,
    with: `\`csiflow train memory\`, ${backend.name} ${backend.version} on ${backend.device}`,
  };
  const weights = withCrowdOdds(trained.weights, CROWD_ODDS);
  const { figures, calibration } = judgeMemory(weights, simulate(TUNING));
  for (const line of figures) print(JSON.stringify(line));
  const written = writeMemory(folder, weights, { calibration, crowdOdds: CROWD_ODDS, training }, from);
  print(`wrote ${folder}`);
  return { folder, manifest: written, figures };
}

/** Weights of a model's memory as they were trained, and how. @throws InputError that names the folder if it has none */
function memoryOf(model: string) {
  const folder = namedModel(model);
  const { manifest } = readModel(folder);
  const weights = readMemory(folder, manifest);
  if (!weights) throw new InputError(`${folder} has no memory to start from: leave out \`--start\`.`);
  const training = { model: `${manifest.name} ${manifest.version}`, ...manifest.memory!.training };
  return { weights: withCrowdOdds(weights, 1 / (manifest.memory!.crowdOdds ?? 1)), training };
}

/** About this many rooms in all, at least one of each kind. */
function inProportion(rooms: readonly Rooms[], wanted: number | undefined): readonly Rooms[] {
  const usual = rooms.reduce((sum, { count }) => sum + count, 0);
  const share = (wanted ?? usual) / usual;
  return rooms.map((some) => ({ ...some, count: Math.max(1, Math.round(some.count * share)) }));
}

type Curve = readonly (readonly [epoch: number, loss: number, watched: number])[];

/** Trains, reports progress, and saves the training's state. */
function trainWatched(
  courses: readonly Course[],
  settings: MemorySettings,
  options: Pick<MemoryTraining, 'seed' | 'patience' | 'watched' | 'start'> &
    Pick<TrainMemoryOptions, 'print' | 'band'> & { readonly state: string | undefined },
): TrainedWeights & { readonly curve: Curve } {
  const { seed, band, patience, state, print } = options;
  const curve: [number, number, number][] = [];
  const trained = trainMemory(courses, settings, {
    ...options,
    standing: standingOf(state, seed, band),
    progress: ({ epoch, loss, watched }, now) => {
      curve.push([epoch, rounded(loss), rounded(watched)]);
      print(
        `epoch ${epoch} of ${settings.epochs}, loss ${loss.toFixed(3)}, validation ${watched.toFixed(3)}`,
      );
      if (state !== undefined) replaceFile(state, serialize({ ...now(), band }));
    },
  });
  if (trained.stopped) print(`stopped: ${stoppedText(patience)}; using the best weights`);
  return { ...trained, curve };
}

const rounded = (loss: number): number => Math.round(1000 * loss) / 1000;

/** @throws InputError that names the file if it holds no training of a memory, or a different one */
function standingOf(file: string | undefined, seed: number, band: Band): MemoryStanding | null {
  const standing = readTrainingState<MemoryStanding & { readonly band: Band }>(file);
  if (file === undefined || standing === null) return null;
  if (standing.adam?.parameters.length !== MEMORY_PARAMETERS || standing.epoch === undefined)
    throw new InputError(`${file} is the training state of another network: remove it to start over.`);
  if (standing.seed !== seed)
    throw new InputError(`${file} holds a training with seed ${standing.seed}: name it, or remove the file.`);
  // States from before there was a choice are of 2.4 GHz.
  const { band: before = '2.4-ghz' } = standing;
  if (before !== band)
    throw new InputError(
      `${file} holds a training in rooms at ${before}: use \`--band ${before}\`, or remove the file.`,
    );
  return standing as MemoryStanding;
}
