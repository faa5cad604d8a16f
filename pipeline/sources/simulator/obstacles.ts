import type { Random } from './shared/random.js';
import { clamp, distance, type Obstacle, type SceneLink, type Size, type Vec3 } from './shared/room.js';
import { addFresnel, FRESNEL_REACH } from './waves.js';

/** Furniture that blocks: boxes in the way of paths. */

/** Cupboards, fridges, desks: this many along the walls, clear of the antennas. */
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

/** A straight piece of a path: it starts after `before` metres, of `total` for the whole path. */
export interface Leg {
  readonly start: Vec3;
  readonly end: Vec3;
  readonly before: number;
  readonly total: number;
}

const edges = new Float64Array(4);
const CLEAR = [1, 0] as const;

/**
 * Attenuation factor of a path by a box: its outline, seen along the path, as a rectangular Fresnel screen at
 * its middle, 1 - opacity (j/2) [F(u2)-F(u1)] [F(v2)-F(v1)]. [re, im].
 */
export function blockedBy(
  { from, to, opacity }: Obstacle,
  { start, end, before, total }: Leg,
  wavelength: number,
): readonly [number, number] {
  const x = (from[0] + to[0]) / 2 - start[0];
  const y = (from[1] + to[1]) / 2 - start[1];
  const z = (from[2] + to[2]) / 2 - start[2];
  let ex = end[0] - start[0];
  let ey = end[1] - start[1];
  let ez = end[2] - start[2];
  const length = Math.sqrt(ex * ex + ey * ey + ez * ez);
  ex /= length;
  ey /= length;
  ez /= length;
  const along = x * ex + y * ey + z * ez;
  const inside = Math.min(along, length - along);
  if (inside <= 0.02) return CLEAR;
  const d1 = before + along;
  const scale = Math.sqrt((2 * total) / (wavelength * d1 * (total - d1)));
  const a = Math.abs(to[0] - from[0]) / 2;
  const b = Math.abs(to[1] - from[1]) / 2;
  const c = Math.abs(to[2] - from[2]) / 2;
  const level = Math.sqrt(ex * ex + ey * ey);
  const ux = level > 1e-6 ? -ey / level : 1;
  const uy = level > 1e-6 ? ex / level : 0;
  const halfU = a * Math.abs(ux) + b * Math.abs(uy);
  const u = x * ux + y * uy;
  if ((Math.abs(u) - halfU) * scale >= FRESNEL_REACH) return CLEAR;
  const vx = -ez * uy;
  const vy = ez * ux;
  const vz = ex * uy - ey * ux;
  const halfV = a * Math.abs(vx) + b * Math.abs(vy) + c * Math.abs(vz);
  const v = x * vx + y * vy + z * vz;
  if ((Math.abs(v) - halfV) * scale >= FRESNEL_REACH) return CLEAR;
  across(v, halfV, scale);
  edges[2] = edges[0]!;
  edges[3] = edges[1]!;
  across(u, halfU, scale);
  // Fades out as the box's middle passes the end of the piece, to avoid a jump.
  const weight = 0.5 * opacity * Math.min(1, (inside - 0.02) / 0.2);
  return [
    1 + weight * (edges[0]! * edges[3] + edges[1]! * edges[2]),
    -weight * (edges[0]! * edges[2] - edges[1]! * edges[3]),
  ];
}

/** Writes the difference of F between the edges of a strip to the first two of `edges`. */
function across(middle: number, half: number, scale: number): void {
  edges[0] = 0;
  edges[1] = 0;
  addFresnel((middle + half) * scale, 1, edges);
  addFresnel((middle - half) * scale, -1, edges);
}

/** Share of the amplitude that remains on the straight path between two points behind boxes. */
export function clearShare(
  obstacles: readonly Obstacle[],
  start: Vec3,
  end: Vec3,
  wavelength: number,
): number {
  const leg = { start, end, before: 0, total: distance(start, end) };
  let power = 1;
  for (const obstacle of obstacles) {
    const [re, im] = blockedBy(obstacle, leg, wavelength);
    power *= re * re + im * im;
  }
  return Math.sqrt(power);
}
