import type { Environment, Point } from '../../../pipeline/model/index.js';
import { along, cross, minus } from './vectors.js';

/** A pinhole camera: room metres to pixels of the environment's view, y down. */
export interface Camera {
  readonly width: number;
  readonly height: number;
  /** Distance of the picture's plane in pixels: the width of one metre at a depth of one metre. */
  readonly focal: number;
  /** Its position, metres. */
  readonly eye: Point;
  /** Directions of the picture in the room. */
  readonly right: Point;
  readonly up: Point;
  /** Pixel of a point; null if it is behind the camera. */
  project(point: Point): { readonly x: number; readonly y: number } | null;
  /** The same, with its depth in metres in front of the camera. */
  see(point: Point): { readonly x: number; readonly y: number; readonly depth: number } | null;
}

const NEAREST_METRES = 0.05;

/** The camera of an environment. Without a `view` it stands just outside the corner at the origin, above head height, and sees the whole room. */
export function cameraOf(environment: Environment): Camera {
  const { size, view } = environment;
  const width = view?.width ?? 1280;
  const height = view?.height ?? 720;
  const from = toPoint(view?.position) ?? { x: -size.x / 4, y: -size.y / 4, z: Math.max(2.2, size.z) };
  const target = toPoint(view?.target) ?? { x: size.x / 2, y: size.y / 2, z: 1 };
  const focal = width / 2 / Math.tan((((view?.field_of_view_deg ?? 75) / 2) * Math.PI) / 180);

  const forward = unit(minus(target, from));
  const straightDown = Math.hypot(forward.x, forward.y) < 1e-6;
  const right = straightDown ? { x: 1, y: 0, z: 0 } : unit(cross(forward, { x: 0, y: 0, z: 1 }));
  const up = cross(right, forward);

  const see: Camera['see'] = (point) => {
    const ray = minus(point, from);
    const depth = along(ray, forward);
    if (depth < NEAREST_METRES) return null;
    return {
      x: width / 2 + (focal * along(ray, right)) / depth,
      y: height / 2 - (focal * along(ray, up)) / depth,
      depth,
    };
  };
  return {
    ...{ width, height, focal, eye: from, right, up, see },
    project(point) {
      const seen = see(point);
      return seen && { x: seen.x, y: seen.y };
    },
  };
}

const toPoint = (position: readonly number[] | undefined): Point | undefined =>
  position && { x: position[0]!, y: position[1]!, z: position[2]! };
const unit = (a: Point): Point => {
  const length = Math.sqrt(along(a, a)) || 1;
  return { x: a.x / length, y: a.y / length, z: a.z / length };
};
