import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CELLS, cellCentre } from '../../operators/infer-pose/inputs/geometry.js';
import { likeliestPlaces, meanPlace } from '../../operators/infer-pose/sights/places.js';

const SIZE = { x: 6, y: 4 };

/** A grid with a round peak at each of these places. */
function gridOf(places: readonly (readonly [number, number])[], spread = 0.5): Float32Array {
  const cells = new Float32Array(CELLS);
  for (let c = 0; c < CELLS; c++) {
    const { x, y } = cellCentre(c, SIZE);
    for (const [px, py] of places)
      cells[c]! += Math.exp(-((x - px) ** 2 + (y - py) ** 2) / (2 * spread ** 2));
  }
  const sum = cells.reduce((total, cell) => total + cell, 0);
  return cells.map((cell) => cell / sum);
}

const nearest = (places: readonly { x: number; y: number }[], [x, y]: readonly [number, number]): number =>
  Math.min(...places.map((place) => Math.hypot(place.x - x, place.y - y)));

describe("the places of several people on the floor's grid", () => {
  it('are those of separate peaks, within a third of a metre', () => {
    const people = [
      [1.2, 1],
      [4.8, 3],
      [3, 2.2],
    ] as const;
    const places = likeliestPlaces(gridOf(people), SIZE, 3);
    expect(places).toHaveLength(3);
    for (const one of people) expect(nearest(places, one)).toBeLessThan(0.33);
  });

  it('are as many as requested, inside the room, on any grid', () => {
    const grid = fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { minLength: CELLS, maxLength: CELLS });
    fc.assert(
      fc.property(grid, fc.integer({ min: 0, max: 4 }), (cells, count) => {
        const places = likeliestPlaces(cells, SIZE, count);
        expect(places).toHaveLength(count);
        for (const { x, y, spread } of places) {
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x).toBeLessThanOrEqual(SIZE.x);
          expect(y).toBeGreaterThanOrEqual(0);
          expect(y).toBeLessThanOrEqual(SIZE.y);
          expect(spread).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it('have a spread that grows when the grid is less certain', () => {
    const people = [
      [1.2, 1],
      [4.8, 3],
    ] as const;
    const [sure] = likeliestPlaces(gridOf(people, 0.3), SIZE, 2);
    const [unsure] = likeliestPlaces(gridOf(people, 0.9), SIZE, 2);
    expect(unsure!.spread).toBeGreaterThan(sure!.spread);
  });
});

describe('the place of one person', () => {
  it('is the mean of the grid', () => {
    const { x, y, spread } = meanPlace(gridOf([[2.5, 1.5]]), SIZE);
    expect(Math.hypot(x - 2.5, y - 1.5)).toBeLessThan(0.1);
    expect(spread).toBe(0);
  });
});
