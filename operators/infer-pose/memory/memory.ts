import { JOINTS } from '../networks/body.js';
import type { Estimate } from '../sights/sight.js';
import { CELLS, GRID } from '../inputs/geometry.js';
import { boundedLog, OUT } from '../networks/layers.js';
import {
  BEAT_S,
  CELL_CONTENT,
  EDGED,
  FLOOR_AT,
  INPUT_SCALE,
  MEMORY,
  SIDE,
  type MemoryLayer,
  type MemoryNetwork,
  type MemoryState,
  type Reading,
} from '../networks/memory-layers.js';
import { meanPlace } from '../sights/places.js';
import { rectified } from '../sights/reading.js';
import type { Scene } from '../inputs/scene.js';
import { softmax } from '../networks/softmax.js';

/**
 * Combines successive windows: a recurrent network over the floor's grid and over the room. The floor's
 * memory moves with walking people and is updated cell by cell from the window's values there and in the
 * neighbourhood (a convolutional gated unit, following Ballas et al. 2016), so it holds where people stopped
 * and how they sat or lay down. One step takes less than a million multiplications.
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

/** A window's output, and the memory that it came from. */
export interface Step {
  readonly state: MemoryState;
  readonly recall: Recall;
}

export class Memory {
  readonly #network: MemoryNetwork;

  constructor(network: MemoryNetwork) {
    this.#network = network;
  }

  /**
   * The memory after one more window, and the output. The next one starts from what `nextMemory` leaves.
   * @param size the room's sides, metres
   */
  step(before: MemoryState, reading: Reading, size: Scene['size']): Step {
    const sides = [size.x / SIDE, size.y / SIDE];
    const cells = this.#floor(this.#moved(before.cells, reading, size), reading, sides);
    const logits = this.#network.applyToRows('logit', cells);
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
    for (let cell = 0; cell < CELLS; cell++)
      for (const [row, ofRow] of y[Math.floor(cell / GRID)]!)
        for (const [column, ofColumn] of x[cell % GRID]!)
          addCell(out, cell, cells, row * GRID + column, ofRow * ofColumn);
    return out;
  }

  #floor(before: Float32Array, { cells, room, alone }: Reading, sides: readonly number[]): Float32Array {
    const width = MEMORY.cell;
    const common = this.#dense('from-room', Float32Array.of(...room, ...headingOf(alone), ...sides));
    const gates = this.#overFloor('cell-gates', cells, before, common.subarray(0, 2 * width));
    for (let i = 0; i < gates.length; i++) gates[i] = sigmoid(gates[i]!);
    const letIn = new Float32Array(before.length);
    eachNumber((i, gate) => {
      letIn[i] = before[i]! * gates[gate + width]!;
    });
    const floor = this.#overFloor('cell-news', cells, letIn, common.subarray(2 * width));
    eachNumber((i, gate) => {
      floor[i] = before[i]! + gates[gate]! * (Math.tanh(floor[i]!) - before[i]!);
    });
    return floor;
  }

  /** Applies a layer to each cell: its readings and memories and those of its neighbours; adds `common` of the room. */
  #overFloor(
    layer: MemoryLayer,
    readings: Float32Array,
    memories: Float32Array,
    common: Float32Array,
  ): Float32Array {
    const { inputs } = this.#network;
    for (let cell = 0; cell < CELLS; cell++) {
      const at = CONTENTS[cell]!;
      copy(readings, cell * MEMORY.cellReading, inputs, at, MEMORY.cellReading);
      copy(memories, cell * MEMORY.cell, inputs, at + MEMORY.cellReading, MEMORY.cell);
    }
    return this.#network.applyAt(layer, NEIGHBOURHOODS, THREE_ROWS, common);
  }

  #room(before: Float32Array, input: Float32Array): Float32Array {
    const width = MEMORY.room;
    const gates = this.#dense('room-gates', Float32Array.of(...input, ...before)).map(sigmoid);
    const letIn = before.map((value, i) => value * gates[width + i]!);
    const news = this.#dense('room-news', Float32Array.of(...input, ...letIn));
    return before.map((value, i) => value + gates[i]! * (Math.tanh(news[i]!) - value));
  }

  #dense(layer: MemoryLayer, x: Float32Array): Float32Array {
    return this.#network.apply(layer, x);
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

/** Where each cell's content begins among the inputs; and its neighbourhood, from the lower left. */
const CONTENTS = Array.from(
  { length: CELLS },
  (_, cell) => FLOOR_AT + ((Math.floor(cell / GRID) + 1) * EDGED + (cell % GRID) + 1) * CELL_CONTENT,
);
const NEIGHBOURHOODS = CONTENTS.map((at) => at - (EDGED + 1) * CELL_CONTENT);
const THREE_ROWS = { runs: 3, length: 3 * CELL_CONTENT, stride: EDGED * CELL_CONTENT };

/** `set` of short subarrays would take longer. */
function copy(from: Float32Array, at: number, to: Float32Array, toAt: number, size: number): void {
  for (let i = 0; i < size; i++) to[toAt + i] = from[at + i]!;
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

function addCell(sums: Float32Array, cell: number, values: Float32Array, from: number, share: number): void {
  if (share === 0) return;
  const [to, at] = [cell * MEMORY.cell, from * MEMORY.cell];
  for (let i = 0; i < MEMORY.cell; i++) sums[to + i]! += share * values[at + i]!;
}

/** Calls back with each number of the floor's memory, and its update gate; its reset gate lies `MEMORY.cell` on. */
function eachNumber(visit: (index: number, gate: number) => void): void {
  for (let cell = 0, index = 0; cell < CELLS; cell++)
    for (let i = 0; i < MEMORY.cell; i++) visit(index++, 2 * cell * MEMORY.cell + i);
}

/** A floor's memory at the person, and the maximum of each of its numbers. */
function pooled(cells: Float32Array, likely: Float32Array) {
  const here = new Float32Array(MEMORY.cell);
  const most = new Float32Array(MEMORY.cell).fill(-Infinity);
  for (let cell = 0, at = 0; cell < CELLS; cell++)
    for (let i = 0; i < MEMORY.cell; i++, at++) {
      here[i]! += likely[cell]! * cells[at]!;
      most[i] = Math.max(most[i]!, cells[at]!);
    }
  return { here, most };
}

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));
