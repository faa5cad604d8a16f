import type { Point } from '../../../pipeline/model/index.js';
import type { Camera } from './view.js';
import type { Limb } from './body.js';
import { across, along, minus, plus, scaled, unit } from './vectors.js';

/** A rectangle of the view, pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The camera's view of a person, row by row from the top left. */
export interface Surface {
  readonly width: number;
  readonly height: number;
  /** [height, width, (part, U, V)]: part 0 is background, U and V are 0 to 255. */
  readonly iuv: Uint8Array;
  /** [height, width]: 0 to 255; 0 outside the person. */
  readonly confidence: Uint8Array;
}

/**
 * Draws limbs in the camera's view, nearest in front.
 *
 * Each limb is drawn as a tapering band between its two ends in the picture (weak perspective along it), with
 * the surface of an elliptic tube on it: the position across the band determines the angle around the limb,
 * and so U and the part; the position along it determines V.
 *
 * @param confidenceOf 0 to 1, from a joint's error scale in metres
 */
export function render(
  limbs: readonly Limb[],
  camera: Camera,
  box: Box,
  size: { readonly width: number; readonly height: number },
  confidenceOf: (error: number) => number,
): Surface {
  const { width, height } = size;
  const surface: Surface = {
    width,
    height,
    iuv: new Uint8Array(width * height * 3),
    confidence: new Uint8Array(width * height),
  };
  const depths = new Float32Array(width * height).fill(Infinity);
  for (const limb of limbs) {
    const band = bandOf(limb, camera, box, size);
    if (band) draw(band, limb, surface, depths, limb.errors.map(confidenceOf) as [number, number]);
  }
  return surface;
}

/** A limb in the picture: coordinates in the picture's own pixels. */
interface Band {
  readonly x: number;
  readonly y: number;
  readonly dx: number;
  readonly dy: number;
  /** Half widths at both ends, at least half a pixel, so that the band has no holes. */
  readonly widths: readonly [number, number];
  /** Metres from the camera at both ends. */
  readonly depths: readonly [number, number];
  /** Extent of its surface towards the camera, metres. */
  readonly bulges: readonly [number, number];
  /**
   * Position around the limb that faces the camera, and the one at the right of the band's direction:
   * (facing, side) of the unit circle.
   */
  readonly near: readonly [number, number];
  readonly edge: readonly [number, number];
}

function bandOf(
  { from, to, radii, flatness, facing, side }: Limb,
  camera: Camera,
  box: Box,
  { width, height }: { readonly width: number; readonly height: number },
): Band | null {
  const [a, b] = [camera.see(from), camera.see(to)];
  if (!a || !b) return null;
  const [sx, sy] = [width / box.width, height / box.height];
  const dx = (b.x - a.x) * sx;
  const dy = (b.y - a.y) * sy;
  const length = Math.hypot(dx, dy);
  const axis = minus(to, from);
  const eye = unit(across(minus(camera.eye, scaled(plus(from, to), 0.5)), axis), facing);
  const [cos, sin] = [along(eye, facing), along(eye, side)];
  // For the ellipse: half its width in the view, and half its depth towards the camera, in half widths.
  const wide = Math.hypot(cos, flatness * sin);
  const deep = Math.hypot(flatness * cos, sin);
  const norm = Math.hypot(cos / flatness, sin) || 1;
  const near: Band['near'] = [cos / flatness / norm, sin / norm];
  const edge = edgeOf(
    near,
    { flatness, facing, side },
    camera,
    length > 0 ? [dx / length, dy / length] : [0, 1],
  );
  const pixels = (radius: number, depth: number): number =>
    Math.max(0.5, (sy * camera.focal * radius * wide) / depth);
  return {
    x: (a.x - box.x) * sx,
    y: (a.y - box.y) * sy,
    dx,
    dy,
    near,
    edge,
    widths: [pixels(radii[0], a.depth), pixels(radii[1], b.depth)],
    depths: [a.depth, b.depth],
    bulges: [radii[0] * deep, radii[1] * deep],
  };
}

/** The position around the limb at the right of the band's direction in the picture. */
function edgeOf(
  near: Band['near'],
  { flatness, facing, side }: Pick<Limb, 'flatness' | 'facing' | 'side'>,
  { right, up }: Camera,
  [dx, dy]: readonly [number, number],
): Band['edge'] {
  const point: Point = plus(scaled(facing, -near[1] * flatness), scaled(side, near[0]));
  // Right of (dx, dy) is (-dy, dx); pictures count downwards.
  const seen = -dy * along(point, right) - dx * along(point, up);
  return seen >= 0 ? [-near[1], near[0]] : [near[1], -near[0]];
}

function draw(
  band: Band,
  { parts, round, v: [v0, v1] }: Limb,
  { width, height, iuv, confidence }: Surface,
  depths: Float32Array,
  [c0, c1]: readonly [number, number],
): void {
  const { x, y, dx, dy, widths, near, edge } = band;
  const square = dx * dx + dy * dy;
  const length = Math.sqrt(square);
  const most = Math.max(widths[0], widths[1]);
  const [left, right] = bounds(x, x + dx, most, width);
  const [top, bottom] = bounds(y, y + dy, most, height);
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const px = column + 0.5 - x;
      const py = row + 0.5 - y;
      const share = square > 0 ? (px * dx + py * dy) / square : 0;
      if (!round && (share < 0 || share > 1)) continue;
      const t = share < 0 ? 0 : share > 1 ? 1 : share;
      const half = widths[0] + t * (widths[1] - widths[0]);
      const beside = length > 0 ? (dx * py - dy * px) / (length * half) : px / half;
      const beyond = ((share - t) * length) / half;
      const off = beside * beside + beyond * beyond;
      if (off > 1) continue;
      const bulge = band.bulges[0] + t * (band.bulges[1] - band.bulges[0]);
      const depth = band.depths[0] + t * (band.depths[1] - band.depths[0]) - bulge * Math.sqrt(1 - off);
      const at = row * width + column;
      if (!(depth < depths[at]!)) continue;
      depths[at] = depth;
      const towards = Math.sqrt(1 - beside * beside);
      const front = beside * edge[0] + towards * near[0];
      const turn = Math.atan2(beside * edge[1] + towards * near[1], front) / Math.PI;
      const other = parts.length === 2 && front < 0;
      iuv[3 * at] = other ? parts[1] : parts[0];
      iuv[3 * at + 1] = Math.round(255 * uOf(turn, parts.length === 2, other));
      iuv[3 * at + 2] = Math.round(255 * (v0 + t * (v1 - v0)));
      confidence[at] = Math.round(255 * (c0 + t * (c1 - c0)));
    }
  }
}

/** 0 to 1 around the half of its part, or all around. @param turn from -1 to 1, 0 where the limb faces */
function uOf(turn: number, halves: boolean, other: boolean): number {
  if (!halves) return (turn + 1) / 2;
  return 0.5 + (other ? turn - Math.sign(turn) : turn);
}

/** Whole pixels, the last excluded. */
const bounds = (a: number, b: number, around: number, size: number): [number, number] => [
  Math.max(0, Math.floor(Math.min(a, b) - around)),
  Math.min(size, Math.ceil(Math.max(a, b) + around)),
];
