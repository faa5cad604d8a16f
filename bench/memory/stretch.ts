import { MIRRORED, mirroredJoints } from '../../operators/infer-pose/networks/body.js';
import { CELLS, cellCentre } from '../../operators/infer-pose/inputs/geometry.js';
import { OUT } from '../../operators/infer-pose/networks/layers.js';
import { CELL_INPUTS, ROOM_INPUTS } from '../../operators/infer-pose/networks/memory-layers.js';
import { PEOPLE, TOLD, TRUE, wholes, type Course } from './courses.js';
import type { Symmetry } from './symmetry.js';

/** Some windows of some rooms, rotated and mirrored: arrays are [windows, rooms, ...]. */
export interface Stretch {
  readonly windows: number;
  readonly rooms: number;
  readonly cells: Float32Array;
  readonly room: Float32Array;
  /** [windows, rooms, OUT.size] */
  readonly alone: Float32Array;
  /** [rooms, 2] and [rooms, CELLS, 2], metres. */
  readonly sides: Float32Array;
  readonly centres: Float32Array;
  readonly people: Uint8Array;
  /** [windows, rooms, PEOPLE, TOLD] */
  readonly truth: Float32Array;
}

export function stretchOf(
  courses: readonly Course[],
  turns: readonly Symmetry[],
  from: number,
  to: number,
): Stretch {
  const [windows, rooms] = [to - from, courses.length];
  const stretch = {
    ...{ windows, rooms },
    cells: new Float32Array(windows * rooms * CELLS * CELL_INPUTS),
    room: new Float32Array(windows * rooms * ROOM_INPUTS),
    alone: new Float32Array(windows * rooms * OUT.size),
    sides: new Float32Array(rooms * 2),
    centres: new Float32Array(rooms * CELLS * 2),
    people: new Uint8Array(windows * rooms),
    truth: new Float32Array(windows * rooms * PEOPLE * TOLD),
  };
  const floor = new Float32Array(CELLS * CELL_INPUTS);
  courses.forEach((course, r) => {
    const turn = turns[r]!;
    const size = turn.size(course.size);
    stretch.sides.set([size.x, size.y], 2 * r);
    for (let c = 0; c < CELLS; c++) {
      const { x, y } = cellCentre(c, size);
      stretch.centres.set([x, y], 2 * (r * CELLS + c));
    }
    for (let w = from; w < to; w++) {
      const at = (w - from) * rooms + r;
      wholes(course.cells.subarray(w * floor.length, (w + 1) * floor.length), floor);
      turn.cells.forEach((old, c) => {
        const row = floor.subarray(old * CELL_INPUTS, (old + 1) * CELL_INPUTS);
        stretch.cells.set(row, (at * CELLS + c) * CELL_INPUTS);
      });
      stretch.room.set(course.room.subarray(w * ROOM_INPUTS, (w + 1) * ROOM_INPUTS), at * ROOM_INPUTS);
      const alone = course.alone.subarray(w * OUT.size, (w + 1) * OUT.size);
      stretch.alone.set(turnedAnswer(alone, turn, course.size), at * OUT.size);
      stretch.people[at] = course.people[w]!;
      for (let p = 0; p < PEOPLE; p++) {
        const told = course.truth.subarray((w * PEOPLE + p) * TOLD, (w * PEOPLE + p + 1) * TOLD);
        const out = (at * PEOPLE + p) * TOLD;
        stretch.truth.set(told, out);
        stretch.truth.set(
          turn.place(told[TRUE.place]!, told[TRUE.place + 1]!, course.size),
          out + TRUE.place,
        );
        stretch.truth.set(turn.vector(told[TRUE.heading]!, told[TRUE.heading + 1]!), out + TRUE.heading);
        if (turn.mirrors) stretch.truth.set(mirroredJoints(told.subarray(TRUE.joints)), out + TRUE.joints);
      }
    }
  });
  return stretch;
}

/** A window's answer in a rotated room: joints are in the body's own axes, so only a mirror changes them. */
function turnedAnswer(alone: Float32Array, turn: Symmetry, size: Course['size']): Float32Array {
  const out = alone.slice();
  out.set(turn.vector(alone[OUT.heading]!, alone[OUT.heading + 1]!), OUT.heading);
  out.set(turn.place(alone[OUT.offset]!, alone[OUT.offset + 1]!, size), OUT.offset);
  if (!turn.mirrors) return out;
  out.set(mirroredJoints(alone.subarray(OUT.joints)), OUT.joints);
  MIRRORED.forEach((other, j) => (out[OUT.jointScales + j] = alone[OUT.jointScales + other]!));
  return out;
}
