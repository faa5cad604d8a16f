import type { Point } from '../../pipeline/model/index.js';
import type { Camera } from './picture/view.js';

/** Points of a line between two corners, without the part behind the camera. */
const PARTS = 16;
/** Pixels of points just in front of the camera can be arbitrarily large. */
const FURTHEST = 20_000;

export const pixel = ({ x, y }: { readonly x: number; readonly y: number }): string =>
  `${bounded(x)} ${bounded(y)}`;
const bounded = (value: number): number => Math.round(Math.min(Math.max(value, -FURTHEST), FURTHEST));

/** Path along points in the room; empty if none of it is in front of the camera. */
export function line(points: readonly Point[], camera: Camera, parts: number = PARTS): string {
  let path = '';
  let drawing = false;
  for (const point of between(points, parts)) {
    const seen = camera.project(point);
    if (seen) path += `${drawing ? 'L' : 'M'}${pixel(seen)}`;
    drawing = seen !== null;
  }
  return path;
}

function between(points: readonly Point[], parts: number): readonly Point[] {
  const all = points.slice(0, -1).flatMap((from, index) => {
    const to = points[index + 1]!;
    return Array.from({ length: parts }, (_, part) => {
      const way = part / parts;
      return {
        x: from.x + (to.x - from.x) * way,
        y: from.y + (to.y - from.y) * way,
        z: from.z + (to.z - from.z) * way,
      };
    });
  });
  return [...all, points.at(-1)!];
}

/** On the floor, closed. */
export const circle = (
  { x, y }: { readonly x: number; readonly y: number },
  radius: number,
): readonly Point[] =>
  Array.from({ length: 17 }, (_, index) => ({
    x: x + radius * Math.cos((index * Math.PI) / 8),
    y: y + radius * Math.sin((index * Math.PI) / 8),
    z: 0,
  }));

export const stroke = ({ height }: Camera, thickness: number): number =>
  Math.max(1, Math.round((height / 360) * thickness));
