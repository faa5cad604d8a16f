import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { LAGS_MS } from '../../operators/detect-falls/changes.js';
import { logitOf, type Scale } from '../../operators/detect-falls/impact-net.js';
import { stoppedText } from '../../operators/shared/early-stop.js';
import { seeded } from '../../pipeline/base/random.js';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import { SEVERAL_WEIGHTS_FILE, type SeveralWeights } from '../../operators/detect-falls/weights.js';
import { replaceFile } from '../../pipeline/base/files.js';
import { outputFile } from '../../pipeline/base/paths.js';
import { inputsOf, scaleOf } from './impact-batches.js';
import { trainImpacts, type ImpactSettings } from './impact-training.js';
import { simulateRooms, type Plan, type SimulatedImpact, type SimulatedRoom } from './scenes.js';

/** Of the networks for several links; chosen on rooms excluded from training (seeds from 700,000). */
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
export const FALSE_AN_HOUR = 1;

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

/** Simulates rooms and trains the networks for several links; rooms in `cache` are not simulated again. */
export async function trainSeveral(options: {
  readonly out?: string;
  readonly cache?: string;
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
  const { out = outputFile(SEVERAL_WEIGHTS_FILE), cache, seed, patience, print } = options;
  const backend = await loadTrainingBackend();
  print(`training on ${backend.name} (${backend.device}, ${backend.reason})`);
  const examples = simulateRooms(TRAINING, cache, print).flatMap(({ examples: own }) => own);
  const falls = examples.filter(({ fall }) => fall >= 0).length;
  print(`${falls} ends of falls and ${examples.length - falls} other ends of motion`);
  const scale = scaleOf(examples);
  const watched = simulateRooms(WATCHED, cache, print).flatMap(({ examples: own }) => own);
  const trained = Array.from({ length: SEVERAL_SETTINGS.nets }, (_, net) =>
    trainNet(net, { examples, watched, scale, seed, patience, print }),
  );
  const nets = trained.map(({ net }) => net);
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
}

/** Trains net number `net`, from 0. */
function trainNet(net: number, { examples, watched, scale, seed, patience, print }: NetTraining) {
  const { nets, epochs } = SEVERAL_SETTINGS;
  const trained = trainImpacts(examples, scale, SEVERAL_SETTINGS, seeded(1000 * seed + net), {
    ...{ impacts: watched, patience },
    progress: (epoch, loss, elsewhere) => {
      print(
        `net ${net + 1} of ${nets}: epoch ${epoch} of ${epochs}, loss ${loss.toFixed(4)}, validation ${elsewhere.toFixed(4)}`,
      );
    },
  });
  if (trained.stopped) print(`stopped: ${stoppedText(patience)}; using the best weights`);
  return trained;
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
