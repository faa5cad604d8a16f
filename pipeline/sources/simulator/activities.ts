import type { FallKind } from './fall.js';

/** What a person can do. */
export const ACTIVITIES = [
  'walk',
  'stand',
  'arms',
  'sit_down',
  'sit',
  'get_up',
  'bend',
  'lie_down',
  'lie',
  'fall',
  'turn',
  'away',
] as const;
export type Activity = (typeof ACTIVITIES)[number];
/** Index of `away`: the person is not in the room. */
export const AWAY = ACTIVITIES.indexOf('away');

export const POSTURES = ['upright', 'sitting', 'lying'] as const;

/** One step of a script. */
export interface Step {
  readonly activity: Activity;
  /** How long, where the activity does not say it by itself. */
  readonly seconds?: number;
  /** Floor point to walk to; default a random one after another. */
  readonly to?: readonly [number, number];
  /** Metres a second. */
  readonly speed?: number;
  /** Of `lie_down`: a bed or the floor. */
  readonly on?: 'bed' | 'floor';
  readonly fall?: FallKind;
}
