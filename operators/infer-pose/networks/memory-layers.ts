import { DenseLayers } from '../../shared/dense/dense-layers.js';
import { offsetsOf } from '../../shared/dense/layers.js';
import { JOINTS } from './body.js';
import { CELLS, GRID } from '../inputs/geometry.js';
import { COUNTS, OUT, WIDTHS } from './layers.js';

/** Shape of the memory network. */

/** Incremented when layers change: weights depend on it. */
export const MEMORY_VERSION = 2;

/** Seconds between the windows that update the memory; windows in between are read against the same memory. */
export const BEAT_S = 0.4;

/** Numbers per cell of the floor's grid and per room, for the reading of a window and for the memory; and per body. */
export const MEMORY = { cellReading: 14, roomReading: 40, cell: 14, room: 96, body: 128 } as const;

/** Inputs of a cell: the pose network's features, and the probability that somebody is there. */
export const CELL_INPUTS = WIDTHS.joined + 1;
/**
 * Inputs of the room: links' tokens by mean and maximum, counts, posture, and the certainty of position and
 * heading.
 */
export const ROOM_INPUTS = 2 * WIDTHS.token + COUNTS + 7;
/** Numbers of a cell: its reading and its memory. */
export const CELL_CONTENT = MEMORY.cellReading + MEMORY.cell;
/** A cell's own content, and that of its eight neighbours, row by row from the lower left. */
const AROUND = 9 * CELL_CONTENT;
/** Cells along an axis of the grid with an empty edge, so that all cells have eight neighbours. */
export const EDGED = GRID + 2;
/** In the inputs of {@link memoryNetwork}, the grid with its edge follows the inputs of the cells' readings. */
export const FLOOR_AT = CELLS * CELL_INPUTS;
/** The room's reading, the heading, and the room's sides. */
const ROOM_GATE = MEMORY.roomReading + 4;
/**
 * The room's reading; the floor's memory at the person and its maximum; the room's sides; the heading; and
 * the positions from the window and from the floor's memory, relative to the room's middle.
 */
const ROOM_STEP = MEMORY.roomReading + 2 * MEMORY.cell + 2 + 6;
/**
 * The floor's memory at the person, the room's memory, and the window's result: joints, their scales,
 * certainty of the heading, the offset of the person's position, posture and moving.
 */
const BODY_STEP = MEMORY.cell + MEMORY.room + 3 * JOINTS + JOINTS + 1 + 2 + 4;

/** Dense layers, each a kernel [inputs, outputs] and a bias [outputs]. Gates: the update, then the reset. */
export const MEMORY_LAYERS = [
  { name: 'read-cell', inputs: CELL_INPUTS, outputs: MEMORY.cellReading },
  { name: 'read-room', inputs: ROOM_INPUTS, outputs: MEMORY.roomReading },
  { name: 'speed', inputs: MEMORY.roomReading + 2, outputs: 1 },
  { name: 'from-room', inputs: ROOM_GATE, outputs: 3 * MEMORY.cell },
  { name: 'cell-gates', inputs: AROUND, outputs: 2 * MEMORY.cell },
  { name: 'cell-news', inputs: AROUND, outputs: MEMORY.cell },
  { name: 'logit', inputs: MEMORY.cell, outputs: 1 },
  { name: 'room-gates', inputs: ROOM_STEP + MEMORY.room, outputs: 2 * MEMORY.room },
  { name: 'room-news', inputs: ROOM_STEP + MEMORY.room, outputs: MEMORY.room },
  { name: 'count', inputs: MEMORY.room, outputs: COUNTS },
  { name: 'body', inputs: BODY_STEP, outputs: MEMORY.body },
  { name: 'figure', inputs: MEMORY.body, outputs: OUT.size },
] as const;

export type MemoryLayer = (typeof MEMORY_LAYERS)[number]['name'];

/** Numbers in all kernels and biases. */
export const MEMORY_PARAMETERS = MEMORY_LAYERS.reduce(
  (sum, { inputs, outputs }) => sum + (inputs + 1) * outputs,
  0,
);

/** In one array of MEMORY_PARAMETERS numbers. */
export const MEMORY_OFFSETS = offsetsOf<MemoryLayer>(MEMORY_LAYERS);

export type MemoryNetwork = DenseLayers<MemoryLayer>;

/** @param weights of {@link MEMORY_LAYERS}, layer by layer, kernel then bias */
export const memoryNetwork = (weights: Float32Array): MemoryNetwork =>
  new DenseLayers(weights, MEMORY_OFFSETS, FLOOR_AT + EDGED ** 2 * CELL_CONTENT);

/** The content of one window, as input of the memory network. */
export interface Reading {
  /** [CELLS, MEMORY.cellReading] */
  readonly cells: Float32Array;
  /** [MEMORY.roomReading] */
  readonly room: Float32Array;
  /** The window's result for a single person, in the order of {@link OUT}: see {@link answerRow}. */
  readonly alone: Float32Array;
}

/** The memory of a room. */
export interface MemoryState {
  /** [CELLS, MEMORY.cell] */
  readonly cells: Float32Array;
  /** [MEMORY.room] */
  readonly room: Float32Array;
}

export const noMemory = (): MemoryState => ({
  cells: new Float32Array(CELLS * MEMORY.cell),
  room: new Float32Array(MEMORY.room),
});

/** Unit of a room's sides, metres. */
export const SIDE = 5;
/** Scales inputs to about unit size. */
export const INPUT_SCALE = 1 / 3;
/** Smallest probability in use. */
export const MIN_PROBABILITY = 1e-4;
