import { CELLS, cellCentre } from '../inputs/geometry.js';
import type { Scene } from '../inputs/scene.js';

/** A position indicated by the floor's grid, metres. */
export interface FloorPlace {
  readonly x: number;
  readonly y: number;
  /** Error caused by uncertainty about which of several people is where; 0 for a single person. */
  readonly spread: number;
}

/** The mean over the grid: the position with the smallest expected squared error for a single person. */
export function meanPlace(cells: ArrayLike<number>, size: Scene['size']): FloorPlace {
  let x = 0;
  let y = 0;
  for (let c = 0; c < CELLS; c++) {
    const centre = cellCentre(c, size);
    x += cells[c]! * centre.x;
    y += cells[c]! * centre.y;
  }
  return { x, y, spread: 0 };
}

/** Standard deviation of a person's cluster, metres: the spread used in training, plus uncertainty. */
const HEAP = 0.5;
/** Smallest initial distance of two people, metres. */
const APART = 0.8;
const ROUNDS = 12;

/**
 * The positions of `count` people: the grid as a mixture of that many round clusters of equal weight and
 * width, by expectation-maximisation (Dempster, Laird and Rubin 1977), starting from the highest cells that
 * are apart.
 */
export function likeliestPlaces(cells: ArrayLike<number>, size: Scene['size'], count: number): FloorPlace[] {
  if (count === 0) return [];
  const centres = Array.from({ length: CELLS }, (_, c) => cellCentre(c, size));
  let places: FloorPlace[] = peaks(cells, centres, count);
  for (let round = 0; round < ROUNDS; round++) places = refined(cells, centres, places);
  return places;
}

interface Centre {
  readonly x: number;
  readonly y: number;
}

function peaks(cells: ArrayLike<number>, centres: readonly Centre[], count: number): FloorPlace[] {
  const order = centres.map((_, c) => c).sort((a, b) => cells[b]! - cells[a]! || a - b);
  const found: FloorPlace[] = [];
  for (let apart = APART; found.length < count; apart /= 2) {
    for (const c of order) {
      const { x, y } = centres[c]!;
      if (found.length < count && found.every((one) => Math.hypot(one.x - x, one.y - y) >= apart)) {
        found.push({ x, y, spread: 0 });
      }
    }
  }
  return found;
}

function refined(
  cells: ArrayLike<number>,
  centres: readonly Centre[],
  places: readonly FloorPlace[],
): FloorPlace[] {
  const sums = places.map(() => ({ weight: 1e-9, x: 0, y: 0, squares: 0 }));
  centres.forEach(({ x, y }, c) => {
    const squared = places.map((one) => (one.x - x) ** 2 + (one.y - y) ** 2);
    const nearest = Math.min(...squared);
    const shares = squared.map((value) => Math.exp((nearest - value) / (2 * HEAP ** 2)));
    const total = shares.reduce((sum, share) => sum + share, 0);
    shares.forEach((share, i) => {
      const weight = (cells[c]! * share) / total;
      const sum = sums[i]!;
      sum.weight += weight;
      sum.x += weight * x;
      sum.y += weight * y;
      sum.squares += weight * squared[i]!;
    });
  });
  return sums.map(({ weight, x, y, squares }) => ({
    x: x / weight,
    y: y / weight,
    spread: Math.sqrt(squares / weight / 2),
  }));
}
