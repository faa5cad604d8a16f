import type { Activity, Step } from './activities.js';
import { POSE, type BodySize } from './body.js';
import { FALLS, fallCourse, type FallKind } from './fall.js';
import { Footing, type Anchor } from './footing.js';
import { walkPose } from './gait.js';
import { bent, blend, ease, fallen, homePose, lying, reaching, sitting, standing } from './poses.js';
import type { Random } from './random.js';
import { clamp, type Size } from './room.js';
import { Timeline, type Piece } from './timeline.js';
import { PATH_STEP, walkPath, wrap } from './walk.js';

/**
 * A person's motion: pieces put one behind the other. Each piece starts from the pose that the one before
 * it ended in, and the feet stay in place unless the person walks. Pure: a pose depends on the time alone.
 */
export class Motion {
  readonly body: BodySize;
  readonly #size: Size;
  readonly #random: Random;
  readonly #home: Float64Array;
  readonly #footing: Footing;
  readonly #timeline: Timeline;
  /** Pose at the end of all that is planned: the timeline's own. */
  readonly #last: Float64Array;
  /** 0 upright, 1 sitting, 2 lying: state at the end of all that is planned. */
  #posture: 0 | 1 | 2 = 0;

  /** Begins in the pose `home`, see {@link homePose}; default a random one. Breathes at `breathing` hertz; default by chance. */
  constructor(
    body: BodySize,
    size: Size,
    random: Random,
    home: Float64Array = homePose(random, size),
    breathing?: number,
  ) {
    this.body = body;
    this.#size = size;
    this.#random = random;
    this.#home = home;
    this.#footing = new Footing(body, size);
    this.#timeline = new Timeline(home, random, breathing);
    this.#last = this.#timeline.last;
  }

  /** Seconds that are planned. */
  get duration(): number {
    return this.#timeline.duration;
  }

  /** Plans a step, and first what it needs: nobody walks before having got up. */
  perform(step: Step): this {
    const { activity } = step;
    const random = this.#random;
    const upright =
      activity !== 'sit' && activity !== 'lie' && activity !== 'lie_down' && activity !== 'get_up';
    if (upright && this.#posture !== 0) this.#getUp();
    switch (activity) {
      case 'walk':
        return this.#walk(step);
      case 'stand':
        return this.#hold('stand', standing(random), step.seconds ?? random.uniform(2, 5));
      case 'arms':
        return this.#arms(step.seconds ?? random.uniform(2, 6));
      case 'turn':
        return this.#turnTo(this.#heading + random.sign() * random.uniform(0.5, 2.5));
      case 'sit_down':
        return this.#sitDown();
      case 'sit':
        if (this.#posture !== 1) this.#sitDown();
        return this.#hold('sit', this.#last, step.seconds ?? random.uniform(3, 8));
      case 'get_up':
        return this.#posture === 0 ? this : this.#getUp();
      case 'bend':
        return this.#bend();
      case 'lie_down':
        return this.#lieDown(step.on ?? 'bed');
      case 'lie':
        if (this.#posture !== 2) this.#lieDown(step.on ?? 'bed');
        return this.#hold('lie', this.#last, step.seconds ?? random.uniform(4, 10));
      case 'away':
        return this.#hold('away', standing(random), step.seconds ?? random.uniform(5, 10));
      case 'fall':
        return this.#fall(step.fall ?? FALLS[random.below(FALLS.length)]!);
    }
  }

  /** Starts the plan in a posture, without having got there: `sit` and `lie` for a scene that begins so. */
  begin(activity: 'sit' | 'lie'): this {
    if (this.#timeline.activity !== null) throw new Error('begin() comes before the first step');
    if (activity === 'sit') this.#sitDown();
    else this.#lieDown(this.#random.chance(0.75) ? 'bed' : 'floor');
    this.#timeline.forget();
    return this;
  }

  /** Plans the way back to the pose that all began in, so that a script can be repeated. */
  goHome(): this {
    const home = this.#home;
    if (this.#posture !== 0) this.#getUp();
    const x = home[POSE.x]!;
    const y = home[POSE.y]!;
    this.#walk({ activity: 'walk', to: [x, y], speed: 0.9 });
    this.#turnTo(this.#heading + wrap(home[POSE.heading]! - this.#heading));
    const from = this.#last.slice();
    return this.#add('stand', 1, true, (time, out) => {
      out.set(home);
      // The walk ends within a hand's breadth of home.
      const left = 1 - ease(time);
      out[POSE.x]! += left * (from[POSE.x]! - x);
      out[POSE.y]! += left * (from[POSE.y]! - y);
    });
  }

  /** Pose at `time` seconds (the last one after the end), written to `pose`. Returns the index in ACTIVITIES. */
  at(time: number, pose: Float64Array): number {
    return this.#timeline.at(time, pose, (['stand', 'sit', 'lie'] as const)[this.#posture]);
  }

  get #heading(): number {
    return this.#last[POSE.heading]!;
  }

  #add(activity: Activity, seconds: number, fade: boolean, at: Piece['at']): this {
    this.#timeline.add({ activity, seconds, fade, at });
    return this;
  }

  #hold(activity: Activity, target: Float64Array, seconds: number): this {
    const pose = target.slice();
    pose.set(this.#last.subarray(0, 3));
    return this.#add(activity, seconds, true, (_, out) => {
      out.set(pose);
    });
  }

  /**
   * Goes through poses, each reached at its time with a minimum-jerk course. The feet stay where they are
   * (`anchor` 'feet') or the pelvis does.
   */
  #through(activity: Activity, keys: readonly (readonly [number, Float64Array])[], anchor: Anchor): this {
    const first = this.#last.slice();
    const course = [[0, first] as const, ...keys];
    const feet = this.#footing.feetOf(first);
    return this.#add(activity, keys.at(-1)![0], false, (time, out) => {
      let key = 1;
      while (key + 1 < course.length && time > course[key]![0]) key++;
      const [from, before] = course[key - 1]!;
      const [to, after] = course[key]!;
      const x = first[POSE.x]!;
      const y = first[POSE.y]!;
      const heading = first[POSE.heading]!;
      out.set(after);
      blend(before, out, 1 - ease(clamp((time - from) / (to - from), 0, 1)));
      out[POSE.x] = x;
      out[POSE.y] = y;
      out[POSE.heading] = heading;
      if (anchor === 'feet') this.#footing.plant(out, feet.x, feet.y);
    });
  }

  #walk(step: Step): this {
    const random = this.#random;
    const preferred = step.speed ?? random.uniform(0.5, 1.5);
    const path = walkPath(this.#last, this.#size, this.body, random, preferred, step);
    const { count, x, y, heading, phase, speed } = path;
    const arms = standing(random);
    this.#posture = 0;
    return this.#add('walk', (count - 1) * PATH_STEP, true, (time, out) => {
      const place = Math.min(time / PATH_STEP, count - 1.0001);
      const i = place | 0;
      const u = place - i;
      const between = (column: Float64Array) => column[i]! + u * (column[i + 1]! - column[i]!);
      out.set(arms);
      out[POSE.x] = between(x);
      out[POSE.y] = between(y);
      out[POSE.heading] = between(heading);
      walkPose(this.body, between(phase), between(speed), out);
    });
  }

  #arms(seconds: number): this {
    const random = this.#random;
    const rest = standing(random);
    rest.set(this.#last.subarray(0, 3));
    const both = random.chance(0.5);
    const sides = both ? [0, 1] : [random.below(2)];
    const course = sides.map((side) => ({
      side,
      turn: 2 * Math.PI * random.uniform(0.4, 1.2),
      start: random.uniform(0, 2 * Math.PI),
      middle: random.uniform(0.6, 1.5),
      reach: random.uniform(0.35, 0.75),
      wide: random.uniform(0, 0.6),
      elbow: random.uniform(0.1, 1.3),
      bend: random.uniform(0, 0.5),
    }));
    this.#makeRoom(reaching(rest), 'feet');
    rest.set(this.#last.subarray(0, 3));
    return this.#add('arms', seconds, true, (time, out) => {
      out.set(rest);
      for (const arm of course) {
        const phase = arm.turn * time + arm.start;
        out[POSE.shoulderLeft + arm.side] = arm.middle + arm.reach * Math.sin(phase);
        out[POSE.armLeft + arm.side] = arm.wide * (1 + 0.5 * Math.cos(phase));
        out[POSE.elbowLeft + arm.side] = arm.elbow + arm.bend * Math.sin(phase + 1);
      }
    });
  }

  #turnTo(heading: number): this {
    const from = this.#last.slice();
    const by = heading - this.#heading;
    if (this.#timeline.activity === null) {
      this.#last[POSE.heading] = heading;
      return this;
    }
    const seconds = 0.4 + Math.abs(by) / 2;
    return this.#add('turn', seconds, false, (time, out) => {
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
   * Looks for a heading in which a person in each of the poses `targets`, its feet or pelvis where they are
   * now, is inside the room; turns there, or walks to the middle first where there is none.
   */
  #makeRoom(targets: readonly Float64Array[], anchor: Anchor): void {
    const random = this.#random;
    const place = this.#last.slice();
    const fits = (heading: number): boolean => {
      place.set(this.#last);
      place[POSE.heading] = heading;
      return targets.every((target) => this.#footing.inside(place, target, anchor));
    };
    for (let round = 0; round < 3; round++) {
      if (fits(this.#heading)) return;
      const start = random.uniform(-0.3, 0.3);
      for (let i = 1; i <= 16; i++) {
        const heading = this.#heading + start + (i & 1 ? 1 : -1) * ((i + 1) >> 1) * (Math.PI / 8);
        if (fits(heading)) {
          this.#turnTo(heading);
          return;
        }
      }
      this.#goToMiddle();
    }
  }

  #goToMiddle(): void {
    const to = [this.#size.x / 2, this.#size.y / 2] as const;
    if (this.#timeline.activity === null) this.#last.set(to);
    else {
      if (this.#posture !== 0) this.#getUp();
      this.#walk({ activity: 'walk', to, speed: 0.9 });
    }
  }

  #sitDown(): this {
    if (this.#posture === 2) this.#getUp();
    const random = this.#random;
    const target = sitting(random);
    this.#makeRoom([target], 'feet');
    const seconds = random.uniform(1.2, 2.2);
    const lean = target.slice();
    blend(this.#last, lean, 0.5);
    lean[POSE.spine]! += random.uniform(0.25, 0.5);
    this.#posture = 1;
    return this.#through(
      'sit_down',
      [
        [0.55 * seconds, lean],
        [seconds, target],
      ],
      'feet',
    );
  }

  #getUp(): this {
    const random = this.#random;
    const keys: [number, Float64Array][] = [];
    let start = 0;
    const lying = this.#posture === 2;
    if (lying) {
      const crouch = sitting(random);
      crouch[POSE.hipLeft] = crouch[POSE.hipRight] = 1.9;
      crouch[POSE.kneeLeft] = crouch[POSE.kneeRight] = 2.1;
      crouch[POSE.spine] = 0.35;
      start = random.uniform(1.6, 3);
      // Off a bed the pelvis stays; feet move to the floor.
      const onBed = this.#last[POSE.support]! > 0.2;
      this.#posture = onBed ? 1 : 0;
      const target = onBed ? sitting(random) : crouch;
      this.#through('get_up', [[start, target]], 'pelvis');
      start = 0;
    }
    const seconds = random.uniform(1.1, 2) + (lying ? 0.6 : 0);
    const target = standing(random);
    const lean = target.slice();
    blend(this.#last, lean, 0.5);
    lean[POSE.spine]! += random.uniform(0.3, 0.5);
    keys.push([start + 0.5 * seconds, lean], [start + seconds, target]);
    this.#posture = 0;
    return this.#through('get_up', keys, 'feet');
  }

  #bend(): this {
    const random = this.#random;
    const target = bent(random);
    this.#makeRoom([target], 'feet');
    const down = random.uniform(0.8, 1.4);
    const stay = random.uniform(0.1, 0.8);
    const up = random.uniform(0.8, 1.4);
    const keys: [number, Float64Array][] = [
      [down, target],
      [down + stay, target],
      [down + stay + up, standing(random)],
    ];
    return this.#through('bend', keys, 'feet');
  }

  #lieDown(on: 'bed' | 'floor'): this {
    const random = this.#random;
    if (this.#posture === 2) return this;
    const target = lying(random, on === 'bed' ? random.uniform(0.4, 0.55) : 0);
    if (this.#posture === 0) {
      this.#makeRoom([target], 'pelvis');
      this.#sitDown();
    }
    // Sitting down moved the pelvis: a seated person turns until there is room to lie.
    this.#makeRoom([target], 'pelvis');
    this.#posture = 2;
    return this.#through('lie_down', [[random.uniform(1.6, 3), target]], 'pelvis');
  }

  #fall(kind: FallKind): this {
    const random = this.#random;
    const moving = this.#timeline.activity === 'walk' ? this.#timeline.endSpeed() : 0;
    const end = fallen(random, kind);
    const heading = this.#heading;
    const drift = moving * 0.25;
    const ahead = this.#last.slice();
    ahead[POSE.x]! += drift * Math.cos(heading);
    ahead[POSE.y]! += drift * Math.sin(heading);
    const targets = [end, ...reaching(this.#last)];
    this.#makeRoom(targets, 'feet');
    const first = this.#last.slice();
    const course = fallCourse(random, kind, this.body.height);
    const feet = this.#footing.feetOf(first);
    const facing = first[POSE.heading]!;
    // Having turned for room, or near a wall, a person falls from standing.
    const run =
      facing === heading && targets.every((target) => this.#footing.inside(ahead, target, 'feet'))
        ? moving
        : 0;
    this.#posture = 2;
    return this.#add('fall', course.duration, false, (time, out) => {
      course.at(time, first, end, out);
      const slide = 0.25 * run * (1 - Math.exp(-time / 0.25));
      out[POSE.heading] = facing;
      out[POSE.x] = first[POSE.x]!;
      out[POSE.y] = first[POSE.y]!;
      this.#footing.plant(out, feet.x + slide * Math.cos(facing), feet.y + slide * Math.sin(facing));
    });
  }
}
