import type { Random } from './random.js';

/** A box with its corner on the floor at the origin, metres. */
export interface Size {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export type Vec3 = readonly [number, number, number];

/** A piece of furniture as one point scatterer. */
export interface Furniture {
  readonly position: Vec3;
  /** Radar cross-section, square metres. */
  readonly crossSection: number;
}

/** A box of furniture that blocks paths. */
export interface Obstacle {
  /** Two opposite corners, metres. */
  readonly from: Vec3;
  readonly to: Vec3;
  /** Share of a wave's amplitude that it blocks: 1 for metal, about 0.5 for thin wood. */
  readonly opacity: number;
}

/** One transmitter and one receiver; additional receive antennas form a row. */
export interface SceneLink {
  readonly transmitter: Vec3;
  /** Positions of the receive antennas, one or more. */
  readonly antennas: readonly Vec3[];
}

export interface Room {
  readonly size: Size;
  /** Reflection coefficients of the walls x=0, x=X, y=0, y=Y, floor, ceiling; real and negative. */
  readonly reflection: readonly number[];
  readonly furniture: readonly Furniture[];
  /** Furniture that blocks; none by default. */
  readonly obstacles?: readonly Obstacle[];
  readonly diffuse: Diffuse;
  /** Amplitude of what bodies and things reflect, as a multiple of what their geometry gives; 1 by default. */
  readonly echo?: number;
}

/** Contribution of rough walls and small objects to the static channel of each link: many weak paths. */
export interface Diffuse {
  readonly paths: number;
  /** Their total power relative to the line of sight, decibels. */
  readonly powerDb: number;
  /**
   * Mean length beyond the line of sight, metres; lengths follow an exponential distribution (Saleh and
   * Valenzuela 1987).
   */
  readonly excess: number;
}

export const NO_DIFFUSE: Diffuse = { paths: 0, powerDb: -Infinity, excess: 1 };

/** One diffuse path of a link. */
export interface DiffusePath {
  /** Metres. */
  readonly length: number;
  /** Amplitude relative to the line of sight, and phase, radians. */
  readonly gain: number;
  readonly phase: number;
}

/** Paths of one link with a line of sight of `direct` metres. */
export function diffusePaths(
  random: Random,
  { paths, powerDb, excess }: Diffuse,
  direct: number,
): DiffusePath[] {
  const drawn = Array.from({ length: paths }, (): DiffusePath => {
    const beyond = -excess * Math.log(1 - random.next());
    const level = Math.exp(-beyond / (2 * excess)) * Math.hypot(random.normal(), random.normal());
    return { length: direct + beyond, gain: level, phase: random.uniform(0, 2 * Math.PI) };
  });
  const power = drawn.reduce((sum, { gain }) => sum + gain * gain, 0);
  const scale = power > 0 ? 10 ** (powerDb / 20) / Math.sqrt(power) : 0;
  return drawn.map((path) => ({ ...path, gain: scale * path.gain }));
}

/** A room of random size: 3-7 x 3-6 x 2.4-3 m. */
export const randomSize = (random: Random): Size => ({
  x: random.uniform(3, 7),
  y: random.uniform(3, 6),
  z: random.uniform(2.4, 3),
});

/**
 * Random walls and furniture for a room of the given size. Reflection is -0.25 (plasterboard) to -0.95
 * (steel), usually below -0.7.
 */
export function randomRoom(random: Random, size: Size, pieces = 8): Room {
  const metal = random.chance(0.25);
  return {
    size,
    reflection: Array.from({ length: 6 }, () =>
      metal && random.chance(0.5) ? -random.uniform(0.65, 0.95) : -random.uniform(0.25, 0.7),
    ),
    furniture: Array.from({ length: pieces }, () => randomFurniture(random, size)),
    diffuse: randomDiffuse(random),
  };
}

const randomDiffuse = (random: Random): Diffuse =>
  random.chance(0.25)
    ? NO_DIFFUSE
    : {
        paths: 10 + random.below(41),
        powerDb: random.uniform(-18, 0),
        excess: random.uniform(3, 12),
      };

/** The same room after one piece of furniture was moved by about `distance` metres. */
export function moveFurniture(random: Random, room: Room, distance = 0.5): Room {
  if (room.furniture.length === 0) return room;
  const moved = random.below(room.furniture.length);
  const angle = random.uniform(0, 2 * Math.PI);
  const furniture = room.furniture.map((piece, index): Furniture => {
    if (index !== moved) return piece;
    const [x, y, z] = piece.position;
    return {
      ...piece,
      position: [
        clamp(x + distance * Math.cos(angle), 0.1, room.size.x - 0.1),
        clamp(y + distance * Math.sin(angle), 0.1, room.size.y - 0.1),
        z,
      ],
    };
  });
  return { ...room, furniture };
}

/**
 * `nodes` positions spread around the walls at 0.5 to 2 m height, then `count` links between pairs more than
 * 1.8 m apart. The first links share as few nodes as possible. The direction of each link is random.
 */
export function randomLinks(random: Random, size: Size, count: number, antennas = 1, nodes = 6): SceneLink[] {
  const turn = random.next();
  const positions = Array.from({ length: nodes }, (_, index): Vec3 => {
    const share = ((index + random.uniform(-0.35, 0.35)) / nodes + turn + 1) % 1;
    const [x, y] = alongWalls(share, size);
    return [x, y, random.uniform(0.5, 2)];
  });
  const pairs: [number, number][] = [];
  for (let i = 0; i < nodes; i++) {
    for (let j = i + 1; j < nodes; j++) {
      if (distance(positions[i]!, positions[j]!) > 1.8) pairs.push([i, j]);
    }
  }
  const uses = new Int32Array(nodes);
  const links: SceneLink[] = [];
  while (links.length < count && pairs.length > 0) {
    const shared = pairs.map(([i, j]) => uses[i]! + uses[j]! + 0.5 * random.next());
    const best = shared.indexOf(Math.min(...shared));
    const [i, j] = pairs.splice(best, 1)[0]!;
    uses[i]!++;
    uses[j]!++;
    const [from, to] = random.chance(0.5) ? [i, j] : [j, i];
    links.push(link(positions[from]!, positions[to]!, antennas, random.uniform(0, 2 * Math.PI)));
  }
  if (links.length < count) throw new RangeError(`${nodes} nodes give ${links.length} links, not ${count}`);
  return links;
}

/**
 * A link whose receive antennas form a row half a wavelength (6.1 cm) apart, centred on the receiver's
 * position.
 */
export const link = (transmitter: Vec3, receiver: Vec3, antennas = 1, axis = 0): SceneLink => ({
  transmitter,
  antennas: Array.from({ length: antennas }, (_, index): Vec3 => {
    const shift = (index - (antennas - 1) / 2) * 0.0615;
    return [receiver[0] + shift * Math.cos(axis), receiver[1] + shift * Math.sin(axis), receiver[2]];
  }),
});

export const distance = (a: Vec3, b: Vec3): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

export const clamp = (value: number, low: number, high: number): number =>
  value < low ? low : value > high ? high : value;

/**
 * Mirror image of a point in wall 0 to 5 (x=0, x=X, y=0, y=Y, floor, ceiling). The straight path from the
 * image to a receiver is as long as the path reflected by that wall.
 */
export function mirror(point: Vec3, wall: number, size: Size): Vec3 {
  const axis = wall >> 1;
  const extent = [size.x, size.y, size.z][axis]!;
  const image: [number, number, number] = [...point];
  image[axis] = (wall & 1 ? 2 * extent : 0) - image[axis]!;
  return image;
}

/**
 * The 18 pairs of walls that create second-order images: mirrored in the first, then in the second. A pair of
 * perpendicular walls counts once (both orders give the same image); for opposite walls both orders count.
 */
export const SECOND_ORDER: readonly (readonly [number, number])[] = (() => {
  const pairs: [number, number][] = [];
  for (let first = 0; first < 6; first++) {
    for (let second = 0; second < 6; second++) {
      const opposite = first >> 1 === second >> 1;
      if (first !== second && (opposite || first < second)) pairs.push([first, second]);
    }
  }
  return pairs;
})();

/** A point 3 cm inside the walls at the fraction `share` (0 to 1) of their circumference. */
function alongWalls(share: number, size: Size): [number, number] {
  const inset = 0.03;
  const x = size.x - 2 * inset;
  const y = size.y - 2 * inset;
  const s = share * 2 * (x + y);
  if (s < x) return [inset + s, inset];
  if (s < x + y) return [inset + x, inset + s - x];
  if (s < 2 * x + y) return [inset + x - (s - x - y), inset + y];
  return [inset, inset + y - (s - 2 * x - y)];
}

const randomFurniture = (random: Random, size: Size): Furniture => ({
  position: [
    random.uniform(0.2, size.x - 0.2),
    random.uniform(0.2, size.y - 0.2),
    random.uniform(0.1, Math.min(1.8, size.z)),
  ],
  crossSection: 0.05 * 10 ** random.uniform(0, 1),
});

/** True if points [n, (x, y, z)] are at least `clearance` metres from the four walls. */
export const clearOfWalls = (points: Float64Array, { x, y }: Size, clearance: number): boolean =>
  points.every((value, index) => {
    const extent = index % 3 === 0 ? x : y;
    return index % 3 === 2 || (value > clearance && value < extent - clearance);
  });
