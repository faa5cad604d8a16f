import type { Point } from '../../../pipeline/model/index.js';

/**
 * Geometric inputs of the network: positions on the floor relative to a link. They do not change if the room
 * is rotated or mirrored, so one network fits any room and any number of links.
 */

/** A link's antennas and the queried positions, in any coordinates (rotated, mirrored). */
export interface LinkPlace {
  readonly transmitter: Point;
  readonly receiver: Point;
}

/** Cells along each axis of the scored floor grid. */
export const GRID = 8;
export const CELLS = GRID * GRID;

/** Numbers per position and link, per position, and per link of directions. */
export const PLACE_FEATURES = 13;
export const WALL_FEATURES = 4;
export const DIRECTION_FEATURES = 9;

/** Which of the numbers per position and link is its spreading loss: the logarithm of an amplitude. */
const SPREADING = 3;

/** Height of a queried position: the middle of a body. */
const HEIGHT = 1;

/** Middle of cell `index` in a room, x running fastest. */
export const cellCentre = (index: number, size: { x: number; y: number }): { x: number; y: number } => ({
  x: (((index % GRID) + 0.5) / GRID) * size.x,
  y: ((Math.floor(index / GRID) + 0.5) / GRID) * size.y,
});

/** A floor position relative to a link: distances, excess path, spreading loss, position around the line of sight. */
export function placeFeatures(x: number, y: number, link: LinkPlace, out: Float32Array, at: number): void {
  const { transmitter: tx, receiver: rx } = link;
  const toTx = Math.max(0.2, norm(x - tx.x, y - tx.y, HEIGHT - tx.z));
  const toRx = Math.max(0.2, norm(x - rx.x, y - rx.y, HEIGHT - rx.z));
  const length = Math.max(0.2, norm(rx.x - tx.x, rx.y - tx.y, rx.z - tx.z));
  const ex = rx.x - tx.x;
  const ey = rx.y - tx.y;
  const floor = ex * ex + ey * ey + 1e-6;
  const along = ((x - tx.x) * ex + (y - tx.y) * ey) / floor;
  const on = Math.min(1, Math.max(0, along));
  const aside = norm(x - tx.x - on * ex, y - tx.y - on * ey, 0);
  const excess = Math.max(0, toTx + toRx - length);
  out[at] = toTx / 3;
  out[at + 1] = toRx / 3;
  out[at + 2] = excess / 2;
  out[at + SPREADING] = Math.log(length / (toTx * toRx));
  out[at + 4] = aside / 2;
  out[at + 5] = Math.min(1.5, Math.max(-0.5, along));
  out[at + 6] = Math.exp(-(aside * aside) / 0.1);
  out[at + 7] = Math.exp(-(aside * aside) / 0.5);
  out[at + 8] = length / 4;
  out[at + 9] = tx.z - 1;
  out[at + 10] = rx.z - 1;
  out[at + 11] = Math.exp(-excess / 0.1);
  out[at + 12] = Math.exp(-excess / 0.5);
}

/** Mean power of a body's echo over the floor of a room, relative to the direct path, from spreading alone: 1/m^2. */
export function meanEcho(link: LinkPlace, size: { x: number; y: number }): number {
  const place = new Float32Array(PLACE_FEATURES);
  let sum = 0;
  for (let cell = 0; cell < CELLS; cell++) {
    const { x, y } = cellCentre(cell, size);
    placeFeatures(x, y, link, place, 0);
    sum += Math.exp(2 * place[SPREADING]!);
  }
  return sum / CELLS;
}

/** A position in its room: distance to the nearer wall of each pair, and the room's sides, shorter pair first. */
export function wallFeatures(
  x: number,
  y: number,
  size: { x: number; y: number },
  out: Float32Array,
  at: number,
): void {
  const flip = size.x > size.y;
  const dx = Math.min(x, size.x - x) / 2;
  const dy = Math.min(y, size.y - y) / 2;
  out[at] = flip ? dy : dx;
  out[at + 1] = flip ? dx : dy;
  out[at + 2] = Math.min(size.x, size.y) / 4 - 1;
  out[at + 3] = Math.max(size.x, size.y) / 4 - 1;
}

/** Unit vectors from a position to both antennas and their sum, the axis along which movement causes Doppler. */
export function directionFeatures(
  x: number,
  y: number,
  link: LinkPlace,
  axes: Axes,
  out: Float32Array,
  at: number,
): void {
  let sumX = 0;
  let sumY = 0;
  let sumZ = 0;
  [link.transmitter, link.receiver].forEach((antenna, index) => {
    const [dx, dy] = turn(axes, antenna.x - x, antenna.y - y);
    const dz = antenna.z - HEIGHT;
    const d = Math.max(0.2, norm(dx, dy, dz));
    out[at + 3 * index] = dx / d;
    out[at + 3 * index + 1] = dy / d;
    out[at + 3 * index + 2] = dz / d;
    sumX += dx / d;
    sumY += dy / d;
    sumZ += dz / d;
  });
  out[at + 6] = sumX;
  out[at + 7] = sumY;
  out[at + 8] = sumZ;
}

// Math.hypot guards against overflow and is ten times slower.
const norm = (x: number, y: number, z: number): number => Math.sqrt(x * x + y * y + z * z);

/** Horizontal axes: those of the room, rotated and, before that, optionally mirrored (`sign` -1 mirrors y). */
export interface Axes {
  readonly cos: number;
  readonly sin: number;
  readonly sign: 1 | -1;
}

export const axesAt = (angle: number, sign: 1 | -1 = 1): Axes => ({
  cos: Math.cos(angle),
  sin: Math.sin(angle),
  sign,
});

export const ROOM_AXES: Axes = axesAt(0);

/** A horizontal vector of the room in other axes. */
export const turn = (axes: Axes, x: number, y: number): [number, number] => [
  axes.cos * x - axes.sin * axes.sign * y,
  axes.sin * x + axes.cos * axes.sign * y,
];

/** The reverse of {@link turn}. */
export const turnBack = (axes: Axes, x: number, y: number): [number, number] => [
  axes.cos * x + axes.sin * y,
  axes.sign * (axes.cos * y - axes.sin * x),
];
