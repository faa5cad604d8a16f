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
  /** How long, where the activity does not say it by itself. */
  readonly seconds?: number;
  /** Floor point to walk to; default a random one after another. Of `away`: the door, default the room's. */
  readonly to?: readonly [number, number];
  /** Metres a second. */
  readonly speed?: number;
  /** Of sitting (a chair or sofa) and lying (a bed, sofa or the floor). */
  readonly on?: 'chair' | 'sofa' | 'bed' | 'floor';
  /** Of sitting and lying down: drops onto it. */
  readonly fast?: boolean;
  readonly fall?: FallKind;
}
