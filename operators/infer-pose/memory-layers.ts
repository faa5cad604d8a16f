import { JOINTS } from './body.js';
import { CELLS } from './geometry.js';
import { COUNTS, OUT, placesOf, WIDTHS } from './layers.js';

/** Shape of the network that remembers, without anything that computes it. */

/** Counts up when layers change: weights are bound to it. */
export const MEMORY_VERSION = 2;

/** Seconds between the windows that it takes in: those between are read against the same memory. */
export const BEAT_S = 0.4;

/** Numbers a cell of the floor's grid and a room have, of what a window shows and of what is remembered; and of one body. */
export const MEMORY = { cellReading: 14, roomReading: 40, cell: 14, room: 96, body: 128 } as const;

/** What is read of a cell: the pose network's features of it, and how likely somebody is there. */
export const CELL_INPUTS = WIDTHS.joined + 1;
/** What is read of the room: links' tokens by mean and maximum, counts, posture, and how sure place and heading are. */
export const ROOM_INPUTS = 2 * WIDTHS.token + COUNTS + 7;
/** A cell's own reading and memory, and those of its eight neighbours. */
export const AROUND = 9 * (MEMORY.cellReading + MEMORY.cell);
/** The room's reading, the heading, and the room's sides. */
const ROOM_GATE = MEMORY.roomReading + 4;
/**
 * The room's reading, the floor's memory where somebody is and at most, the room's sides, the heading, and the places that the
 * window and the floor's memory tell, from the room's middle.
 */
const ROOM_STEP = MEMORY.roomReading + 2 * MEMORY.cell + 2 + 6;
/**
 * The floor's memory where somebody is, the room's, and of the window's answer: joints, their scales, how sure the heading is,
 * where it puts the person from there, posture and moving.
 */
const BODY_STEP = MEMORY.cell + MEMORY.room + 3 * JOINTS + JOINTS + 1 + 2 + 4;

/** Dense layers, each a kernel [inputs, outputs] and a bias [outputs]. Gates: what is renewed, then what is let in. */
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
export const MEMORY_PLACES = placesOf<MemoryLayer>(MEMORY_LAYERS);

/** What one window shows, as the network that remembers takes it in. */
export interface Reading {
  /** [CELLS, MEMORY.cellReading] */
  readonly cells: Float32Array;
  /** [MEMORY.roomReading] */
  readonly room: Float32Array;
  /** The window's answer for one who is alone, in the order of {@link OUT}: see {@link answerRow}. */
  readonly alone: Float32Array;
}

/** What is remembered of a room. */
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

/** Metres that a room's sides are told in. */
export const SIDE = 5;
/** Brings what is read to about unit size. */
export const INPUT_SCALE = 1 / 3;
/** Probabilities are told from this on. */
export const MIN_PROBABILITY = 1e-4;
