import type { Person } from '../../pipeline/model/index.js';
import type { Shape } from './box-filter.js';
import { thousandths } from './strategy.js';

/** A body's outline seen from above: an upright box on the floor, centimetres. */
export interface Outline {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const CENTIMETRES = 100;

/** Around the joints of the skeleton, or without one around the circle given by the position's error. */
export function outlineOf({ position, positionError, keypoints, articulated }: Person): Outline {
  const joints = articulated ? keypoints : [];
  const xs = joints.map(({ x }) => x);
  const ys = joints.map(({ y }) => y);
  const [width, height] = [spread(xs), spread(ys)];
  if (width > 0 && height > 0) return outline(Math.min(...xs), Math.min(...ys), width, height);
  return outline(
    position.x - positionError,
    position.y - positionError,
    2 * positionError,
    2 * positionError,
  );
}

const spread = (values: readonly number[]): number =>
  values.length === 0 ? 0 : Math.max(...values) - Math.min(...values);

const outline = (x: number, y: number, width: number, height: number): Outline => ({
  x: CENTIMETRES * x,
  y: CENTIMETRES * y,
  width: CENTIMETRES * width,
  height: CENTIMETRES * height,
});

export const measured = ({ x, y, width, height }: Outline): Shape => ({
  x: x + width / 2,
  y: y + height / 2,
  area: width * height,
  ratio: width / height,
});

export function outlineFrom({ x, y, area, ratio }: Shape): Outline {
  const width = Math.sqrt(area * ratio);
  const height = area / width;
  return { x: x - width / 2, y: y - height / 2, width, height };
}

/** Shared area of two outlines divided by their total area (intersection over union). */
export function iou(a: Outline, b: Outline): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (!(width > 0 && height > 0)) return 0;
  const shared = width * height;
  return shared / (a.width * a.height + b.width * b.height - shared);
}

/** The person with all its points moved and stretched from one outline to another. */
export function fitted(person: Person, from: Outline, to: Outline): Pick<Person, 'position' | 'keypoints'> {
  const move = <P extends { readonly x: number; readonly y: number; readonly z: number }>(point: P): P => ({
    ...point,
    x: thousandths((to.x + (CENTIMETRES * point.x - from.x) * (to.width / from.width)) / CENTIMETRES),
    y: thousandths((to.y + (CENTIMETRES * point.y - from.y) * (to.height / from.height)) / CENTIMETRES),
    z: thousandths(point.z),
  });
  return { position: move(person.position), keypoints: person.keypoints.map(move) };
}
