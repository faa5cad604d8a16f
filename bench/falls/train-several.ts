import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { serialize } from 'node:v8';
import { LAGS_MS } from '../../operators/detect-falls/impacts/changes.js';
import { logitOf, PARAMETERS, type Scale } from '../../operators/detect-falls/networks/impact-net.js';
import { stoppedText } from '../../operators/shared/early-stop.js';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import { SEVERAL_WEIGHTS_FILE, type SeveralWeights } from '../../operators/detect-falls/networks/weights.js';
import { replaceFile } from '../../pipeline/base/files.js';
import { InputError } from '../../pipeline/base/input-error.js';
import { outputFile } from '../../pipeline/base/paths.js';
import { inputsOf, scaleOf } from './impact-batches.js';
import { readTrainingState } from '../shared/training-state.js';
import { trainImpacts, type ImpactSettings, type ImpactStanding } from './impact-training.js';
import { simulateRooms, type Plan, type SimulatedImpact, type SimulatedRoom } from './scenes.js';

/** Settings of the networks for several links; chosen on rooms excluded from training (seeds from 700,000). */
export const SEVERAL_SETTINGS: ImpactSettings & { readonly nets: number } = {
  nets: 2,
  epochs: 59,
  batch: 256,
  rate: 0.0025,
  weightDecay: 0.02,
  noise: 0.1,
  floorNoise: 0.1,
  shift: 3,
  dropout: 0.5,
  hiddenDropout: 0.2,
};

/**
 * The threshold is set for this many false alarms per hour of simulated daily life, in rooms excluded from
 * training.
 */
const FALSE_AN_HOUR = 1;

const plans = (kind: Plan['kind'], first: number, count: number): Plan[] =>
  Array.from({ length: count }, (_, index) => ({ kind, seed: first + index }));

/** Training rooms. */
const TRAINING = [
  ...plans('falls', 600_000, 90),
  ...plans('hard', 610_000, 135),
  ...plans('dense', 620_000, 90),
  ...plans('life', 630_000, 45),
];
/** Validation rooms: used neither for training nor for evaluation. */
const WATCHED = [...plans('hard', 730_000, 12), ...plans('dense', 731_000, 8)];
/** Rooms for setting the threshold. */
const TUNING = [
  ...plans('falls', 720_000, 32),
  ...plans('life4', 721_000, 20),
  ...plans('falls', 722_000, 24),
  ...plans('life4', 723_000, 40),
];

/** An operating point in rooms excluded from training. */
export interface Operating {
  readonly threshold: number;
  readonly found: number;
  readonly falls: number;
  readonly falseAnHour: number;
  readonly hours: number;
}

/** A training between two epochs. */
export interface SeveralStanding {
  readonly seed: number;
  /** Examples of the training, to recognise another one. */
  readonly examples: number;
  /** Finished nets. */
  readonly nets: readonly Float32Array[];
  /** The next net; null: not begun. */
  readonly net: ImpactStanding | null;
}

/**
 * Simulates rooms and trains the networks for several links; rooms in `cache` are not simulated again.
 * @throws InputError that names the problem with the state
 */
export async function trainSeveral(options: {
  readonly out?: string;
  readonly cache?: string;
  /** File with the training's state, saved after each epoch; an existing one is resumed. */
  readonly state?: string;
  readonly seed: number;
  /** Validations without improvement before a net's training stops; 0: it runs to its last epoch. */
  readonly patience: number;
  readonly print: (line: string) => void;
}): Promise<
  SeveralWeights & {
    readonly file: string;
    readonly sha256: string;
    readonly points: readonly Operating[];
  }
> {
  const { out = outputFile(SEVERAL_WEIGHTS_FILE), cache, state, seed, patience, print } = options;
  const backend = await loadTrainingBackend();
  print(`training on ${backend.name} (${backend.device}, ${backend.reason})`);
  const examples = simulateRooms(TRAINING, cache, print).flatMap(({ examples: own }) => own);
  const falls = examples.filter(({ fall }) => fall >= 0).length;
  print(`${falls} ends of falls and ${examples.length - falls} other ends of motion`);
  const scale = scaleOf(examples);
  const watched = simulateRooms(WATCHED, cache, print).flatMap(({ examples: own }) => own);
  const nets = trainNets({ examples, watched, scale, seed, patience, print, state });
  const tuning = scored(simulateRooms(TUNING, cache, print), (impact) => {
    const inputs = inputsOf(impact, scale);
    return nets.reduce((sum, net) => sum + logitOf(net, inputs), 0) / nets.length;
  });
  const points = [5, 2, FALSE_AN_HOUR, 0.4, 0.2, 0.1].map((rate) => operatingAt(tuning, rate));
  for (const { threshold, found, falls: all, falseAnHour } of points)
    print(
      `from ${threshold.toFixed(2)}: ${found} of ${all} falls, ${falseAnHour.toFixed(2)} false alarms per hour`,
    );
  const weights: SeveralWeights = {
    name: 'falls-several',
    version: '4',
    lagsMs: LAGS_MS,
    trainedOn: `csiflow's simulator (${falls} ends of falls, ${examples.length - falls} other ends of motion, 2 to 6 links)`,
    trainedWith: 'csiflow train falls --several',
    settings: { ...SEVERAL_SETTINGS, seed, patience },
    threshold: Number(points[2]!.threshold.toPrecision(4)),
    ...scale,
    nets: nets.map((net) => Buffer.from(net.buffer, net.byteOffset, net.byteLength).toString('base64')),
  };
  mkdirSync(dirname(out), { recursive: true });
  const text = `${JSON.stringify(weights)}\n`;
  replaceFile(out, text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  print(`wrote ${out}, sha256 ${sha256}`);
  return { ...weights, file: out, sha256, points };
}

interface NetTraining {
  readonly examples: readonly SimulatedImpact[];
  readonly watched: readonly SimulatedImpact[];
  readonly scale: Scale;
  readonly seed: number;
  readonly patience: number;
  readonly print: (line: string) => void;
  readonly state: string | undefined;
}

/** Trains the nets one after another, from where an interrupted training was. */
function trainNets(training: NetTraining): readonly Float32Array[] {
  const { examples, state, seed, print } = training;
  const standing = standingOf(state, seed, examples.length);
  const nets = [...(standing?.nets ?? [])];
  if (standing)
    print(`resumed: ${nets.length} nets and ${standing.net?.epoch ?? 0} epochs of the next are done`);
  for (let net = standing?.net ?? null; nets.length < SEVERAL_SETTINGS.nets; net = null) {
    const save = (now: ImpactStanding | null) => {
      const saved: SeveralStanding = { seed, examples: examples.length, nets, net: now };
      if (state !== undefined) replaceFile(state, serialize(saved));
    };
    nets.push(trainNet(nets.length, training, net, save));
    save(null);
  }
  return nets;
}

/** Trains net number `net`, from 0. */
function trainNet(
  net: number,
  { examples, watched, scale, seed, patience, print }: NetTraining,
  standing: ImpactStanding | null,
  save: (now: ImpactStanding) => void,
): Float32Array {
  const { nets, epochs } = SEVERAL_SETTINGS;
  const trained = trainImpacts(examples, scale, SEVERAL_SETTINGS, 1000 * seed + net, {
    ...{ impacts: watched, patience, standing, save },
    progress: (epoch, loss, elsewhere) => {
      print(
        `net ${net + 1} of ${nets}: epoch ${epoch} of ${epochs}, loss ${loss.toFixed(4)}, validation ${elsewhere.toFixed(4)}`,
      );
    },
  });
  if (trained.stopped) print(`stopped: ${stoppedText(patience)}; using the best weights`);
  return trained.net;
}

/** @throws InputError that names the file if it holds no training of these nets, or a different one */
export function standingOf(file: string | undefined, seed: number, examples: number): SeveralStanding | null {
  const standing = readTrainingState<SeveralStanding>(file);
  if (file === undefined || standing === null) return null;
  const parameters = standing.net ? [standing.net.adam.parameters] : [];
  if (!standing.nets || [...standing.nets, ...parameters].some(({ length }) => length !== PARAMETERS))
    throw new InputError(`${file} is the training state of another network: remove it to start over.`);
  if (standing.seed !== seed)
    throw new InputError(`${file} holds a training with seed ${standing.seed}: name it, or remove the file.`);
  if (standing.examples !== examples)
    throw new InputError(
      `${file} holds a training on ${standing.examples} examples, not ${examples}: remove it to start over.`,
    );
  return standing as SeveralStanding;
}

interface ScoredRoom {
  readonly room: SimulatedRoom;
  readonly scores: readonly { readonly impact: SimulatedImpact; readonly score: number }[];
}

const scored = (
  rooms: readonly SimulatedRoom[],
  score: (impact: SimulatedImpact) => number,
): readonly ScoredRoom[] =>
  rooms.map((room) => ({
    room,
    scores: room.examples.map((impact) => ({ impact, score: score(impact) })),
  }));

/**
 * The threshold at which daily life, with and without falls, has `rate` false alarms per hour, and the falls
 * it detects.
 */
function operatingAt(rooms: readonly ScoredRoom[], rate: number): Operating {
  const hours = rooms.reduce((sum, { room }) => sum + room.seconds, 0) / 3600;
  const others = rooms
    .flatMap(({ scores }) => scores.filter(({ impact }) => impact.fall < 0 && !impact.unclear))
    .map(({ score }) => score)
    .sort((a, b) => b - a);
  const allowed = Math.floor(rate * hours);
  const threshold = others[allowed] ?? -Infinity;
  const found = rooms.map(
    ({ scores }) =>
      new Set(
        scores
          .filter(({ impact, score }) => impact.fall >= 0 && score > threshold)
          .map(({ impact }) => impact.fall),
      ).size,
  );
  return {
    threshold,
    hours,
    falseAnHour: allowed / hours,
    found: found.reduce((a, b) => a + b, 0),
    falls: rooms.reduce((sum, { room }) => sum + room.falls.length, 0),
  };
}
