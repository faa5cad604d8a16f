import * as tf from '@tensorflow/tfjs-core';
import { JOINTS } from '../networks/body.js';
import { CELLS, GRID } from '../inputs/geometry.js';
import { OUT } from '../networks/layers.js';
import {
  BEAT_S,
  INPUT_SCALE,
  MEMORY,
  MEMORY_LAYERS,
  MEMORY_OFFSETS,
  SIDE,
  type MemoryLayer,
} from '../networks/memory-layers.js';
import { layerTensors } from '../networks/tensors.js';

/** Those of {@link MEMORY_LAYERS}; the caller disposes of them. */
export const memoryTensors = (weights: Float32Array): tf.Tensor[] =>
  layerTensors(MEMORY_LAYERS, MEMORY_OFFSETS, weights);

/** Memories of one batch of rooms. */
export interface Memories {
  /** [rooms, GRID, GRID, MEMORY.cell] */
  readonly cells: tf.Tensor4D;
  /** [rooms, MEMORY.room] */
  readonly room: tf.Tensor2D;
}

/** The output after a window, for each room. */
export interface Recalls {
  /** Logits: [rooms, CELLS] */
  readonly cells: tf.Tensor2D;
  /** Position of the person according to the floor's memory alone, metres: [rooms, 2] */
  readonly place: tf.Tensor2D;
  /** Logits: [rooms, COUNTS] */
  readonly counts: tf.Tensor2D;
  /**
   * The result for a single person, in the order of OUT: offsets from that position, logits, log scales.
   * [rooms, OUT.size]
   */
  readonly alone: tf.Tensor2D;
}

/** One window of each room, read. */
export interface Readings {
  /** [rooms, CELLS, MEMORY.cellReading] */
  readonly cells: tf.Tensor3D;
  /** [rooms, MEMORY.roomReading] */
  readonly room: tf.Tensor2D;
  /** As from `answerRow`: [rooms, OUT.size] */
  readonly alone: tf.Tensor2D;
  /** Middles of the cells, metres: [rooms, CELLS, 2] */
  readonly centres: tf.Tensor3D;
  /** [rooms, 2], metres. */
  readonly sides: tf.Tensor2D;
}

/** {@link ../memory/memory.ts} for batches, with gradients: a test compares the two. */
export class MemoryNetwork {
  readonly #tensors = new Map<MemoryLayer, readonly [tf.Tensor, tf.Tensor]>();

  /** @param tensors as from {@link memoryTensors}; the caller remains their owner. */
  constructor(tensors: readonly tf.Tensor[]) {
    MEMORY_LAYERS.forEach(({ name }, index) => {
      this.#tensors.set(name, [tensors[2 * index]!, tensors[2 * index + 1]!]);
    });
  }

  readCells(inputs: tf.Tensor2D): tf.Tensor2D {
    return tf.relu(this.#dense(inputs, 'read-cell'));
  }

  readRooms(inputs: tf.Tensor2D): tf.Tensor2D {
    return tf.relu(this.#dense(inputs, 'read-room'));
  }

  /** The memory after one more window, and the output. */
  step(before: Memories, reading: Readings): { readonly memories: Memories; readonly recalls: Recalls } {
    const sides = tf.div<tf.Tensor2D>(reading.sides, SIDE);
    const cells = this.#floor(this.#moved(before.cells, reading), reading, sides);
    const { here, most, place } = this.#look(cells, reading.centres);
    const { heading, root } = partsOf(reading.alone);
    const fromMiddle = (at: tf.Tensor2D) => tf.div<tf.Tensor2D>(tf.sub(at, tf.div(reading.sides, 2)), SIDE);
    const room = this.#room(
      before.room,
      tf.concat<tf.Tensor2D>(
        [reading.room, here, most, sides, heading, fromMiddle(root), fromMiddle(place)],
        1,
      ),
    );
    return { memories: { cells, room }, recalls: this.tell({ cells, room }, reading) };
  }

  /** The output for a memory after a window. */
  tell({ cells, room }: Memories, { centres, alone }: Pick<Readings, 'centres' | 'alone'>): Recalls {
    const { logits, here, place } = this.#look(cells, centres);
    return {
      cells: logits,
      place,
      counts: this.#dense(room, 'count'),
      alone: this.#figure(tf.concat<tf.Tensor2D>([here, room], 1), place, alone),
    };
  }

  /** The floor's memory at the person, and its maximum; and that position. */
  #look(cells: tf.Tensor4D, centres: tf.Tensor3D) {
    const rooms = cells.shape[0];
    const rows = tf.reshape<tf.Rank.R3>(cells, [rooms, CELLS, MEMORY.cell]);
    const logits = tf.reshape<tf.Rank.R2>(
      this.#dense(tf.reshape(rows, [rooms * CELLS, MEMORY.cell]), 'logit'),
      [rooms, CELLS],
    );
    const weights = tf.reshape(tf.softmax(logits), [rooms, CELLS, 1]);
    return {
      logits,
      here: tf.sum<tf.Tensor2D>(tf.mul(rows, weights), 1),
      most: tf.max<tf.Tensor2D>(rows, 1),
      place: tf.sum<tf.Tensor2D>(tf.mul(centres, weights), 1),
    };
  }

  /** The window's result, corrected by the memory. */
  #figure(person: tf.Tensor2D, place: tf.Tensor2D, alone: tf.Tensor2D): tf.Tensor2D {
    const { heading, root, jointScales, postures, moving, joints } = partsOf(alone);
    const inputs = [
      person,
      joints,
      tf.mul<tf.Tensor2D>(jointScales, INPUT_SCALE),
      lengthOf(heading),
      tf.div<tf.Tensor2D>(tf.sub(root, place), SIDE),
      postures,
      moving,
    ];
    const body = tf.relu(this.#dense(tf.concat<tf.Tensor2D>(inputs, 1), 'body'));
    return tf.add(this.#dense(body, 'figure'), tf.mul(alone, CHANGED));
  }

  /**
   * The floor's memory, moved by the distance walked since: along the heading, at the speed from the room's
   * reading.
   */
  #moved(cells: tf.Tensor4D, { room, alone, sides }: Readings): tf.Tensor4D {
    const rooms = cells.shape[0];
    const { heading } = partsOf(alone);
    const length = lengthOf(heading);
    const speed = tf.softplus(
      this.#dense(tf.concat<tf.Tensor2D>([room, length, tf.square(length)], 1), 'speed'),
    );
    const walked = tf.div<tf.Tensor2D>(tf.mul(tf.mul(speed, heading), BEAT_S * GRID), sides);
    const [alongX, alongY] = [0, 1].map((axis) => shifting(tf.slice(walked, [0, axis], [rooms, 1]))) as [
      tf.Tensor3D,
      tf.Tensor3D,
    ];
    const rows = tf.matMul(alongY, tf.reshape(cells, [rooms, GRID, GRID * MEMORY.cell]));
    const turned = tf.transpose(tf.reshape(rows, [rooms, GRID, GRID, MEMORY.cell]), [0, 2, 1, 3]);
    const columns = tf.matMul(alongX, tf.reshape(turned, [rooms, GRID, GRID * MEMORY.cell]));
    return tf.transpose(tf.reshape(columns, [rooms, GRID, GRID, MEMORY.cell]), [0, 2, 1, 3]);
  }

  /** A gated unit (Cho et al. 2014) per cell, which sees its neighbours. */
  #floor(before: tf.Tensor4D, { cells, room, alone }: Readings, sides: tf.Tensor2D): tf.Tensor4D {
    const rooms = before.shape[0];
    const width = MEMORY.cell;
    const shape = [rooms, GRID, GRID, width] as [number, number, number, number];
    const seen = tf.reshape<tf.Rank.R4>(cells, [rooms, GRID, GRID, MEMORY.cellReading]);
    const common = tf.reshape(
      this.#dense(tf.concat<tf.Tensor2D>([room, partsOf(alone).heading, sides], 1), 'from-room'),
      [rooms, 1, 1, 3 * width],
    );
    const part = (of: tf.Tensor, from: number, size: number) =>
      tf.slice(of, [0, 0, 0, from], [-1, -1, -1, size]);
    const gates = tf.sigmoid(
      tf.add(
        tf.reshape(this.#dense(around(tf.concat([seen, before], 3)), 'cell-gates'), [
          rooms,
          GRID,
          GRID,
          2 * width,
        ]),
        part(common, 0, 2 * width),
      ),
    );
    const renewed = part(gates, 0, width);
    const letIn = tf.mul<tf.Tensor4D>(part(gates, width, width), before);
    const news = tf.tanh(
      tf.add(
        tf.reshape(this.#dense(around(tf.concat([seen, letIn], 3)), 'cell-news'), shape),
        part(common, 2 * width, width),
      ),
    );
    return tf.add(before, tf.mul(renewed, tf.sub(news, before)));
  }

  #room(before: tf.Tensor2D, input: tf.Tensor2D): tf.Tensor2D {
    const width = MEMORY.room;
    const gates = tf.sigmoid(this.#dense(tf.concat<tf.Tensor2D>([input, before], 1), 'room-gates'));
    const renewed = tf.slice(gates, [0, 0], [-1, width]);
    const letIn = tf.slice(gates, [0, width], [-1, width]);
    const news = tf.tanh(
      this.#dense(tf.concat<tf.Tensor2D>([input, tf.mul<tf.Tensor2D>(letIn, before)], 1), 'room-news'),
    );
    return tf.add(before, tf.mul(renewed, tf.sub(news, before)));
  }

  #dense(x: tf.Tensor2D, layer: MemoryLayer): tf.Tensor2D {
    const [kernel, bias] = this.#tensors.get(layer)!;
    return tf.add(tf.matMul(x, kernel), bias);
  }
}

/** 1: the memory adds to this output of the window; 0: it replaces it. In the order of OUT. */
const CHANGED = Array.from({ length: OUT.size }, (_, i) =>
  Number(i < OUT.offset || (i >= OUT.jointScales && i < OUT.postures) || i >= OUT.joints),
);

function partsOf(alone: tf.Tensor2D) {
  const part = (from: number, size: number) => tf.slice(alone, [0, from], [-1, size]);
  return {
    heading: part(OUT.heading, 2),
    root: part(OUT.offset, 2),
    jointScales: part(OUT.jointScales, JOINTS),
    postures: part(OUT.postures, 3),
    moving: part(OUT.moving, 1),
    joints: part(OUT.joints, 3 * JOINTS),
  };
}

const lengthOf = (heading: tf.Tensor2D): tf.Tensor2D =>
  tf.sqrt(tf.add(tf.sum<tf.Tensor2D>(tf.square(heading), 1, true), 1e-6));

/** Each cell beside its neighbours: [rooms, GRID, GRID, n] to [rooms * CELLS, 9 n]. Cells beyond the walls are zero. */
function around(x: tf.Tensor4D): tf.Tensor2D {
  const [rooms, , , width] = x.shape;
  const padded = tf.pad(x, [
    [0, 0],
    [1, 1],
    [1, 1],
    [0, 0],
  ]);
  const shifted = [0, 1, 2].flatMap((row) =>
    [0, 1, 2].map((column) => tf.slice(padded, [0, row, column, 0], [rooms, GRID, GRID, width])),
  );
  return tf.reshape(tf.concat(shifted, 3), [rooms * CELLS, 9 * width]);
}

/**
 * Matrices [rooms, GRID, GRID] that shift values along an axis by this many cells [rooms, 1]; the edge value
 * is repeated.
 */
function shifting(cells: tf.Tensor): tf.Tensor3D {
  const rooms = cells.shape[0];
  const to = tf.reshape(tf.range(0, GRID), [1, GRID, 1]);
  const from = tf.clipByValue(tf.sub(to, tf.reshape(cells, [rooms, 1, 1])), 0, GRID - 1);
  const each = tf.reshape(tf.range(0, GRID), [1, 1, GRID]);
  return tf.relu(tf.sub(1, tf.abs(tf.sub(from, each))));
}
