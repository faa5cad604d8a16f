import type { Activity, Step } from './activities.js';
import { POSE, type BodySize } from './body.js';
import { Footing, type Anchor } from './footing.js';
import { walkPose } from './gait.js';
import { blend, crouching, ease, sitting, standing } from './poses.js';
import type { Random } from '../shared/random.js';
import { clamp, type Size } from '../shared/room.js';
import { Timeline, type Piece } from './timeline.js';
import { alongPath, pathSeconds, walkPath } from './walk.js';

/** A pose, and the time at which it is reached, in seconds after the start of its piece. */
export type Key = readonly [number, Float64Array];

/** 0 upright, 1 sitting, 2 lying. */
export type Posture = 0 | 1 | 2;

/** The elements of activities: a person at a place in a room, and a plan that grows piece by piece. */
export class Actor {
  readonly body: BodySize;
  readonly size: Size;
  /** Floor point on a wall. */
  readonly door: readonly [number, number];
  readonly random: Random;
  readonly footing: Footing;
  readonly timeline: Timeline;
  /** Pose at the end of the plan: the timeline's own. */
  readonly last: Float64Array;
  /** State at the end of the plan. */
  posture: Posture = 0;

  constructor(
    body: BodySize,
    size: Size,
    door: readonly [number, number],
    random: Random,
    home: Float64Array,
    breathing?: number,
  ) {
    this.body = body;
    this.size = size;
    this.door = door;
    this.random = random;
    this.footing = new Footing(body, size);
    this.timeline = new Timeline(home, random, breathing);
    this.last = this.timeline.last;
  }

  get heading(): number {
    return this.last[POSE.heading]!;
  }

  /** True if the person lies on a piece of furniture rather than the floor. */
  get raised(): boolean {
    return this.posture === 2 && this.last[POSE.support]! > 0.2;
  }

  add(activity: Activity, seconds: number, fade: boolean, at: Piece['at']): void {
    this.timeline.add({ activity, seconds, fade, at });
  }

  /** Holds a pose at the current place. */
  hold(activity: Activity, target: Float64Array, seconds: number): void {
    const pose = target.slice();
    pose.set(this.last.subarray(0, 3));
    this.add(activity, seconds, true, (_, out) => {
      out.set(pose);
    });
  }

  /**
   * Moves through poses, each reached at its time with a minimum-jerk course. Either the feet stay in place
   * (`anchor` 'feet') or the pelvis does.
   */
  through(activity: Activity, keys: readonly Key[], anchor: Anchor): void {
    const first = this.last.slice();
    const course = [[0, first] as const, ...keys];
    const feet = this.footing.feetOf(first);
    this.add(activity, keys.at(-1)![0], false, (time, out) => {
      let key = 1;
      while (key + 1 < course.length && time > course[key]![0]) key++;
      const [from, before] = course[key - 1]!;
      const [to, after] = course[key]!;
      out.set(after);
      blend(before, out, 1 - ease(clamp((time - from) / (to - from), 0, 1)));
      out.set(first.subarray(0, 3));
      if (anchor === 'feet') this.footing.plant(out, feet.x, feet.y);
    });
  }

  walk(step: Step): void {
    const random = this.random;
    const preferred = step.speed ?? random.uniform(0.5, 1.5);
    const path = walkPath(this.last, this.size, this.body, random, preferred, step);
    const arms = standing(random);
    this.posture = 0;
    this.add('walk', pathSeconds(path), true, (time, out) => {
      out.set(arms);
      const { phase, speed } = alongPath(path, time, out);
      walkPose(this.body, phase, speed, out);
    });
  }

  turnTo(heading: number): void {
    const from = this.last.slice();
    const by = heading - this.heading;
    if (this.timeline.activity === null) {
      this.last[POSE.heading] = heading;
      return;
    }
    const seconds = 0.4 + Math.abs(by) / 2;
    this.add('turn', seconds, false, (time, out) => {
      out.set(from);
      const u = ease(time / seconds);
      out[POSE.heading] = from[POSE.heading]! + by * u;
      // Small steps on the spot, fading in and out.
      const step = Math.sin(Math.PI * u) * Math.sin(2 * Math.PI * 1.4 * time);
      out[POSE.kneeLeft]! += 0.5 * Math.max(0, step);
      out[POSE.hipLeft]! += 0.25 * Math.max(0, step);
      out[POSE.kneeRight]! += 0.5 * Math.max(0, -step);
      out[POSE.hipRight]! += 0.25 * Math.max(0, -step);
    });
  }

  /**
   * Searches for a heading at which the poses `targets`, with feet or pelvis in place, all fit inside the
   * room, and turns there. If there is none, walks to the middle of the room first.
   */
  moveClear(targets: readonly Float64Array[], anchor: Anchor): void {
    const random = this.random;
    const pose = this.last.slice();
    const fits = (heading: number): boolean => {
      pose.set(this.last);
      pose[POSE.heading] = heading;
      return targets.every((target) => this.footing.inside(pose, target, anchor));
    };
    for (let round = 0; round < 3; round++) {
      if (fits(this.heading)) return;
      const start = random.uniform(-0.3, 0.3);
      for (let i = 1; i <= 16; i++) {
        const heading = this.heading + start + (i & 1 ? 1 : -1) * ((i + 1) >> 1) * (Math.PI / 8);
        if (fits(heading)) {
          this.turnTo(heading);
          return;
        }
      }
      this.#goToMiddle();
    }
  }

  #goToMiddle(): void {
    const to = [this.size.x / 2, this.size.y / 2] as const;
    if (this.timeline.activity === null) this.last.set(to);
    else {
      if (this.posture !== 0) this.getUp();
      this.walk({ activity: 'walk', to, speed: 0.9 });
    }
  }

  /** Gets up from sitting or lying: from the floor through a crouch, from a bed by sitting on its edge. */
  getUp(): void {
    const random = this.random;
    const lying = this.posture === 2;
    if (lying) {
      const crouch = crouching(random);
      const seconds = random.uniform(1.6, 3);
      // On a bed the pelvis stays in place; the feet move to the floor.
      this.through('get_up', [[seconds, this.raised ? sitting(random) : crouch]], 'pelvis');
    }
    const seconds = random.uniform(1.1, 2) + (lying ? 0.6 : 0);
    const target = standing(random);
    const lean = target.slice();
    blend(this.last, lean, 0.5);
    lean[POSE.spine]! += random.uniform(0.3, 0.5);
    const keys: Key[] = [
      [0.5 * seconds, lean],
      [seconds, target],
    ];
    this.posture = 0;
    this.through('get_up', keys, 'feet');
  }
}
