import { CELLS } from '../../operators/infer-pose/inputs/geometry.js';
import { OUT } from '../../operators/infer-pose/networks/layers.js';
import {
  CELL_INPUTS,
  memoryNetwork,
  ROOM_INPUTS,
} from '../../operators/infer-pose/networks/memory-layers.js';
import { Memory, type Recall } from '../../operators/infer-pose/memory/memory.js';
import { nextMemory, NOTHING_YET } from '../../operators/infer-pose/memory/memory-after.js';
import { readInputs } from '../../operators/infer-pose/sights/reading.js';
import { wholes, type Course } from './courses.js';

/** Output of the memory network for each window of a course, in order. @param weights of the network */
export function* recalls(
  weights: Float32Array,
  course: Course,
): Generator<{
  readonly window: number;
  readonly recall: Recall;
  /** The answer from this window alone, in the order of OUT. */
  readonly alone: Float32Array;
}> {
  const network = memoryNetwork(weights);
  const memory = new Memory(network);
  const cells = new Float32Array(CELLS * CELL_INPUTS);
  let after = NOTHING_YET;
  for (let window = 0; window < course.windows; window++) {
    wholes(course.cells.subarray(window * cells.length, (window + 1) * cells.length), cells);
    const room = course.room.subarray(window * ROOM_INPUTS, (window + 1) * ROOM_INPUTS);
    const alone = course.alone.subarray(window * OUT.size, (window + 1) * OUT.size);
    const reading = readInputs(network, { cells, room }, alone);
    const next = nextMemory(memory, after, { reading, size: course.size });
    after = next.after;
    yield { window, recall: next.recall, alone };
  }
}
