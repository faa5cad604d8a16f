import type { Random } from './random.js';
import { clamp, distance, type Obstacle, type SceneLink, type Size, type Vec3 } from './room.js';
import { addFresnel } from './waves.js';

/** Furniture that blocks: boxes that stand in the way of paths. */

/** Cupboards, fridges, desks: so many at the walls, clear of the antennas. */
export function randomObstacles(
  random: Random,
  size: Size,
  links: readonly SceneLink[],
  count: number,
): Obstacle[] {
  const antennas = links.flatMap(({ transmitter, antennas: receivers }) => [transmitter, ...receivers]);
  const found: Obstacle[] = [];
  for (let tries = 0; tries < 10 * count && found.length < count; tries++) {
    const obstacle = atWall(random, size);
    if (antennas.every((antenna) => clearance(obstacle, antenna) > 0.25)) found.push(obstacle);
  }
  return found;
}

function atWall(random: Random, size: Size): Obstacle {
  const wall = random.below(4);
  const extent = wall < 2 ? size.y : size.x;
  const width = random.uniform(0.4, 1.4);
  const depth = random.uniform(0.3, 0.6);
  const height = random.uniform(0.7, Math.min(2.1, size.z - 0.1));
  const start = random.uniform(0, extent - width);
  const far = wall < 2 ? size.x : size.y;
  const [near, end] = wall & 1 ? [far - depth, far] : [0, depth];
  const opacity = random.uniform(0.4, 1);
  return wall < 2
    ? { from: [near, start, 0], to: [end, start + width, height], opacity }
    : { from: [start, near, 0], to: [start + width, end, height], opacity };
}

/** Metres from a point to a box; 0 inside it. */
const clearance = ({ from, to }: Obstacle, point: Vec3): number =>
  distance(
    point,
    [0, 1, 2].map((axis) =>
      clamp(point[axis]!, Math.min(from[axis]!, to[axis]!), Math.max(from[axis]!, to[axis]!)),
    ) as unknown as Vec3,
  );

/** A straight piece of a path, `before` metres after its start, of a path that is `total` long. */
export interface Leg {
  readonly start: Vec3;
  readonly end: Vec3;
  readonly before: number;
  readonly total: number;
}

const edges = new Float64Array(2);

/**
 * The factor that a box leaves of a path: its outline, seen along the path, as a rectangular Fresnel screen at its middle,
 * 1 - opacity (j/2) [F(u2)-F(u1)] [F(v2)-F(v1)]. [re, im].
 */
export function blockedBy(
  { from, to, opacity }: Obstacle,
  leg: Leg,
  wavelength: number,
): readonly [number, number] {
  const { start, end } = leg;
  const length = distance(start, end);
  const [ex, ey, ez] = [0, 1, 2].map((i) => (end[i]! - start[i]!) / length) as [number, number, number];
  const level = Math.hypot(ex, ey);
  const [ux, uy] = level > 1e-6 ? [-ey / level, ex / level] : [1, 0];
  const [vx, vy, vz] = [-ez * uy, ez * ux, ex * uy - ey * ux];
  const [x, y, z] = [0, 1, 2].map((i) => (from[i]! + to[i]!) / 2 - start[i]!) as [number, number, number];
  const [a, b, c] = [0, 1, 2].map((i) => Math.abs(to[i]! - from[i]!) / 2) as [number, number, number];
  const along = x * ex + y * ey + z * ez;
  const inside = Math.min(along, length - along);
  if (inside <= 0.02) return [1, 0];
  const d1 = leg.before + along;
  const scale = Math.sqrt((2 * leg.total) / (wavelength * d1 * (leg.total - d1)));
  const halfU = a * Math.abs(ux) + b * Math.abs(uy);
  const halfV = a * Math.abs(vx) + b * Math.abs(vy) + c * Math.abs(vz);
  const [re1, im1] = across(x * ux + y * uy, halfU, scale);
  const [re2, im2] = across(x * vx + y * vy + z * vz, halfV, scale);
  // Fades out where the box's middle leaves the piece, so that nothing jumps.
  const weight = 0.5 * opacity * Math.min(1, (inside - 0.02) / 0.2);
  return [1 + weight * (re1 * im2 + im1 * re2), -weight * (re1 * re2 - im1 * im2)];
}

/** F at the edges of a strip, one minus the other. */
function across(middle: number, half: number, scale: number): readonly [number, number] {
  edges.fill(0);
  addFresnel((middle + half) * scale, 1, edges);
  addFresnel((middle - half) * scale, -1, edges);
  return [edges[0]!, edges[1]!];
}

/** Share of the amplitude that boxes leave of the straight way between two points. */
export function clearShare(
  obstacles: readonly Obstacle[],
  start: Vec3,
  end: Vec3,
  wavelength: number,
): number {
  let share = 1;
  const total = distance(start, end);
  for (const obstacle of obstacles) {
    const [re, im] = blockedBy(obstacle, { start, end, before: 0, total }, wavelength);
    share *= Math.hypot(re, im);
  }
  return share;
}
