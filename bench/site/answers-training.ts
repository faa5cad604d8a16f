import * as tf from '@tensorflow/tfjs-core';
import { CELLS, cellCentre, GRID } from '../../operators/infer-pose/inputs/geometry.js';
import { OUT } from '../../operators/infer-pose/networks/layers.js';
import {
  MEMORY,
  MEMORY_LAYERS,
  MEMORY_PARAMETERS,
  MEMORY_OFFSETS,
} from '../../operators/infer-pose/networks/memory-layers.js';
import type { Scene } from '../../operators/infer-pose/inputs/scene.js';
import { MemoryNetwork, memoryTensors } from '../../operators/infer-pose/training/memory-network.js';
import { Adam, learningRate } from '../../operators/infer-pose/training/optimizer.js';
import { EarlyStop } from '../../operators/shared/early-stop.js';
import { seeded } from '../../pipeline/base/random.js';
import { PEOPLE, TOLD } from '../memory/courses.js';
import { lossOf, TERMS, type Terms } from '../memory/memory-loss.js';
import type { Lesson } from './lessons.js';

/**
 * Layers that produce the answer from the memory; the layers that update the memory and locate people on the
 * floor stay unchanged.
 */
const TRAINED = new Set(['count', 'body', 'figure']);
/**
 * Labels give no errors of joints, and the floor's own answer is not trained. A recording contains a few
 * rests, each of one posture at one place: with the posture's full weight, the training would memorise them.
 */
const SITE_TERMS: Terms = { ...TERMS, postures: 0.05, jointScales: 0, floor: 0, cells: 0 };

/** Settings of a training on a site's recordings; chosen on simulated rooms (seeds from 700,000). */
export interface SiteSettings {
  /** Maximum number of steps. */
  readonly steps: number;
  /** Windows per step. */
  readonly batch: number;
  /** Peak learning rate. */
  readonly rate: number;
  /** Steps between two validations. */
  readonly look: number;
}

export interface SiteLook {
  readonly step: number;
  /** Mean since the previous validation. */
  readonly loss: number;
  /** Validation loss. */
  readonly watched: number;
}

/** Trains the answer layers. The same lessons and seed give the same weights on one backend. */
export function trainAnswers(
  start: Float32Array,
  { trained, watched }: { readonly trained: readonly Lesson[]; readonly watched: readonly Lesson[] },
  settings: SiteSettings,
  options: {
    readonly size: Scene['size'];
    readonly seed: number;
    /** Validations without improvement before training stops; 0: it runs to its last step. */
    readonly patience: number;
    readonly progress: (look: SiteLook) => void;
  },
): {
  readonly weights: Float32Array;
  readonly before: number;
  readonly watched: number;
  readonly stopped: boolean;
} {
  const { size, seed, patience, progress } = options;
  const random = seeded(seed);
  const adam = new Adam(start.slice(), { clip: 1, beta2: 0.999, average: 0.98 });
  const early = new EarlyStop((weights) => lossOfAll(weights, watched, size), patience);
  // A training that does not improve the weights it starts from ends with them.
  const { loss: before } = early.look(start);
  let sum = 0;
  let stop = false;
  for (let step = 0; step < settings.steps && !stop; step++) {
    const drawn = Array.from(
      { length: settings.batch },
      () => trained[Math.floor(random() * trained.length)]!,
    );
    const { loss, gradient } = lossAndGradient(adam.parameters, drawn, size);
    adam.step(gradient, learningRate(settings.rate, step, step / settings.steps));
    sum += loss;
    if ((step + 1) % settings.look !== 0) continue;
    const look = early.look(adam.average);
    ({ stop } = look);
    progress({ step: step + 1, loss: sum / settings.look, watched: look.loss });
    sum = 0;
  }
  return { weights: early.best, before, watched: early.state.loss, stopped: stop };
}

/** Windows per validation batch. */
const TOGETHER = 256;

/** Mean loss of weights over lessons. */
export function lossOfAll(weights: Float32Array, lessons: readonly Lesson[], size: Scene['size']): number {
  let sum = 0;
  for (let from = 0; from < lessons.length; from += TOGETHER) {
    const some = lessons.slice(from, from + TOGETHER);
    sum += some.length * tf.tidy(() => meanLoss(memoryTensors(weights), some, size).dataSync()[0]!);
  }
  return sum / lessons.length;
}

/** Loss of lessons and its gradient, in the layout of the weights: 0 for layers that are not trained. */
export function lossAndGradient(
  weights: Float32Array,
  lessons: readonly Lesson[],
  size: Scene['size'],
): { readonly loss: number; readonly gradient: Float32Array } {
  const gradient = new Float32Array(MEMORY_PARAMETERS);
  let loss = NaN;
  tf.tidy(() => {
    const all = memoryTensors(weights);
    const layers = MEMORY_LAYERS.flatMap(({ name }, i) => (TRAINED.has(name) ? [{ name, i }] : []));
    const own = layers.flatMap(({ i }) => [all[2 * i]!, all[2 * i + 1]!]);
    const { value, grads } = tf.valueAndGrads((...tensors: tf.Tensor[]) => {
      const mixed = [...all];
      layers.forEach(({ i }, at) => mixed.splice(2 * i, 2, tensors[2 * at]!, tensors[2 * at + 1]!));
      return meanLoss(mixed, lessons, size);
    })(own);
    layers.forEach(({ name }, at) => {
      const { kernel, bias } = MEMORY_OFFSETS.get(name)!;
      gradient.set(grads[2 * at]!.dataSync(), kernel);
      gradient.set(grads[2 * at + 1]!.dataSync(), bias);
    });
    loss = value.dataSync()[0]!;
  });
  return { loss, gradient };
}

function meanLoss(tensors: readonly tf.Tensor[], lessons: readonly Lesson[], size: Scene['size']): tf.Scalar {
  const rooms = lessons.length;
  const rows = (of: (lesson: Lesson) => Float32Array, width: number) => {
    const values = new Float32Array(rooms * width);
    lessons.forEach((lesson, i) => {
      values.set(of(lesson), i * width);
    });
    return values;
  };
  const grid = Float32Array.from(
    { length: 2 * CELLS },
    (_, i) => cellCentre(i >> 1, size)[i % 2 === 0 ? 'x' : 'y'],
  );
  const centres = rows(() => grid, 2 * CELLS);
  const recalls = new MemoryNetwork(tensors).tell(
    {
      cells: tf.tensor4d(
        rows(({ state }) => state.cells, CELLS * MEMORY.cell),
        [rooms, GRID, GRID, MEMORY.cell],
      ),
      room: tf.tensor2d(
        rows(({ state }) => state.room, MEMORY.room),
        [rooms, MEMORY.room],
      ),
    },
    {
      centres: tf.tensor3d(centres, [rooms, CELLS, 2]),
      alone: tf.tensor2d(
        rows(({ alone }) => alone, OUT.size),
        [rooms, OUT.size],
      ),
    },
  );
  const truth = rows((lesson) => lesson.truth, PEOPLE * TOLD);
  const people = Uint8Array.from(lessons, (lesson) => lesson.people);
  return lossOf(recalls, { rooms, centres, people, truth }, 0, SITE_TERMS) as tf.Scalar;
}
