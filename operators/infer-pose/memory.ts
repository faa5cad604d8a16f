import { JOINTS } from './body.js';
import type { Estimate } from './sight.js';
import { CELLS, GRID } from './geometry.js';
import { boundedLog, OUT } from './layers.js';
import {
  AROUND,
  BEAT_S,
  INPUT_SCALE,
  MEMORY,
  MEMORY_OFFSETS,
  SIDE,
  type MemoryLayer,
  type MemoryState,
  type Reading,
} from './memory-layers.js';
import { meanPlace } from './places.js';
import { dense, rectified } from './reading.js';
import type { Scene } from './scene.js';
import { softmax } from './softmax.js';

/**
 * Combines successive windows: a recurrent network over the floor's grid and over the room. The floor's
 * memory moves with walking people and is updated cell by cell from the window's values there and in the
 * neighbourhood (a convolutional gated unit, following Ballas et al. 2016), so it holds where people stopped
 * and how they sat or lay down. Plain numbers: one step takes less than a million multiplications.
 */

/** The output after a window. */
export interface Recall {
  /** Probability of each cell that somebody is there. */
  readonly cells: Float32Array;
  /** Probabilities of nobody, one person, and so on. */
  readonly counts: readonly number[];
  /** The result if one person is present. */
  readonly alone: Estimate;
}

export class Memory {
  readonly #weights: Float32Array;

  /** @param weights of {@link MEMORY_LAYERS}, layer by layer, kernel then bias */
  constructor(weights: Float32Array) {
    this.#weights = weights;
  }

  /**
   * The memory after one more window, and the output.
   * @param size the room's sides, metres
   */
  step(
    before: MemoryState,
    reading: Reading,
    size: Scene['size'],
  ): { readonly state: MemoryState; readonly recall: Recall } {
    const sides = [size.x / SIDE, size.y / SIDE];
    const cells = this.#floor(this.#moved(before.cells, reading, size), reading, sides);
    const logits = new Float32Array(CELLS);
    for (let c = 0; c < CELLS; c++) {
      logits.set(this.#dense('logit', cells.subarray(c * MEMORY.cell, (c + 1) * MEMORY.cell)), c);
    }
    const likely = Float32Array.from(softmax(logits));
    const { here, most } = pooled(cells, likely);
    const { x, y } = meanPlace(likely, size);
    const room = this.#room(
      before.room,
      roomInputs({ reading, floor: Float32Array.of(...here, ...most), place: [x, y], size }),
    );
    const body = this.#dense('body', bodyInputs(Float32Array.of(...here, ...room), reading.alone, [x, y]));
    const outputs = this.#dense('figure', body.map(rectified));
    return {
      state: { cells, room },
      recall: {
        cells: likely,
        counts: softmax(this.#dense('count', room)),
        alone: estimateOf(outputs, reading.alone, [x, y]),
      },
    };
  }

  #moved(cells: Float32Array, { room, alone }: Reading, size: Scene['size']): Float32Array {
    const heading = headingOf(alone);
    const length = lengthOf(heading);
    const said = this.#dense('speed', Float32Array.of(...room, length, length ** 2))[0]!;
    const metres = Math.log1p(Math.exp(said)) * BEAT_S;
    const out = new Float32Array(cells.length);
    const x = shifting((metres * heading[0] * GRID) / size.x);
    const y = shifting((metres * heading[1] * GRID) / size.y);
    for (let row = 0; row < GRID; row++)
      for (let column = 0; column < GRID; column++)
        for (const [fromRow, ofRow] of y[row]!)
          for (const [fromColumn, ofColumn] of x[column]!)
            addTo(
              out,
              (row * GRID + column) * MEMORY.cell,
              cells,
              (fromRow * GRID + fromColumn) * MEMORY.cell,
              ofRow * ofColumn,
            );
    return out;
  }

  #floor(before: Float32Array, { cells, room, alone }: Reading, sides: readonly number[]): Float32Array {
    const width = MEMORY.cell;
    const common = this.#dense('from-room', Float32Array.of(...room, ...headingOf(alone), ...sides));
    const gates = this.#overFloor('cell-gates', cells, before, common, 0);
    for (let i = 0; i < gates.length; i++) gates[i] = sigmoid(gates[i]!);
    const letIn = before.map(
      (value, i) => value * gates[Math.floor(i / width) * 2 * width + width + (i % width)]!,
    );
    const news = this.#overFloor('cell-news', cells, letIn, common, 2 * width);
    return before.map((value, i) => {
      const renewed = gates[Math.floor(i / width) * 2 * width + (i % width)]!;
      return value + renewed * (Math.tanh(news[i]!) - value);
    });
  }

  /** Applies a layer to each cell: its readings and memories and those of its neighbours; adds `common` of the room. */
  #overFloor(
    layer: MemoryLayer,
    readings: Float32Array,
    memories: Float32Array,
    common: Float32Array,
    from: number,
  ): Float32Array {
    const { kernel, bias, outputs } = MEMORY_OFFSETS.get(layer)!;
    const weights = this.#weights;
    const out = new Float32Array(CELLS * outputs);
    for (let cell = 0; cell < CELLS; cell++) {
      const row = out.subarray(cell * outputs, (cell + 1) * outputs);
      for (let o = 0; o < outputs; o++) row[o] = weights[bias + o]! + common[from + o]!;
      addProducts(row, weights, gathered(readings, memories, cell, kernel, outputs));
    }
    return out;
  }

  #room(before: Float32Array, input: Float32Array): Float32Array {
    const width = MEMORY.room;
    const gates = this.#dense('room-gates', Float32Array.of(...input, ...before)).map(sigmoid);
    const letIn = before.map((value, i) => value * gates[width + i]!);
    const news = this.#dense('room-news', Float32Array.of(...input, ...letIn));
    return before.map((value, i) => value + gates[i]! * (Math.tanh(news[i]!) - value));
  }

  #dense(layer: MemoryLayer, x: Float32Array): Float32Array {
    return dense(this.#weights, layer, x);
  }
}

/** The window's result, corrected by the figure's layer. @param outputs of that layer */
function estimateOf(outputs: Float32Array, alone: Float32Array, [x, y]: Pair): Estimate {
  const changed = (from: number, size: number) =>
    Float32Array.from({ length: size }, (_, i) => alone[from + i]! + outputs[from + i]!);
  const [hx, hy] = changed(OUT.heading, 2);
  return {
    root: [x + outputs[OUT.offset]!, y + outputs[OUT.offset + 1]!],
    scale: scaleOf(outputs[OUT.rootScale]!),
    heading: [hx!, hy!],
    postures: softmax(outputs.subarray(OUT.postures, OUT.postures + 3)),
    moving: sigmoid(outputs[OUT.moving]!),
    joints: changed(OUT.joints, 3 * JOINTS),
    jointScales: changed(OUT.jointScales, JOINTS).map(scaleOf),
  };
}

const scaleOf = (log: number): number => Math.exp(boundedLog(log));

type Pair = readonly [number, number];

const headingOf = (alone: Float32Array): Pair => [alone[OUT.heading]!, alone[OUT.heading + 1]!];
const lengthOf = ([x, y]: Pair): number => Math.sqrt(x * x + y * y + 1e-6);

/**
 * @param floor its memory at the person, and its maximum @param place position according to the floor's
 * memory, metres
 */
function roomInputs(seen: {
  readonly reading: Reading;
  readonly floor: Float32Array;
  readonly place: Pair;
  readonly size: Scene['size'];
}): Float32Array {
  const { reading, floor, place, size } = seen;
  const root = [reading.alone[OUT.offset]!, reading.alone[OUT.offset + 1]!] as const;
  const fromMiddle = ([x, y]: Pair) => [(x - size.x / 2) / SIDE, (y - size.y / 2) / SIDE];
  return Float32Array.of(
    ...reading.room,
    ...floor,
    size.x / SIDE,
    size.y / SIDE,
    ...headingOf(reading.alone),
    ...fromMiddle(root),
    ...fromMiddle(place),
  );
}

/**
 * @param person the floor's memory at the person, and the room's @param place position according to the
 * floor's memory, metres
 */
function bodyInputs(person: Float32Array, alone: Float32Array, [x, y]: Pair): Float32Array {
  return Float32Array.of(
    ...person,
    ...alone.subarray(OUT.joints, OUT.joints + 3 * JOINTS),
    ...alone.subarray(OUT.jointScales, OUT.jointScales + JOINTS).map((log) => INPUT_SCALE * log),
    lengthOf(headingOf(alone)),
    (alone[OUT.offset]! - x) / SIDE,
    (alone[OUT.offset + 1]! - y) / SIDE,
    ...alone.subarray(OUT.postures, OUT.postures + 3),
    alone[OUT.moving]!,
  );
}

/** For each cell, its neighbours and itself, by their number in the kernel, row by row from the lower left. */
const NEIGHBOURS: readonly (readonly (readonly [number, number])[])[] = Array.from(
  { length: CELLS },
  (_, cell) => {
    const [x, y] = [cell % GRID, Math.floor(cell / GRID)];
    return [-1, 0, 1].flatMap((up) =>
      [-1, 0, 1].flatMap((aside): (readonly [number, number])[] => {
        const inside = x + aside >= 0 && x + aside < GRID && y + up >= 0 && y + up < GRID;
        return inside ? [[3 * (up + 1) + aside + 1, (y + up) * GRID + x + aside]] : [];
      }),
    );
  },
);

/** Last result of {@link gathered}: values that are not zero, and the start of each one's row in the kernel. */
const FOUND = { values: new Float64Array(AROUND), rows: new Int32Array(AROUND), count: 0 };

/** Readings and memories of a cell and its neighbours, laid out as the kernel's rows. Valid until the next call. */
function gathered(
  readings: Float32Array,
  memories: Float32Array,
  cell: number,
  kernel: number,
  outputs: number,
): typeof FOUND {
  const { values, rows } = FOUND;
  let count = 0;
  const take = (from: Float32Array, width: number, other: number, row: number) => {
    for (let i = 0; i < width; i++) {
      const value = from[other * width + i]!;
      if (value === 0) continue;
      values[count] = value;
      rows[count++] = kernel + (row + i) * outputs;
    }
  };
  for (const [neighbour, other] of NEIGHBOURS[cell]!) {
    const row = neighbour * (MEMORY.cellReading + MEMORY.cell);
    take(readings, MEMORY.cellReading, other, row);
    take(memories, MEMORY.cell, other, row + MEMORY.cellReading);
  }
  FOUND.count = count;
  return FOUND;
}

/** Adds each value's row of weights, times the value; four rows at once, so that sums are loaded and stored a quarter as often. */
function addProducts(sums: Float32Array, weights: Float32Array, { values, rows, count }: typeof FOUND): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const [a, b, c, d] = [values[i]!, values[i + 1]!, values[i + 2]!, values[i + 3]!];
    const [ofA, ofB, ofC, ofD] = [rows[i]!, rows[i + 1]!, rows[i + 2]!, rows[i + 3]!];
    for (let o = 0; o < sums.length; o++)
      sums[o]! +=
        a * weights[ofA + o]! + b * weights[ofB + o]! + c * weights[ofC + o]! + d * weights[ofD + o]!;
  }
  for (; i < count; i++)
    for (let o = 0; o < sums.length; o++) sums[o]! += values[i]! * weights[rows[i]! + o]!;
}

/** For each position along an axis, its source positions and their shares when everything moves by this many cells. */
const shifting = (cells: number): readonly (readonly (readonly [number, number])[])[] =>
  Array.from({ length: GRID }, (_, to) => {
    const from = Math.min(GRID - 1, Math.max(0, to - cells));
    const low = Math.min(GRID - 2, Math.floor(from));
    return [
      [low, 1 - (from - low)],
      [low + 1, from - low],
    ] as const;
  });

function addTo(out: Float32Array, to: number, values: Float32Array, from: number, share: number): void {
  if (share === 0) return;
  for (let i = 0; i < MEMORY.cell; i++) out[to + i]! += share * values[from + i]!;
}

/** A floor's memory at the person, and the maximum of each of its numbers. */
function pooled(cells: Float32Array, likely: Float32Array) {
  const here = new Float32Array(MEMORY.cell);
  const most = new Float32Array(MEMORY.cell).fill(-Infinity);
  for (let i = 0; i < cells.length; i++) {
    const k = i % MEMORY.cell;
    here[k]! += likely[Math.floor(i / MEMORY.cell)]! * cells[i]!;
    most[k] = Math.max(most[k]!, cells[i]!);
  }
  return { here, most };
}

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));
