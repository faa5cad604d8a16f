import type { FallKind } from './fall.js';

/** Activities that a person can perform. */
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
  'pick_up',
  'jump',
  'kneel',
  'crawl',
  'exercise',
] as const;
export type Activity = (typeof ACTIVITIES)[number];
/** Index of `away`: the person is not in the room. */
export const AWAY = ACTIVITIES.indexOf('away');

export const POSTURES = ['upright', 'sitting', 'lying'] as const;

/** One step of a script. */
export interface Step {
  readonly activity: Activity;
  /** Duration, for activities that do not set it themselves. */
  readonly seconds?: number;
  /**
   * Floor point to walk to; default: one random point after another. For `away`: the door, by default the
   * room's.
   */
  readonly to?: readonly [number, number];
  /** Metres per second. */
  readonly speed?: number;
  /** For sitting (a chair or sofa) and lying (a bed, sofa or the floor). */
  readonly on?: 'chair' | 'sofa' | 'bed' | 'floor';
  /** For sitting and lying down: the person drops onto it. */
  readonly fast?: boolean;
  readonly fall?: FallKind;
}
