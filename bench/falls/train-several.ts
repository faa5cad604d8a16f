import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import { LAGS_MS } from '../../operators/detect-falls/impacts/changes.js';
import { logitOf, PARAMETERS, type Scale } from '../../operators/detect-falls/networks/impact-net.js';
import { stoppedText } from '../../operators/shared/early-stop.js';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import {
  parametersOf,
  SEVERAL_WEIGHTS_FILE,
  SLOW_WEIGHTS_FILE,
  type SeveralWeights,
} from '../../operators/detect-falls/networks/weights.js';
import { writeWeights, type Written } from '../../operators/detect-falls/training/write-weights.js';
import { replaceFile } from '../../pipeline/base/files.js';
import { InputError, orInputError } from '../../pipeline/base/input-error.js';
import { outputFile } from '../../pipeline/base/paths.js';
import { loadMotion } from '../../pipeline/sources/simulator/recorded/library.js';
import { operatingPoints, thresholdAt, type Operating } from './operating-points.js';
import { inputsOf, scaleOf } from './impact-batches.js';
import { writeSeveralReport, type Epoch } from './several-report.js';
import { readTrainingState } from '../shared/training-state.js';
import { trainImpacts, type ImpactSettings, type ImpactStanding } from './impact-training.js';
import { simulateRooms, type Plan, type SimulatedImpact, type SimulatedRoom } from './scenes.js';
import { originOf, startIn } from './several-origin.js';
import { severalRooms } from './several-rooms.js';

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
 * What differs from {@link SEVERAL_SETTINGS} if weights are trained further. `kept`: share of the first weights
 * in the result. Trained weights forget a part of what the first ones knew, and the mean of both forgets less
 * (Wortsman and others, Robust fine-tuning of zero-shot models, 2022).
 */
export const FURTHER_SETTINGS = { epochs: 12, rate: 0.001, kept: 0.2 };

/**
 * The threshold is set for this many false alarms per hour of simulated daily life, in rooms excluded from
 * training.
 */
const FALSE_AN_HOUR = 1;

/** In tuning rooms, these networks find more with 20 frames a second, and the others with 25. */
const SLOW_BELOW_HZ = 23;

/** How to train the networks for several links. */
interface Options {
  readonly out?: string;
  /** Folder for simulated rooms; those in it are not simulated again. */
  readonly cache?: string;
  /** Folder of recorded motion, for which rooms are added where people play it. */
  readonly motion?: string;
  /**
   * Files of weights to train further, in rooms of other seeds: training begins with their mean, and keeps a
   * share of the first. Random weights by default.
   */
  readonly start?: readonly string[];
  /** File with the training's state, saved after each epoch; an existing one is resumed. */
  readonly state?: string;
  /** File for a report with the course of the losses. */
  readonly report?: string;
  /** For rooms whose links have few frames a second: below {@link SLOW_BELOW_HZ}. */
  readonly slow?: boolean;
  readonly seed: number;
  /** Validations without improvement before a net's training stops; 0: it runs to its last epoch. */
  readonly patience: number;
  readonly print: (line: string) => void;
}

/** A training between two epochs. */
export interface SeveralStanding {
  readonly seed: number;
  /** Digest of the examples and the first weights, to recognise another training: {@link digestOf}. */
  readonly digest: string;
  /** Finished nets. */
  readonly nets: readonly Float32Array[];
  /** The next net; null: not begun. */
  readonly net: ImpactStanding | null;
  /** Missing in states of earlier versions. */
  readonly curve?: readonly Epoch[];
}

/**
 * Simulates rooms and trains the networks for several links.
 * @throws InputError that names the problem with the state, the motion or the weights
 */
export async function trainSeveral({
  slow = false,
  out = outputFile(slow ? SLOW_WEIGHTS_FILE : SEVERAL_WEIGHTS_FILE),
  cache,
  start = [],
  motion,
  report,
  ...training
}: Options): Promise<
  SeveralWeights & Written & { readonly points: readonly Operating[]; readonly curve: readonly Epoch[] }
> {
  const { print } = training;
  const firsts = start.map((file) => startIn(file, slow));
  const [first] = firsts;
  const library = motion === undefined ? undefined : orInputError(() => loadMotion(motion, 'training'));
  const backend = await loadTrainingBackend();
  print(`training on ${backend.name} (${backend.device}, ${backend.reason})`);
  const rooms = severalRooms({ further: first !== undefined, recorded: library !== undefined, slow });
  const examplesIn = (plans: readonly Plan[]) =>
    simulateRooms(plans, { cache, library, print }).flatMap(({ examples }) => examples);
  const examples = examplesIn(rooms.training);
  const amount = amountOf(examples);
  print(amount);
  const scale = first ?? scaleOf(examples);
  const settings = { ...SEVERAL_SETTINGS, ...(first && { ...FURTHER_SETTINGS, nets: first.nets.length }) };
  const watched = examplesIn(rooms.watched);
  const starts = firsts.length === 0 ? null : meanOf(firsts.map((one) => parametersOf(one)));
  const { trained, curve } = trainNets({ ...training, examples, watched, scale, settings, starts });
  const { kept } = FURTHER_SETTINGS;
  const nets = first ? meanOf([trained, parametersOf(first)], [1 - kept, kept]) : trained;
  const points = pointsOf(nets, scale, simulateRooms(rooms.tuning, { cache, print }), print);
  const encoded = nets.map((net) =>
    Buffer.from(net.buffer, net.byteOffset, net.byteLength).toString('base64'),
  );
  const written = writeWeights<SeveralWeights>(out, {
    name: slow ? 'falls-several-slow' : 'falls-several',
    // Shipped weights have a number instead: the warnings belong to one version.
    version: createHash('sha256').update(encoded.join()).digest('hex').slice(0, 12),
    lagsMs: LAGS_MS,
    ...(slow && { belowHz: SLOW_BELOW_HZ }),
    ...originOf(firsts.at(-1), amount, { slow, motion: library !== undefined }),
    settings: { ...settings, seed: training.seed, patience: training.patience },
    threshold: Number(thresholdAt(points, FALSE_AN_HOUR).toPrecision(4)),
    mean: scale.mean,
    deviation: scale.deviation,
    nets: encoded,
  });
  print(`wrote ${out}, sha256 ${written.sha256}`);
  if (report !== undefined) {
    writeSeveralReport(report, { ...written, curve, points });
    print(`wrote ${report}`);
  }
  return { ...written, points, curve };
}

/** The mean of networks, weight by weight. @param shares of each; equal ones by default */
export function meanOf(
  networks: readonly (readonly Float32Array[])[],
  shares: readonly number[] = networks.map(() => 1 / networks.length),
): readonly Float32Array[] {
  return networks[0]!.map((net, number) =>
    net.map((_, i) => networks.reduce((sum, nets, which) => sum + shares[which]! * nets[number]![i]!, 0)),
  );
}

function amountOf(examples: readonly SimulatedImpact[]): string {
  const falls = examples.filter(({ fall }) => fall >= 0).length;
  return `${falls} ends of falls, ${examples.length - falls} other ends of motion`;
}

function pointsOf(
  nets: readonly Float32Array[],
  scale: Scale,
  rooms: readonly SimulatedRoom[],
  print: (line: string) => void,
): readonly Operating[] {
  const score = (impact: SimulatedImpact) => {
    const inputs = inputsOf(impact, scale);
    return nets.reduce((sum, net) => sum + logitOf(net, inputs), 0) / nets.length;
  };
  const points = operatingPoints(rooms, score, [5, 2, FALSE_AN_HOUR, 0.4, 0.2, 0.1]);
  for (const { threshold, found, falls, falseAnHour } of points)
    print(
      `from ${threshold.toFixed(2)}: ${found} of ${falls} falls, ${falseAnHour.toFixed(2)} false alarms per hour`,
    );
  return points;
}

interface NetTraining {
  readonly examples: readonly SimulatedImpact[];
  readonly watched: readonly SimulatedImpact[];
  readonly scale: Scale;
  readonly settings: typeof SEVERAL_SETTINGS;
  /** Weights to train further; null: random ones. */
  readonly starts: readonly Float32Array[] | null;
  readonly seed: number;
  readonly patience: number;
  readonly print: (line: string) => void;
  readonly state?: string;
}

/** Trains the nets one after another, from where an interrupted training was. */
function trainNets(training: NetTraining): {
  readonly trained: readonly Float32Array[];
  readonly curve: readonly Epoch[];
} {
  const { examples, starts, settings, state, seed, print } = training;
  // Gigabytes to hash, so only where there is a state.
  const digest = state === undefined ? '' : digestOf(examples, starts);
  const standing = standingOf(state, seed, digest);
  const nets = [...(standing?.nets ?? [])];
  const curve = [...(standing?.curve ?? [])];
  if (standing)
    print(`resumed: ${nets.length} nets and ${standing.net?.epoch ?? 0} epochs of the next are done`);
  for (let net = standing?.net ?? null; nets.length < settings.nets; net = null) {
    const save = (now: ImpactStanding | null) => {
      const saved: SeveralStanding = { seed, digest, nets, net: now, curve };
      if (state !== undefined) replaceFile(state, serialize(saved));
    };
    nets.push(trainNet(nets.length, training, net, curve, save));
    save(null);
  }
  return { trained: nets, curve };
}

/** Differs if a training has other examples or begins with other weights. */
export function digestOf(
  examples: readonly SimulatedImpact[],
  starts: readonly Float32Array[] | null,
): string {
  const hash = createHash('sha256');
  for (const { time, fall, sequences } of examples) {
    hash.update(`${time} ${fall};`);
    for (const sequence of sequences) hash.update(sequence);
  }
  for (const start of starts ?? []) hash.update(start);
  return hash.digest('hex');
}

/** Trains net number `net`, from 0, and adds its epochs to `curve`. */
function trainNet(
  net: number,
  { examples, watched, scale, settings, starts, seed, patience, print }: NetTraining,
  standing: ImpactStanding | null,
  curve: Epoch[],
  save: (now: ImpactStanding) => void,
): Float32Array {
  const { nets, epochs } = settings;
  const trained = trainImpacts(examples, scale, settings, 1000 * seed + net, {
    ...{ impacts: watched, patience, standing, save, start: starts?.[net] },
    progress: (epoch, loss, elsewhere) => {
      curve.push({ net: net + 1, epoch, loss, validation: elsewhere });
      print(
        `net ${net + 1} of ${nets}: epoch ${epoch} of ${epochs}, loss ${loss.toFixed(4)}, validation ${elsewhere.toFixed(4)}`,
      );
    },
  });
  if (trained.stopped) print(`stopped: ${stoppedText(patience)}; using the best weights`);
  return trained.net;
}

/** @throws InputError that names the file if it holds no training of these nets, or a different one */
export function standingOf(file: string | undefined, seed: number, digest: string): SeveralStanding | null {
  const standing = readTrainingState<SeveralStanding>(file);
  if (file === undefined || standing === null) return null;
  const parameters = standing.net ? [standing.net.adam.parameters] : [];
  if (!standing.nets || [...standing.nets, ...parameters].some(({ length }) => length !== PARAMETERS))
    throw new InputError(`${file} is the training state of another network: remove it to start over.`);
  if (standing.seed !== seed)
    throw new InputError(`${file} holds a training with seed ${standing.seed}: name it, or remove the file.`);
  if (standing.digest !== digest)
    throw new InputError(
      `${file} holds a training in other rooms or of other first weights: name their --cache, --motion, --slow and --start, or remove the file to start over.`,
    );
  return standing as SeveralStanding;
}
