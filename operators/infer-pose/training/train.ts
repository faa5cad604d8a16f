import type { Environment } from '../../../pipeline/model/index.js';
import { trainingBatch, type Augmentation } from './batches.js';
import { EarlyStop, type EarlyStopState } from '../../shared/early-stop.js';
import { WATCHED_SEED, watchedLoss } from './early-stop.js';
import { drawn, uniform, type Plan } from './generate.js';
import { initialWeights } from './initial.js';
import { Adam, learningRate, type AdamState } from './optimizer.js';
import { ChunkSource, SamplePool } from './pool.js';
import type { Samples } from './samples.js';
import { lossAndGradient } from './step.js';

/** How to train a network. A limit in windows is repeatable; a limit in minutes depends on the machine. */
export interface TrainingOptions {
  readonly seed: number;
  /** This room instead of any. */
  readonly environment: Environment | null;
  /** Limit in windows or minutes. */
  readonly until: { readonly windows: number } | { readonly minutes: number };
  /** Threads that simulate during the training. */
  readonly threads: number;
  /** Weights to start from; null: random ones. */
  readonly start: Float32Array | null;
  readonly peakRate: number;
  /** Validations without improvement before the training stops; 0: it runs to its limit. */
  readonly patience: number;
  /** A training to resume; null: starts a new one. */
  readonly resume: Standing | null;
}

/** State of a training, for `resume`. */
export interface Standing {
  readonly adam: AdamState;
  readonly windows: number;
  readonly minutes: number;
  readonly chunks: number;
  /** Missing in states of earlier versions. */
  readonly watched?: EarlyStopState;
}

export interface Progress {
  readonly step: number;
  readonly windows: number;
  readonly rooms: number;
  readonly minutes: number;
  readonly share: number;
  /** Mean since the last report; NaN before the first step. */
  readonly loss: number;
  /** The last validation loss; NaN before the first. */
  readonly watched: number;
}

export interface Trained {
  /** Weights at the best validation. */
  readonly weights: Float32Array;
  readonly progress: Progress;
  /** Loss at the best validation. */
  readonly watched: number;
  /** Whether validation stopped improving before the limit was reached. */
  readonly stopped: boolean;
}

const BATCH = 128;
/**
 * How often each simulated window is used on average before the next one is requested, each time rotated and
 * mirrored differently.
 */
const PASSES = 8;
/** Stored chunks of 384 windows: 2 GB with six links. */
const CAPACITY = 150;
/** Chunks that must exist before the first step. */
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
  sequences: 96,
  seconds: 5,
  windows: 4,
  people: [0.14, 0.48, 0.2, 0.12, 0.06],
  falls: 0.03,
  conditions: 'wide',
});

/** What a training tells while it runs. */
export interface TrainingWatch {
  /** Regularly, with a validation; may save the state. */
  readonly report: (progress: Progress, standing: () => Standing) => void;
  /** The rooms that are ready before the first step, which takes minutes. */
  readonly simulated?: (rooms: number, of: number) => void;
  /** Once `signal` has been aborted before the first step: the number of rooms that were simulated for nothing. */
  readonly lost?: (rooms: number) => void;
  /** Before each step. */
  readonly stepped?: (progress: Omit<Progress, 'watched'>) => void;
  /** Once `signal` has been aborted, before the training ends with its reason. */
  readonly interrupted?: (standing: Standing) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Trains on fresh rooms until the limit is reached or validation stops improving.
 * @throws the reason of `watch.signal` once it is aborted
 */
export async function trainNetwork(options: TrainingOptions, watch: TrainingWatch): Promise<Trained> {
  const { report, simulated, lost, stepped, interrupted, signal } = watch;
  const { resume, start } = options;
  const plan = trainingPlan(options.seed, options.environment);
  const lossOf = watchedLoss([await watchedRooms(options)]);
  const early = new EarlyStop(lossOf, options.patience, resume?.watched ?? null);
  // A training that does not improve the weights it starts from ends with them.
  if (start && !resume) early.look(start);
  const source = new ChunkSource(plan, options.threads, resume?.chunks ?? 0);
  try {
    const pool = new SamplePool(CAPACITY);
    for (let i = 1; i <= FIRST; i++) {
      pool.add(await unlessAborted(source.next(), signal, () => lost?.((i - 1) * plan.sequences)));
      simulated?.(i * plan.sequences, FIRST * plan.sequences);
    }
    // Drawn again after a resumption: the order of windows differs from that of an uninterrupted training.
    const random = uniform(options.seed, -2 - (resume?.chunks ?? 0));
    const adam = resume
      ? Adam.restore(resume.adam)
      : new Adam(start?.slice() ?? initialWeights(random, pool.first));
    const stepsPerChunk = Math.round((pool.first.count * PASSES) / BATCH);
    const course = new Course(options, (resume?.chunks ?? 0) + FIRST, plan.sequences);
    for (; ; course.step++) {
      if (course.step > course.first && course.step % stepsPerChunk === 0) {
        pool.add(await source.next());
        course.chunks++;
      }
      const now = course.now();
      const standing = () => ({ ...course.standing(now), adam: adam.snapshot(), watched: early.state });
      stepped?.(now);
      await signalsHandled();
      if (signal?.aborted) {
        interrupted?.(standing());
        signal.throwIfAborted();
      }
      const ended = now.share >= 1;
      const due = course.step > course.first && course.step % REPORT_STEPS === 0;
      if (ended || due) {
        const { loss, stop } = early.look(adam.average);
        const progress = { ...now, watched: loss };
        if (due || ended) report(progress, standing);
        if (ended || stop)
          return { weights: early.best, watched: early.state.loss, progress, stopped: !ended };
        course.reported();
      }
      const batch = trainingBatch(
        pool.draw(BATCH, random),
        augmentation(pool.first.links, plan, random),
        random,
      );
      const { loss, gradient } = lossAndGradient(adam.parameters, batch);
      course.add(loss);
      adam.step(gradient, learningRate(options.peakRate, course.step, now.share));
    }
  } finally {
    await source.close();
  }
}

/** A step computes for seconds without yielding: Ctrl-C is only noticed in between. */
const signalsHandled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** @throws the reason of the signal once it is aborted */
async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  aborted: () => void,
): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const abort = () => {
      aborted();
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}

/** Progress of a training. */
class Course {
  readonly first: number;
  step: number;
  chunks: number;
  /** Losses since the last report. */
  #sum = 0;
  #losses = 0;
  readonly #until: TrainingOptions['until'];
  readonly #began: number;
  readonly #roomsOfChunk: number;

  constructor({ resume, until }: TrainingOptions, chunks: number, roomsOfChunk: number) {
    this.first = this.step = Math.round((resume?.windows ?? 0) / BATCH);
    this.chunks = chunks;
    this.#until = until;
    this.#began = performance.now() - 60_000 * (resume?.minutes ?? 0);
    this.#roomsOfChunk = roomsOfChunk;
  }

  now(): Omit<Progress, 'watched'> {
    const { step } = this;
    const minutes = (performance.now() - this.#began) / 60_000;
    const windows = step * BATCH;
    const share = 'windows' in this.#until ? windows / this.#until.windows : minutes / this.#until.minutes;
    const rooms = this.chunks * this.#roomsOfChunk;
    return { step, windows, rooms, minutes, share, loss: this.#sum / this.#losses };
  }

  add(loss: number): void {
    this.#sum += loss;
    this.#losses += 1;
  }

  /** Begins a new mean. */
  reported(): void {
    this.#sum = this.#losses = 0;
  }

  standing({ windows, minutes }: Pick<Progress, 'windows' | 'minutes'>) {
    return { windows, minutes, chunks: this.chunks };
  }
}

/** One chunk of rooms excluded from training, of the same kind as the training rooms. */
async function watchedRooms({ environment }: Pick<TrainingOptions, 'environment'>): Promise<Samples> {
  const source = new ChunkSource(trainingPlan(WATCHED_SEED, environment), 1);
  try {
    return await source.next();
  } finally {
    await source.close();
  }
}

/** How often a batch of random rooms has 1, 2, ... 6 links: four is the most common number. */
const LINK_SHARES = [0.03, 0.12, 0.2, 0.35, 0.1, 0.2];

function augmentation(total: number, plan: Plan, random: () => number): Augmentation {
  const shared = { uncalibrated: 0.25, turned: true };
  if (plan.environment) {
    // A known room has all its links most of the time, and sometimes loses one or two.
    const lost = random() < 0.7 ? 0 : 1 + Math.floor(2 * random());
    return { ...shared, links: Math.max(1, total - lost) };
  }
  return { ...shared, links: Math.min(total, drawn(LINK_SHARES, random) + 1) };
}
