import type { Point } from '../../../pipeline/model/index.js';

/** Vectors in room metres. */
export const plus = (a: Point, b: Point): Point => ({ x: a.x + b.x, y: a.y + b.y, z: a.z + b.z });
export const minus = (a: Point, b: Point): Point => ({ x: a.x - b.x, y: a.y - b.y, z: a.z - b.z });
export const scaled = (a: Point, by: number): Point => ({ x: a.x * by, y: a.y * by, z: a.z * by });
export const along = (a: Point, b: Point): number => a.x * b.x + a.y * b.y + a.z * b.z;
export const cross = (a: Point, b: Point): Point => ({
  x: a.y * b.z - a.z * b.y,
  y: a.z * b.x - a.x * b.z,
  z: a.x * b.y - a.y * b.x,
});

/** A shorter vector has no reliable direction, metres. */
const SHORTEST = 1e-3;

/** The vector scaled to length 1; `instead` if it is too short to have a direction. */
export function unit(a: Point, instead: Point): Point {
  const length = Math.sqrt(along(a, a));
  return length < SHORTEST ? instead : scaled(a, 1 / length);
}

/** The component of `a` orthogonal to `axis`. */
export function across(a: Point, axis: Point): Point {
  const square = along(axis, axis);
  return square < SHORTEST ** 2 ? a : minus(a, scaled(axis, along(a, axis) / square));
}
