import type { Random } from './shared/random.js';
import type { Reflector } from './shared/reflector.js';
import type { Size, Vec3 } from './shared/room.js';

/**
 * A moving object in a room, other than a person: a fan, a pet, a curtain, an object that falls from a shelf.
 */
export const THINGS = ['fan', 'pet', 'curtain', 'falling_object'] as const;
export type ThingKind = (typeof THINGS)[number];

export interface Thing {
  readonly kind: ThingKind;
  readonly reflector: Reflector;
  /**
   * Moves the reflector to its pose at `time` seconds; returns whether it moves. A pose depends only on time.
   */
  at(time: number): boolean;
}

export interface ThingOptions {
  /** Metres; random by default. */
  readonly position?: Vec3 | undefined;
  /** Turns of a fan per minute; random by default. */
  readonly rpm?: number | undefined;
}

export const somewhere = (random: Random, { x, y }: Size, z: number): Vec3 => [
  random.uniform(0.4, x - 0.4),
  random.uniform(0.4, y - 0.4),
  z,
];
