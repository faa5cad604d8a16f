import * as tf from '@tensorflow/tfjs-core';
import { CELLS, GRID } from '../../operators/infer-pose/inputs/geometry.js';
import { layGradient } from '../../operators/infer-pose/networks/tensors.js';
import { OUT } from '../../operators/infer-pose/networks/layers.js';
import {
  CELL_INPUTS,
  MEMORY,
  MEMORY_LAYERS,
  MEMORY_PARAMETERS,
  MEMORY_OFFSETS,
  ROOM_INPUTS,
} from '../../operators/infer-pose/networks/memory-layers.js';
import { Adam, learningRate, type AdamState } from '../../operators/infer-pose/training/optimizer.js';
import {
  MemoryNetwork,
  memoryTensors,
  type Memories,
  type Recalls,
} from '../../operators/infer-pose/training/memory-network.js';
import { EarlyStop, type EarlyStopState } from '../../operators/shared/early-stop.js';
import { normal, seeded } from '../../pipeline/base/random.js';
import { shuffle } from '../shared/shuffle.js';
import type { Course } from './courses.js';
import { lossOf, TERMS, type Terms } from './memory-loss.js';
import { stretchOf, type Stretch } from './stretch.js';
import { symmetries } from './symmetry.js';

/** How to train the memory network; chosen on rooms excluded from training (seeds from 740,000). */
export interface MemorySettings {
  readonly epochs: number;
  /** Rooms per batch. */
  readonly batch: number;
  /** Windows over which a gradient propagates back. */
  readonly reach: number;
  /** Peak learning rate; it first rises and then falls to 0 along a cosine. */
  readonly rate: number;
  /** Share of the weights that a step of rate 1 removes. */
  readonly decay: number;
}

/** A course starts at one of its first windows; courses shorter than this plus a reach are not used. */
const LATEST_START = 50;
/** A step needs at least this many windows. */
const FEWEST = 5;

/** State of a training. */
export interface MemoryStanding {
  readonly adam: AdamState;
  readonly epoch: number;
  readonly seed: number;
  /** Missing in states of earlier versions. */
  readonly watched?: EarlyStopState;
}

/** Options of a training besides its rooms and settings. */
export interface MemoryTraining {
  readonly seed: number;
  readonly standing?: MemoryStanding | null;
  /** Weights to start from; null: random ones. */
  readonly start?: Float32Array | null;
  /** Validation rooms, evaluated after each epoch. */
  readonly watched: readonly Course[];
  /** Validations without improvement before training stops; 0: it runs to its last epoch. */
  readonly patience: number;
  readonly progress: (now: MemoryEpoch, standing: () => MemoryStanding) => void;
}

export interface MemoryEpoch {
  readonly epoch: number;
  readonly loss: number;
  /** Validation loss. */
  readonly watched: number;
}

export interface TrainedWeights {
  /** Weights at the best validation. */
  readonly weights: Float32Array;
  /** Loss at the best validation. */
  readonly watched: number;
  /** Whether validation stopped improving before the last epoch. */
  readonly stopped: boolean;
}

/**
 * Trains from `standing`, or from the first weights. The same courses and seed give the same weights on one
 * backend, even if a training was stopped between two epochs.
 * @throws RangeError if no course is long enough, Error if the loss is no longer a number
 */
export function trainMemory(
  courses: readonly Course[],
  settings: MemorySettings,
  options: MemoryTraining,
): TrainedWeights {
  const { seed, standing = null, start = null, watched, patience, progress } = options;
  const long = longEnough(courses, settings);
  const adam = standing
    ? Adam.restore(standing.adam)
    : new Adam(start?.slice() ?? firstWeights(seeded(seed)), {
        ...{ clip: 1, beta2: 0.999, decay: settings.decay },
      });
  const early = new EarlyStop(
    (weights) => watchedLoss(weights, watched, settings.reach),
    patience,
    standing?.watched ?? null,
  );
  // A training that does not improve the weights it starts from ends with them.
  if (start && !standing) early.look(start);
  const batch = Math.min(settings.batch, long.length);
  const steps = Math.floor(long.length / batch);
  let stop = false;
  for (let epoch = standing?.epoch ?? 0; epoch < settings.epochs && !stop; epoch++) {
    const random = seeded(1000 * seed + epoch + 1);
    const order = [...long];
    shuffle(order, random);
    const losses: number[] = [];
    for (let step = 0; step < steps; step++) {
      const rooms = order.slice(step * batch, (step + 1) * batch);
      const rate = learningRate(
        settings.rate,
        epoch * steps + step,
        (epoch + step / steps) / settings.epochs,
      );
      losses.push(...stretches(rooms, settings, random, adam, rate));
    }
    const loss = losses.reduce((sum, one) => sum + one, 0) / losses.length;
    if (!Number.isFinite(loss)) throw new Error(`The loss of epoch ${epoch + 1} is ${loss}.`);
    const look = early.look(adam.average);
    ({ stop } = look);
    progress({ epoch: epoch + 1, loss, watched: look.loss }, () => ({
      ...{ adam: adam.snapshot(), epoch: epoch + 1, seed, watched: early.state },
    }));
  }
  return { weights: early.best, watched: early.state.loss, stopped: stop };
}

function longEnough(courses: readonly Course[], { reach }: MemorySettings): readonly Course[] {
  const long = courses.filter(({ windows }) => windows >= reach + LATEST_START);
  if (long.length > 0) return long;
  throw new RangeError(
    `None of ${courses.length} rooms has ${reach + LATEST_START} windows: nothing can be trained.`,
  );
}

/** Mean loss over all windows of courses, unaugmented, each from an empty memory. */
export function watchedLoss(weights: Float32Array, courses: readonly Course[], reach: number): number {
  let [sum, count] = [0, 0];
  for (const course of courses) {
    let memory: RoomMemories | null = null;
    for (let from = 0; from < course.windows; from += reach) {
      const to = Math.min(course.windows, from + reach);
      const stretch = stretchOf([course], [symmetries[0]!], from, to);
      const before: RoomMemories | null = memory;
      sum += (to - from) * lossAfter(weights, stretch, before, (after) => (memory = after));
      count += to - from;
    }
  }
  return sum / count;
}

const lossAfter = (
  weights: Float32Array,
  stretch: Stretch,
  before: RoomMemories | null,
  ended: (after: RoomMemories) => void,
): number =>
  tf.tidy(
    () =>
      meanLoss(memoryTensors(weights), stretch, before, {
        ended: (after) => {
          ended(numbersOf(after));
        },
      }).dataSync()[0]!,
  );

const numbersOf = ({ cells, room }: Memories): RoomMemories => ({
  cells: cells.dataSync<'float32'>().slice(),
  room: room.dataSync<'float32'>().slice(),
});

/** One step for each stretch of these rooms' courses; memories carry over from the stretch before. */
function* stretches(
  rooms: readonly Course[],
  { reach }: MemorySettings,
  random: () => number,
  adam: Adam,
  rate: number,
): Generator<number> {
  const turns = rooms.map(() => symmetries[Math.floor(random() * symmetries.length)]!);
  const windows = Math.min(...rooms.map((room) => room.windows));
  let memory: RoomMemories | null = null;
  for (let from = Math.floor(random() * LATEST_START); from + FEWEST <= windows; from += reach) {
    const stretch = stretchOf(rooms, turns, from, Math.min(windows, from + reach));
    const { loss, gradient, after }: Stepped = lossAndGradient(adam.parameters, stretch, memory);
    memory = after;
    adam.step(gradient, rate);
    yield loss;
  }
}

/** Memories as plain numbers, room after room. */
export interface RoomMemories {
  readonly cells: Float32Array;
  readonly room: Float32Array;
}

interface Stepped {
  readonly loss: number;
  readonly gradient: Float32Array;
  readonly after: RoomMemories;
}

/** Loss of a stretch, its gradient in the layout of the weights, and the memories at its end. */
export function lossAndGradient(
  weights: Float32Array,
  stretch: Stretch,
  before: RoomMemories | null,
  terms: Terms = TERMS,
): Stepped {
  const gradient = new Float32Array(MEMORY_PARAMETERS);
  let loss = NaN;
  let after: RoomMemories = { cells: new Float32Array(0), room: new Float32Array(0) };
  tf.tidy(() => {
    const { value, grads } = tf.valueAndGrads((...tensors: tf.Tensor[]) =>
      meanLoss(tensors, stretch, before, {
        terms,
        ended: (memories) => {
          after = numbersOf(memories);
        },
      }),
    )(memoryTensors(weights));
    layGradient(MEMORY_LAYERS, MEMORY_OFFSETS, grads, gradient);
    loss = value.dataSync()[0]!;
  });
  return { loss, gradient, after };
}

/** Mean loss over the windows of a stretch; calls `ended` with the memories at its end. */
export function meanLoss(
  tensors: readonly tf.Tensor[],
  stretch: Stretch,
  before: RoomMemories | null,
  { terms = TERMS, ended }: { readonly terms?: Terms; readonly ended?: (memories: Memories) => void } = {},
): tf.Scalar {
  const losses: tf.Tensor[] = [];
  const memories = follow(tensors, stretch, before, (recalls, window) => {
    losses.push(lossOf(recalls, stretch, window, terms));
  });
  ended?.(memories);
  return tf.div<tf.Scalar>(tf.addN(losses), losses.length);
}

/** Feeds a stretch in, window by window. */
export function follow(
  tensors: readonly tf.Tensor[],
  stretch: Stretch,
  before: RoomMemories | null,
  told: (recalls: Recalls, window: number) => void,
): Memories {
  const { windows, rooms } = stretch;
  const network = new MemoryNetwork(tensors);
  const cells = network.readCells(tf.tensor2d(stretch.cells, [windows * rooms * CELLS, CELL_INPUTS]));
  const room = network.readRooms(tf.tensor2d(stretch.room, [windows * rooms, ROOM_INPUTS]));
  const sides = tf.tensor2d(stretch.sides, [rooms, 2]);
  const centres = tf.tensor3d(stretch.centres, [rooms, CELLS, 2]);
  let memories: Memories = {
    cells: tf.tensor4d(before?.cells ?? new Float32Array(rooms * CELLS * MEMORY.cell), [
      rooms,
      GRID,
      GRID,
      MEMORY.cell,
    ]),
    room: tf.tensor2d(before?.room ?? new Float32Array(rooms * MEMORY.room), [rooms, MEMORY.room]),
  };
  for (let w = 0; w < windows; w++) {
    const { memories: next, recalls } = network.step(memories, {
      cells: tf.reshape(tf.slice(cells, [w * rooms * CELLS, 0], [rooms * CELLS, -1]), [rooms, CELLS, -1]),
      room: tf.slice(room, [w * rooms, 0], [rooms, -1]),
      alone: tf.tensor2d(stretch.alone.subarray(w * rooms * OUT.size, (w + 1) * rooms * OUT.size), [
        rooms,
        OUT.size,
      ]),
      centres,
      sides,
    });
    memories = next;
    told(recalls, w);
  }
  return memories;
}

/** Normal, scaled by the numbers of inputs and outputs (Glorot and Bengio 2010). */
function firstWeights(random: () => number): Float32Array {
  const weights = new Float32Array(MEMORY_PARAMETERS);
  for (const { name, inputs, outputs } of MEMORY_LAYERS) {
    const { kernel, bias } = MEMORY_OFFSETS.get(name)!;
    const deviation = Math.sqrt(2 / (inputs + outputs));
    for (let i = kernel; i < bias; i++) weights[i] = deviation * normal(random);
  }
  return weights;
}
