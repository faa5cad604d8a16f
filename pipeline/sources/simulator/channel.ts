import type { Band } from './band.js';
import type { Reflector } from './shared/reflector.js';
import {
  SECOND_ORDER,
  distance,
  mirror,
  type DiffusePath,
  type Obstacle,
  type Room,
  type Vec3,
} from './shared/room.js';
import { blockedBy, clearShare } from './obstacles.js';
import { PHASORS_PER_TURN, SPEED_OF_LIGHT, addFresnel, phasors } from './waves.js';

const CLEAR = [1, 1] as const;

/** Direct path and the images in the six walls. */
const POINTS = 7;

/**
 * The channel between two antennas in a room with bodies. Static paths: line of sight, 6 first- and 18
 * second-order wall images, furniture, and diffuse paths. Each ellipsoid of a body scatters over 13 paths
 * (direct, through the 6 images of the transmitter, and through those of the receiver) with the bistatic
 * geometric-optics cross-section of the bisector. The silhouette of each body, a rectangular Fresnel screen,
 * shadows line of sight and first-order paths. So does blocking furniture, which also attenuates the direct
 * paths to and from an ellipsoid.
 *
 * Free-space amplitudes lambda / (4 pi d); phase exp(-j 2 pi f d / c). Body paths are accumulated on a grid
 * of delays by cubic Lagrange interpolation (relative error below 1e-4 at the band's edge) and converted to
 * subcarriers once, which costs a fifth of a rotation per path and subcarrier.
 */
export class Channel {
  readonly #wavelength: number;
  readonly #count: number;
  readonly #echo: number;
  /** Positions and gains: the antenna, followed by its six images. */
  readonly #transmitters = new Float64Array(3 * POINTS);
  readonly #receivers = new Float64Array(3 * POINTS);
  readonly #gains = new Float64Array(POINTS);
  /** [7, subcarriers, 2]: line of sight and first-order paths, which a body can shadow. */
  readonly #shadowed: Float64Array;
  /** [subcarriers, 2]: second order and furniture. */
  readonly #rest: Float64Array;
  readonly #ends: readonly [Vec3, Vec3];
  readonly #obstacles: readonly Obstacle[];
  readonly #segments: readonly (readonly Segment[])[];

  readonly #step: number;
  readonly #firstDelay: number;
  readonly #taps: Float64Array;
  /** [taps, subcarriers, 2]. */
  readonly #tapPhasors: Float64Array;
  readonly #legs = new Float64Array(2 * POINTS * 4);
  readonly #factor = new Float64Array(2);
  readonly #edges = new Float64Array(4);

  /** @param diffuse paths that no body touches */
  constructor(
    room: Room,
    transmitter: Vec3,
    receiver: Vec3,
    band: Band,
    diffuse: readonly DiffusePath[] = [],
  ) {
    this.#wavelength = SPEED_OF_LIGHT / band.carrier;
    this.#count = band.offsets.length;
    this.#echo = room.echo ?? 1;
    const { size } = room;
    const images = (point: Vec3) => [point, ...room.reflection.map((_, wall) => mirror(point, wall, size))];
    const sent = images(transmitter);
    const heard = images(receiver);
    sent.forEach((point, i) => {
      this.#transmitters.set(point, 3 * i);
    });
    heard.forEach((point, i) => {
      this.#receivers.set(point, 3 * i);
    });
    this.#gains.set([1, ...room.reflection]);

    this.#shadowed = new Float64Array(POINTS * this.#count * 2);
    sent.forEach((point, i) => {
      this.#addPath(this.#shadowed, 2 * this.#count * i, band, distance(point, receiver), this.#gains[i]!);
    });
    this.#rest = new Float64Array(2 * this.#count);
    for (const [first, second] of SECOND_ORDER) {
      const image = mirror(mirror(transmitter, first, size), second, size);
      const gain = room.reflection[first]! * room.reflection[second]!;
      this.#addPath(this.#rest, 0, band, distance(image, receiver), gain);
    }
    for (const piece of room.furniture) {
      const d1 = distance(transmitter, piece.position);
      const d2 = distance(piece.position, receiver);
      const gain = (Math.sqrt(piece.crossSection / (4 * Math.PI)) * (d1 + d2)) / (d1 * d2);
      this.#addPath(this.#rest, 0, band, d1 + d2, gain);
    }
    const direct = distance(transmitter, receiver);
    for (const { length, gain, phase } of diffuse) {
      this.#addPath(this.#rest, 0, band, length, (gain * length) / direct, phase);
    }
    this.#segments = sent.map((image, i) => segments(transmitter, image, receiver, i - 1, size));
    this.#ends = [transmitter, receiver];
    this.#obstacles = room.obstacles ?? [];
    if (this.#obstacles.length > 0) this.#block();

    // The grid of delays: one step rotates the band's edge by at most a quarter radian.
    const edge = Math.max(...Array.from(band.offsets, Math.abs), 1);
    this.#step = Math.min((0.25 * SPEED_OF_LIGHT) / (2 * Math.PI * edge), 3);
    this.#firstDelay = distance(transmitter, receiver) - 2 * this.#step;
    const longest = 3 * Math.hypot(size.x, size.y, size.z);
    const taps = Math.ceil((longest - this.#firstDelay) / this.#step) + 4;
    this.#taps = new Float64Array(2 * taps);
    this.#tapPhasors = new Float64Array(taps * this.#count * 2);
    this.#turnTaps(band, taps);
  }

  /** Rotation of each carrier at each delay of the grid. */
  #turnTaps({ offsets }: Band, taps: number): void {
    for (let tap = 0; tap < taps; tap++) {
      const delay = (this.#firstDelay + tap * this.#step) / SPEED_OF_LIGHT;
      for (let k = 0; k < this.#count; k++) {
        const phase = -2 * Math.PI * offsets[k]! * delay;
        this.#tapPhasors[2 * (tap * this.#count + k)] = Math.cos(phase);
        this.#tapPhasors[2 * (tap * this.#count + k) + 1] = Math.sin(phase);
      }
    }
  }

  /** Writes the channel with these bodies to `out` at `offset` as [subcarriers, (re, im)]. */
  respond(bodies: readonly Reflector[], out: Float64Array, offset = 0): void {
    const values = 2 * this.#count;
    for (let i = 0; i < values; i++) out[offset + i] = this.#rest[i]!;
    const factor = this.#factor;
    for (let path = 0; path < POINTS; path++) {
      this.#shadow(path, bodies);
      const re = factor[0]!;
      const im = factor[1]!;
      const from = path * values;
      for (let i = 0; i < values; i += 2) {
        const a = this.#shadowed[from + i]!;
        const b = this.#shadowed[from + i + 1]!;
        out[offset + i]! += re * a - im * b;
        out[offset + i + 1]! += re * b + im * a;
      }
    }
    if (bodies.length === 0) return;
    this.scatter(bodies, out, offset);
  }

  /** Adds the field scattered by the bodies to `out`, without the static paths and their shadows. */
  scatter(bodies: readonly Reflector[], out: Float64Array, offset = 0): void {
    this.#taps.fill(0);
    for (const body of bodies) this.#gather(body);
    const taps = this.#taps;
    const table = this.#tapPhasors;
    const values = 2 * this.#count;
    let at = 0;
    for (let tap = 0; tap < taps.length; tap += 2, at += values) {
      const a = taps[tap]!;
      const b = taps[tap + 1]!;
      if (a === 0 && b === 0) continue;
      for (let i = 0; i < values; i += 2) {
        const c = table[at + i]!;
        const s = table[at + i + 1]!;
        out[offset + i]! += a * c - b * s;
        out[offset + i + 1]! += a * s + b * c;
      }
    }
  }

  /** Attenuates line of sight and first-order paths by the furniture in their way. */
  #block(): void {
    const values = 2 * this.#count;
    this.#segments.forEach((pieces, path) => {
      for (const { x, y, z, ex, ey, ez, length, before, total } of pieces) {
        const leg = { start: [x, y, z], end: [x + length * ex, y + length * ey, z + length * ez] } as const;
        for (const obstacle of this.#obstacles) {
          const [re, im] = blockedBy(obstacle, { ...leg, before, total }, this.#wavelength);
          for (let i = path * values; i < (path + 1) * values; i += 2) {
            const a = this.#shadowed[i]!;
            const b = this.#shadowed[i + 1]!;
            this.#shadowed[i] = re * a - im * b;
            this.#shadowed[i + 1] = re * b + im * a;
          }
        }
      }
    });
  }

  /** Adds the 13 paths of each ellipsoid of a body to the grid of delays. */
  #gather(body: Reflector): void {
    const legs = this.#legs;
    const gains = this.#gains;
    const obstacles = this.#obstacles;
    const { centres, shapes, strengths } = body;
    const scale = (this.#echo * this.#wavelength) / (4 * Math.PI) ** 1.5;
    for (let part = 0; part < strengths.length; part++) {
      const x = centres[3 * part]!;
      const y = centres[3 * part + 1]!;
      const z = centres[3 * part + 2]!;
      toward(this.#transmitters, x, y, z, legs, 0);
      toward(this.#receivers, x, y, z, legs, 4 * POINTS);
      const xx = shapes[6 * part]!;
      const yy = shapes[6 * part + 1]!;
      const zz = shapes[6 * part + 2]!;
      const xy = 2 * shapes[6 * part + 3]!;
      const xz = 2 * shapes[6 * part + 4]!;
      const yz = 2 * shapes[6 * part + 5]!;
      const strength = scale * strengths[part]!;
      // Attenuation by furniture on the straight paths from the transmitter and to the receiver.
      const [out, back] = obstacles.length > 0 ? this.#clear([x, y, z]) : CLEAR;
      for (let path = 0; path < 2 * POINTS - 1; path++) {
        // Path 0 is direct; 1 to 6 use an image of the transmitter, 7 to 12 one of the receiver.
        const image = path < POINTS ? path : path - POINTS + 1;
        const t = path < POINTS ? 4 * path : 0;
        const r = 4 * POINTS + (path < POINTS ? 0 : 4 * image);
        const bx = legs[t]! + legs[r]!;
        const by = legs[t + 1]! + legs[r + 1]!;
        const bz = legs[t + 2]! + legs[r + 2]!;
        // sqrt(sigma) = sqrt(pi) a b c |b|^2 / (b' M b), with b the bisector. On the line of sight b
        // vanishes, and the screen takes over.
        const square = bx * bx + by * by + bz * bz;
        const form = bx * (xx * bx + xy * by + xz * bz) + by * (yy * by + yz * bz) + zz * bz * bz + 1e-12;
        const d1 = legs[t + 3]!;
        const d2 = legs[r + 3]!;
        const clear = path === 0 ? out * back : path < POINTS ? back : out;
        const amplitude = (clear * strength * gains[image]! * square) / (form * d1 * d2);
        this.#tap(d1 + d2, amplitude);
      }
    }
  }

  #clear(point: Vec3): readonly [number, number] {
    const [transmitter, receiver] = this.#ends;
    const share = (end: Vec3) => clearShare(this.#obstacles, end, point, this.#wavelength);
    return [share(transmitter), share(receiver)];
  }

  #tap(length: number, amplitude: number): void {
    const turns = length / this.#wavelength;
    const scaled = (turns - Math.floor(turns)) * PHASORS_PER_TURN;
    const index = scaled | 0;
    const rest = scaled - index;
    const cos = phasors[2 * index]!;
    const sin = phasors[2 * index + 1]!;
    const re = amplitude * (cos + rest * (phasors[2 * index + 2]! - cos));
    const im = -amplitude * (sin + rest * (phasors[2 * index + 3]! - sin));

    const position = (length - this.#firstDelay) / this.#step;
    const tap = position | 0;
    const u = position - tap;
    // Cubic Lagrange weights of the taps at -1, 0, 1, 2 about u.
    const v = u - 1;
    const w = u - 2;
    const s = u + 1;
    const w0 = (-u * v * w) / 6;
    const w1 = (s * v * w) / 2;
    const w2 = (-s * u * w) / 2;
    const w3 = (s * u * v) / 6;
    const taps = this.#taps;
    const at = 2 * tap - 2;
    taps[at]! += w0 * re;
    taps[at + 1]! += w0 * im;
    taps[at + 2]! += w1 * re;
    taps[at + 3]! += w1 * im;
    taps[at + 4]! += w2 * re;
    taps[at + 5]! += w2 * im;
    taps[at + 6]! += w3 * re;
    taps[at + 7]! += w3 * im;
  }

  /**
   * Writes the shadowing factor of a path by the bodies' silhouettes to #factor: for each body and straight
   * piece of the path, 1 - (j/2) [F(u2)-F(u1)] [F(v2)-F(v1)], by Babinet's principle.
   */
  #shadow(path: number, bodies: readonly Reflector[]): void {
    let re = 1;
    let im = 0;
    const edges = this.#edges;
    for (const segment of this.#segments[path]!) {
      for (const body of bodies) {
        const { middle, spread } = body;
        const x = middle[0]! - segment.x;
        const y = middle[1]! - segment.y;
        const z = middle[2]! - segment.z;
        const along = x * segment.ex + y * segment.ey + z * segment.ez;
        const inside = Math.min(along, segment.length - along);
        if (inside <= 0.02) continue;
        const d1 = segment.before + along;
        const d2 = segment.total - d1;
        const scale = Math.sqrt((2 * segment.total) / (this.#wavelength * d1 * d2));
        const u = x * segment.ux + y * segment.uy;
        const v = x * segment.vx + y * segment.vy + z * segment.vz;
        const halfU = Math.sqrt(3 * form(spread, segment.ux, segment.uy, 0));
        const halfV = Math.sqrt(3 * form(spread, segment.vx, segment.vy, segment.vz));
        edges.fill(0);
        addFresnel((u + halfU) * scale, 1, edges);
        addFresnel((u - halfU) * scale, -1, edges);
        const a = edges[0]!;
        const b = edges[1]!;
        edges[0] = 0;
        edges[1] = 0;
        addFresnel((v + halfV) * scale, 1, edges);
        addFresnel((v - halfV) * scale, -1, edges);
        const c = edges[0];
        const d = edges[1];
        // Fades out as the body's middle passes the end of the piece, to avoid a jump.
        const weight = 0.5 * body.opacity * Math.min(1, (inside - 0.02) / 0.2);
        const blockedRe = -weight * (a * d + b * c);
        const blockedIm = weight * (a * c - b * d);
        const r = 1 - blockedRe;
        const i = -blockedIm;
        const next = re * r - im * i;
        im = re * i + im * r;
        re = next;
      }
    }
    this.#factor[0] = re;
    this.#factor[1] = im;
  }

  #addPath(into: Float64Array, at: number, band: Band, length: number, gain: number, turned = 0): void {
    const amplitude = (gain * this.#wavelength) / (4 * Math.PI * length);
    for (let k = 0; k < this.#count; k++) {
      const phase = turned - (2 * Math.PI * (band.carrier + band.offsets[k]!) * length) / SPEED_OF_LIGHT;
      into[at + 2 * k]! += amplitude * Math.cos(phase);
      into[at + 2 * k + 1]! += amplitude * Math.sin(phase);
    }
  }
}

/** A straight piece of a path with the axes of a screen across it: `u` horizontal, `v` vertical. */
interface Segment {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly ex: number;
  readonly ey: number;
  readonly ez: number;
  readonly ux: number;
  readonly uy: number;
  readonly vx: number;
  readonly vy: number;
  readonly vz: number;
  readonly length: number;
  /** Length of the path before this piece, and of the whole path. */
  readonly before: number;
  readonly total: number;
}

function segments(from: Vec3, image: Vec3, to: Vec3, wall: number, size: Room['size']): Segment[] {
  const total = distance(image, to);
  if (wall < 0) return [segment(from, to, 0, total)];
  const axis = wall >> 1;
  const plane = wall & 1 ? [size.x, size.y, size.z][axis]! : 0;
  const across = to[axis]! - image[axis]!;
  // Both antennas on the wall: the wave runs along it.
  const share = across === 0 ? 0 : (plane - image[axis]!) / across;
  const bounce: Vec3 = [0, 1, 2].map((i) => image[i]! + share * (to[i]! - image[i]!)) as unknown as Vec3;
  const first = distance(from, bounce);
  // A piece to or from an antenna on the wall has no length, and so no direction.
  return [segment(from, bounce, 0, total), segment(bounce, to, first, total)].filter(
    ({ length }) => length > 0,
  );
}

function segment(from: Vec3, to: Vec3, before: number, total: number): Segment {
  const length = distance(from, to);
  const [ex, ey, ez] = [0, 1, 2].map((i) => (to[i]! - from[i]!) / length) as [number, number, number];
  const level = Math.hypot(ex, ey);
  const ux = level > 1e-6 ? -ey / level : 1;
  const uy = level > 1e-6 ? ex / level : 0;
  return {
    ...{ x: from[0], y: from[1], z: from[2], ex, ey, ez, ux, uy },
    ...{ vx: -ez * uy, vy: ez * ux, vz: ex * uy - ey * ux },
    ...{ length, before, total },
  };
}

/** Unit vectors and distances from a point to an antenna and its images. */
function toward(from: Float64Array, x: number, y: number, z: number, out: Float64Array, at: number): void {
  for (let i = 0; i < POINTS; i++) {
    const dx = from[3 * i]! - x;
    const dy = from[3 * i + 1]! - y;
    const dz = from[3 * i + 2]! - z;
    // The far field ends at 10 cm: below that distance the amplitude no longer grows.
    const d = Math.max(Math.sqrt(dx * dx + dy * dy + dz * dz), 0.1);
    const inverse = 1 / d;
    out[at + 4 * i] = dx * inverse;
    out[at + 4 * i + 1] = dy * inverse;
    out[at + 4 * i + 2] = dz * inverse;
    out[at + 4 * i + 3] = d;
  }
}

const form = (m: Float64Array, x: number, y: number, z: number): number =>
  m[0]! * x * x + m[1]! * y * y + m[2]! * z * z + 2 * (m[3]! * x * y + m[4]! * x * z + m[5]! * y * z);
