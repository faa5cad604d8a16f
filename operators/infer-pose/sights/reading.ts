import { CELLS } from '../inputs/geometry.js';
import { OUT } from '../networks/layers.js';
import {
  CELL_INPUTS,
  INPUT_SCALE,
  MIN_PROBABILITY,
  ROOM_INPUTS,
  type MemoryNetwork,
  type Reading,
} from '../networks/memory-layers.js';
import type { Estimate, Shown } from './sight.js';

/** The content of one window between the pose network and the memory network: reduced to a few numbers per cell. */

/** Inputs of the reading layers: [CELLS, CELL_INPUTS] and [ROOM_INPUTS]. */
export function readingInputs({ joined, tokens, links, cells, counts, alone }: Shown): {
  readonly cells: Float32Array;
  readonly room: Float32Array;
} {
  const features = CELL_INPUTS - 1;
  const each = new Float32Array(CELLS * CELL_INPUTS);
  for (let c = 0; c < CELLS; c++) {
    for (let i = 0; i < features; i++) each[c * CELL_INPUTS + i] = INPUT_SCALE * joined[c * features + i]!;
    each[c * CELL_INPUTS + features] = INPUT_SCALE * Math.log(cells[c]! + MIN_PROBABILITY);
  }
  const room = Float32Array.of(
    ...tokens.map((value) => INPUT_SCALE * value),
    ...counts,
    Math.log(alone.scale),
    ...alone.postures,
    alone.moving,
    Math.hypot(...alone.heading),
    INPUT_SCALE * (links - 4),
  );
  if (room.length !== ROOM_INPUTS) throw new RangeError('readings of another network');
  return { cells: each, room };
}

/** The content of a window, read by the memory network. */
export const read = (network: MemoryNetwork, shown: Shown): Reading =>
  readInputs(network, readingInputs(shown), answerRow(shown.alone));

/** @param inputs as from {@link readingInputs} @param alone as from {@link answerRow} */
export function readInputs(
  network: MemoryNetwork,
  inputs: { readonly cells: Float32Array; readonly room: Float32Array },
  alone: Float32Array,
): Reading {
  const cells = network.applyToRows('read-cell', inputs.cells);
  const room = network.apply('read-room', inputs.room);
  return { cells: cells.map(rectified), room: room.map(rectified), alone };
}

/**
 * An estimate as one row of numbers in the order of {@link OUT}: the position instead of an offset,
 * probabilities of postures and of walking, log scales.
 */
export function answerRow(estimate: Estimate): Float32Array {
  const row = new Float32Array(OUT.size);
  row.set(estimate.heading, OUT.heading);
  row.set(estimate.root, OUT.offset);
  row[OUT.rootScale] = Math.log(estimate.scale);
  row.set(estimate.jointScales.map(Math.log), OUT.jointScales);
  row.set(estimate.postures, OUT.postures);
  row[OUT.moving] = estimate.moving;
  row.set(estimate.joints, OUT.joints);
  return row;
}

export const rectified = (value: number): number => Math.max(0, value);
