import type { Random } from './random.js';
import type { Reflector } from './reflector.js';
import type { Size, Vec3 } from './room.js';

/** What moves in a room and is nobody: a fan, a pet, a curtain, something that falls from a shelf. */
export const THINGS = ['fan', 'pet', 'curtain', 'falling_object'] as const;
export type ThingKind = (typeof THINGS)[number];

export interface Thing {
  readonly kind: ThingKind;
  readonly reflector: Reflector;
  /** Puts the reflector where it is at `time` seconds; returns whether it moves. A pose depends on the time alone. */
  at(time: number): boolean;
}

export interface ThingOptions {
  /** Metres; default by chance. */
  readonly position?: Vec3 | undefined;
  /** Turns of a fan a minute; default by chance. */
  readonly rpm?: number | undefined;
}

export const somewhere = (random: Random, { x, y }: Size, z: number): Vec3 => [
  random.uniform(0.4, x - 0.4),
  random.uniform(0.4, y - 0.4),
  z,
];
