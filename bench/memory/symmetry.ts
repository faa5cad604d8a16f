import { CELLS, GRID } from '../../operators/infer-pose/inputs/geometry.js';

type Size = { readonly x: number; readonly y: number };
type Pair = readonly [number, number];

/**
 * A room rotated by quarter turns and mirrored: its axes mean nothing, so the transformed course is as good
 * as a new one.
 */
export interface Symmetry {
  /** For each cell of the transformed floor, its number before. */
  readonly cells: readonly number[];
  readonly size: (size: Size) => Size;
  readonly vector: (x: number, y: number) => Pair;
  /** Whether left and right are swapped. */
  readonly mirrors: boolean;
  /** A floor position; `size` is the room's before the rotation. */
  readonly place: (x: number, y: number, size: Size) => Pair;
}

const QUARTERS: readonly Pair[] = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
];

/** The eight symmetries of a rectangle's grid. */
export const symmetries: readonly Symmetry[] = [0, 1, 2, 3].flatMap((quarters) =>
  [1, -1].map((sign): Symmetry => {
    const [cos, sin] = QUARTERS[quarters]!;
    const vector = (x: number, y: number): Pair => [
      cos * sign * x - sin * y + 0,
      sin * sign * x + cos * y + 0,
    ];
    // The inverse of a rotation is its transpose.
    const middle = (GRID - 1) / 2;
    const before = (cell: number): number => {
      const [x, y] = [(cell % GRID) - middle, Math.floor(cell / GRID) - middle];
      return Math.round(sign * (cos * x + sin * y) + middle) + GRID * Math.round(cos * y - sin * x + middle);
    };
    const size = ({ x, y }: Size): Size => (quarters % 2 === 0 ? { x, y } : { x: y, y: x });
    return {
      cells: Array.from({ length: CELLS }, (_, cell) => before(cell)),
      size,
      vector,
      mirrors: sign < 0,
      place: (x, y, old) => {
        const turned = size(old);
        const [dx, dy] = vector(x - old.x / 2, y - old.y / 2);
        return [dx + turned.x / 2, dy + turned.y / 2];
      },
    };
  }),
);
