import { Body, POSE, type BodySize } from './body.js';
import { clearOfWalls, type Size } from '../shared/room.js';

/** The part of the body that stays in place while a person moves from one pose to another. */
export type Anchor = 'feet' | 'pelvis';

/** Distance of resting joints from walls, metres. */
const CLEARANCE = 0.12;

/** Finds where a person's feet stand, and whether a pose is clear of the walls. */
export class Footing {
  readonly #size: Size;
  readonly #probe: Body;
  readonly #feet = new Float64Array(2);

  constructor(body: BodySize, size: Size) {
    this.#size = size;
    this.#probe = new Body(body);
  }

  /** Floor point between the feet. */
  feetOf(pose: Float64Array): { readonly x: number; readonly y: number } {
    this.#probe.feet(pose, this.#feet);
    const cos = Math.cos(pose[POSE.heading]!);
    const sin = Math.sin(pose[POSE.heading]!);
    return {
      x: pose[POSE.x]! + cos * this.#feet[0]! - sin * this.#feet[1]!,
      y: pose[POSE.y]! + sin * this.#feet[0]! + cos * this.#feet[1]!,
    };
  }

  /** Moves the pelvis so that the feet are at a floor point. */
  plant(pose: Float64Array, x: number, y: number): void {
    const feet = this.feetOf(pose);
    pose[POSE.x]! += x - feet.x;
    pose[POSE.y]! += y - feet.y;
  }

  /**
   * True if a person moving from pose `from` to `target`, with feet or pelvis in place, stays clear of the
   * walls.
   */
  inside(from: Float64Array, target: Float64Array, anchor: Anchor): boolean {
    const pose = target.slice();
    pose.set(from.subarray(0, 3));
    if (anchor === 'feet') {
      const feet = this.feetOf(from);
      this.plant(pose, feet.x, feet.y);
    }
    return this.clear(pose, CLEARANCE);
  }

  /** True if all joints of a pose are at least this far from the walls. */
  clear(pose: Float64Array, clearance: number): boolean {
    this.#probe.pose(pose);
    return clearOfWalls(this.#probe.keypoints, this.#size, clearance);
  }
}
