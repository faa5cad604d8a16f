import type { Environment } from '../../../pipeline/model/index.js';
import { trainingBatch, type Augmentation } from './batches.js';
import { uniform, type Plan } from './generate.js';
import { initialWeights } from './initial.js';
import { Adam, learningRate } from './optimizer.js';
import { ChunkSource, SamplePool } from './pool.js';
import { lossAndGradient } from './step.js';

/** How a network is trained. Bound by windows it is repeatable; bound by minutes it hangs on the machine. */
export interface TrainingOptions {
  readonly seed: number;
  /** This place instead of any room. */
  readonly environment: Environment | null;
  /** Windows to be seen, or minutes to be spent. */
  readonly until: { readonly windows: number } | { readonly minutes: number };
  /** Threads that simulate while this one trains. */
  readonly threads: number;
  /** Weights to start from; null: random ones. */
  readonly start: Float32Array | null;
  readonly peakRate: number;
}

export interface Progress {
  readonly step: number;
  readonly windows: number;
  readonly rooms: number;
  readonly minutes: number;
  readonly share: number;
  /** Mean since the last report. */
  readonly loss: number;
}

export interface Trained {
  readonly weights: Float32Array;
  readonly progress: Progress;
}

const BATCH = 128;
/** How often each simulated window is seen on average before the next one is asked for, each time turned and mirrored anew. */
const PASSES = 8;
/** Chunks of 384 windows that are kept: 2 GB with six links. */
const CAPACITY = 150;
/** Chunks that are there before the first step. */
const FIRST = 6;
const REPORT_STEPS = 200;

/**
 * The plan of the training data: four seconds from each room, three windows from each.
 * @param seed of training runs; held-out rooms use seeds that no training run may have
 */
export const trainingPlan = (seed: number, environment: Environment | null): Plan => ({
  seed,
  environment,
  links: 6,
  sequences: 128,
  seconds: 4,
  windows: 3,
  empty: 0.1,
  falls: 0.03,
});

/** Trains on fresh rooms until the bound is reached. `report` is told now and then how far it is. */
export async function trainNetwork(
  options: TrainingOptions,
  report: (progress: Progress) => void,
): Promise<Trained> {
  const plan = trainingPlan(options.seed, options.environment);
  const source = new ChunkSource(plan, options.threads);
  try {
    const pool = new SamplePool(CAPACITY);
    for (let i = 0; i < FIRST; i++) pool.add(await source.next());
    const random = uniform(options.seed, -2);
    const adam = new Adam(options.start?.slice() ?? initialWeights(random, pool.first));
    const began = performance.now();
    const stepsPerChunk = Math.round((pool.first.count * PASSES) / BATCH);
    let chunks = FIRST;
    let sum = 0;
    for (let step = 0; ; step++) {
      if (step > 0 && step % stepsPerChunk === 0) {
        pool.add(await source.next());
        chunks++;
      }
      const minutes = (performance.now() - began) / 60_000;
      const windows = step * BATCH;
      const share =
        'windows' in options.until ? windows / options.until.windows : minutes / options.until.minutes;
      const progress: Progress = {
        ...{ step, windows, minutes, share },
        rooms: chunks * plan.sequences,
        loss: sum / (step % REPORT_STEPS || REPORT_STEPS),
      };
      if (share >= 1) return { weights: adam.average, progress };
      if (step > 0 && step % REPORT_STEPS === 0) {
        report(progress);
        sum = 0;
      }
      const batch = trainingBatch(
        pool.draw(BATCH, random),
        augmentation(pool.first.links, plan, random),
        random,
      );
      const { loss, gradient } = lossAndGradient(adam.parameters, batch);
      sum += loss;
      adam.step(gradient, learningRate(options.peakRate, step, share));
    }
  } finally {
    await source.close();
  }
}

/** How often a batch of random rooms holds 1, 2, ... 6 links: four is what most sites have. */
const LINK_SHARES = [0.03, 0.12, 0.2, 0.35, 0.1, 0.2];

function augmentation(total: number, plan: Plan, random: () => number): Augmentation {
  const shared = { uncalibrated: 0.25, turned: true };
  if (plan.environment) {
    // A known place has all its links most of the time, and sometimes loses one or two.
    const lost = random() < 0.7 ? 0 : 1 + Math.floor(2 * random());
    return { ...shared, links: Math.max(1, total - lost) };
  }
  let rest = random() * LINK_SHARES.reduce((sum, share) => sum + share, 0);
  const index = LINK_SHARES.findIndex((share) => (rest -= share) < 0);
  return { ...shared, links: Math.min(total, index + 1) };
}
