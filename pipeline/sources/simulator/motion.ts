import { Body, POSE, POSE_SIZE, type BodySize } from './body.js';
import { FALLS, fallCourse, type FallKind } from './fall.js';
import { cadence, walkPose } from './gait.js';
import type { Random } from './random.js';
import { clamp, type Size } from './room.js';

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

interface Segment {
  readonly start: number;
  readonly end: number;
  readonly activity: Activity;
  /** Pose `time` seconds after the start. */
  readonly at: (time: number, pose: Float64Array) => void;
  /** Pose at the end of the segment before, to be faded out of; null where `at` starts from it. */
  readonly fade: Float64Array | null;
}

/** Seconds over which a segment takes over from the pose before it. */
const FADE = 0.5;
/** Walkers keep their pelvis this far from walls, metres. */
const MARGIN = 0.5;
/** Joints at rest keep this far from walls, metres. */
const CLEARANCE = 0.12;
const TABLE_STEP = 0.02;

/**
 * A person's motion: pieces put one behind the other. Each piece starts from the pose that the one before
 * it ended in, and the feet stay in place unless the person walks. Pure: a pose depends on the time alone.
 */
export class Motion {
  readonly body: BodySize;
  readonly #size: Size;
  readonly #random: Random;
  readonly #segments: Segment[] = [];
  readonly #probe: Body;
  readonly #feet = new Float64Array(2);
  readonly #home: Float64Array;
  /** Pose at the end of all that is planned. */
  readonly #last: Float64Array;
  #end = 0;
  #found = 0;
  readonly #idle: readonly number[];
  /** 0 upright, 1 sitting, 2 lying: state at the end of all that is planned. */
  #posture: 0 | 1 | 2 = 0;

  /** Begins in the pose `home`, see {@link homePose}; default a random one. */
  constructor(body: BodySize, size: Size, random: Random, home: Float64Array = homePose(random, size)) {
    this.body = body;
    this.#size = size;
    this.#random = random;
    this.#probe = new Body(body);
    this.#home = home;
    this.#last = home.slice();
    // Breathing at 0.2 to 0.3 Hz, sway at two slow frequencies; each with its phase.
    this.#idle = [random.uniform(0.2, 0.3), random.uniform(0.1, 0.25), random.uniform(0.25, 0.5)].flatMap(
      (frequency) => [2 * Math.PI * frequency, random.uniform(0, 2 * Math.PI)],
    );
  }

  /** Seconds that are planned. */
  get duration(): number {
    return this.#end;
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
    if (this.#segments.length > 0) throw new Error('begin() comes before the first step');
    if (activity === 'sit') this.#sitDown();
    else this.#lieDown(this.#random.chance(0.75) ? 'bed' : 'floor');
    this.#segments.length = 0;
    this.#end = 0;
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
    const segments = this.#segments;
    let activity: Activity = (['stand', 'sit', 'lie'] as const)[this.#posture];
    if (segments.length === 0) {
      pose.set(this.#last);
    } else {
      if (time < segments[this.#found]!.start) this.#found = 0;
      while (this.#found + 1 < segments.length && time >= segments[this.#found]!.end) this.#found++;
      const segment = segments[this.#found]!;
      const local = clamp(time - segment.start, 0, segment.end - segment.start);
      segment.at(local, pose);
      if (segment.fade && local < FADE) blend(segment.fade, pose, 1 - ease(local / FADE));
      if (time < segment.end) activity = segment.activity;
    }
    this.#breathe(time, pose);
    return ACTIVITIES.indexOf(activity);
  }

  get #heading(): number {
    return this.#last[POSE.heading]!;
  }

  /** Nobody is ever quite still: sway of standing people, breathing of all. */
  #breathe(time: number, pose: Float64Array): void {
    const idle = this.#idle;
    const upright = Math.max(0, Math.cos(pose[POSE.pitch]!) * Math.cos(pose[POSE.roll]!));
    const loose = upright * Math.max(0, Math.cos(pose[POSE.hipLeft]!) - 0.3);
    pose[POSE.breath] = 0.004 * Math.sin(idle[0]! * time + idle[1]!);
    pose[POSE.spine]! += 0.002 * Math.sin(idle[4]! * time + idle[1]!);
    pose[POSE.neck]! += 0.006 * Math.sin(idle[2]! * time + idle[5]!);
    pose[POSE.pitch]! += loose * 0.0025 * Math.sin(idle[2]! * time + idle[3]!);
    pose[POSE.roll]! += loose * 0.002 * Math.sin(idle[4]! * time + idle[5]!);
  }

  /** Adds a piece and looks where it ends. */
  #add(activity: Activity, seconds: number, fade: boolean, at: Segment['at']): this {
    const before = this.#last.slice();
    const segment = { start: this.#end, end: this.#end + seconds, activity, at, fade: fade ? before : null };
    this.#segments.push(segment);
    at(seconds, this.#last);
    if (fade && seconds < FADE) blend(before, this.#last, 1 - ease(seconds / FADE));
    this.#end = segment.end;
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
  #through(
    activity: Activity,
    keys: readonly (readonly [number, Float64Array])[],
    anchor: 'feet' | 'pelvis',
  ): this {
    const first = this.#last.slice();
    const course = [[0, first] as const, ...keys];
    const feet = this.#feetOf(first);
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
      if (anchor === 'feet') this.#plant(out, feet.x, feet.y);
    });
  }

  #feetOf(pose: Float64Array): { x: number; y: number } {
    this.#probe.feet(pose, this.#feet);
    const cos = Math.cos(pose[POSE.heading]!);
    const sin = Math.sin(pose[POSE.heading]!);
    return {
      x: pose[POSE.x]! + cos * this.#feet[0]! - sin * this.#feet[1]!,
      y: pose[POSE.y]! + sin * this.#feet[0]! + cos * this.#feet[1]!,
    };
  }

  /** Moves the pelvis so that the feet stand at a floor point. */
  #plant(pose: Float64Array, x: number, y: number): void {
    const feet = this.#feetOf(pose);
    pose[POSE.x]! += x - feet.x;
    pose[POSE.y]! += y - feet.y;
  }

  #walk(step: Step): this {
    const random = this.#random;
    const preferred = step.speed ?? random.uniform(0.5, 1.5);
    const path = walkPath(this.#last, this.#size, this.body, random, preferred, step);
    const { count, x, y, heading, phase, speed } = path;
    const arms = standing(random);
    this.#posture = 0;
    return this.#add('walk', (count - 1) * TABLE_STEP, true, (time, out) => {
      const place = Math.min(time / TABLE_STEP, count - 1.0001);
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
    if (this.#segments.length === 0 && this.#end === 0) {
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
  #makeRoom(targets: readonly Float64Array[], anchor: 'feet' | 'pelvis'): void {
    const random = this.#random;
    const place = this.#last.slice();
    const fits = (heading: number): boolean => {
      place.set(this.#last);
      place[POSE.heading] = heading;
      return targets.every((target) => this.#inside(place, target, anchor));
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
    if (this.#segments.length === 0 && this.#end === 0) this.#last.set(to);
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
    const moving = this.#segments.at(-1)?.activity === 'walk' ? this.#endSpeed() : 0;
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
    const feet = this.#feetOf(first);
    const facing = first[POSE.heading]!;
    // Having turned for room, or near a wall, a person falls from standing.
    const run =
      facing === heading && targets.every((target) => this.#inside(ahead, target, 'feet')) ? moving : 0;
    this.#posture = 2;
    return this.#add('fall', course.duration, false, (time, out) => {
      course.at(time, first, end, out);
      const slide = 0.25 * run * (1 - Math.exp(-time / 0.25));
      out[POSE.heading] = facing;
      out[POSE.x] = first[POSE.x]!;
      out[POSE.y] = first[POSE.y]!;
      this.#plant(out, feet.x + slide * Math.cos(facing), feet.y + slide * Math.sin(facing));
    });
  }

  /** Whether a person who goes from pose `from` to `target`, its feet or pelvis in place, keeps off the walls. */
  #inside(from: Float64Array, target: Float64Array, anchor: 'feet' | 'pelvis'): boolean {
    const pose = target.slice();
    pose.set(from.subarray(0, 3));
    if (anchor === 'feet') {
      const feet = this.#feetOf(from);
      this.#plant(pose, feet.x, feet.y);
    }
    this.#probe.pose(pose);
    const { x, y } = this.#size;
    return this.#probe.keypoints.every((value, index) => {
      const extent = index % 3 === 0 ? x : y;
      return index % 3 === 2 || (value > CLEARANCE && value < extent - CLEARANCE);
    });
  }

  /** Speed at the end of the last piece, metres a second. */
  #endSpeed(): number {
    const segment = this.#segments.at(-1)!;
    const pose = new Float64Array(POSE_SIZE);
    segment.at(Math.max(0, segment.end - segment.start - 0.1), pose);
    return Math.hypot(this.#last[POSE.x]! - pose[POSE.x]!, this.#last[POSE.y]! - pose[POSE.y]!) / 0.1;
  }
}

/** 0 upright, 1 sitting, 2 lying, told from the pose itself. */
export function postureOf(pose: Float64Array): 0 | 1 | 2 {
  if (Math.abs(pose[POSE.pitch]!) > 0.9 || Math.abs(pose[POSE.roll]!) > 0.9) return 2;
  const seated = pose[POSE.hipLeft]! > 0.9 && pose[POSE.kneeLeft]! > 0.8 && pose[POSE.hipRight]! > 0.9;
  return seated ? 1 : 0;
}

/** Minimum-jerk course from 0 to 1. */
const ease = (u: number): number => u * u * u * (10 - 15 * u + 6 * u * u);

/** Mixes all but place and heading of `from` into `pose`, `share` of it. */
function blend(from: Float64Array, pose: Float64Array, share: number): void {
  for (let i = 3; i < POSE_SIZE; i++) pose[i]! += share * (from[i]! - pose[i]!);
}

// ------------------------------------------------------------------ poses

/** Standing at a random place, or at `at` as far as the walls allow, facing anywhere. */
export function homePose(random: Random, size: Size, at?: readonly [number, number]): Float64Array {
  const pose = standing(random);
  const inside = (value: number, extent: number) => clamp(value, MARGIN, extent - MARGIN);
  pose[POSE.x] = inside(at?.[0] ?? random.uniform(MARGIN, size.x - MARGIN), size.x);
  pose[POSE.y] = inside(at?.[1] ?? random.uniform(MARGIN, size.y - MARGIN), size.y);
  pose[POSE.heading] = random.uniform(-Math.PI, Math.PI);
  return pose;
}

function standing(random: Random): Float64Array {
  const pose = new Float64Array(POSE_SIZE);
  for (let side = 0; side < 2; side++) {
    pose[POSE.shoulderLeft + side] = random.uniform(-0.05, 0.15);
    pose[POSE.elbowLeft + side] = random.uniform(0.1, 0.5);
    pose[POSE.armLeft + side] = random.uniform(0.05, 0.15);
  }
  return pose;
}

function sitting(random: Random): Float64Array {
  const pose = standing(random);
  const hip = random.uniform(1.35, 1.55);
  pose[POSE.spine] = random.uniform(-0.1, 0.15);
  for (let side = 0; side < 2; side++) {
    pose[POSE.hipLeft + side] = hip;
    pose[POSE.kneeLeft + side] = hip + random.uniform(-0.15, 0.1);
    pose[POSE.spreadLeft + side] = random.uniform(0.02, 0.2);
    pose[POSE.shoulderLeft + side] = random.uniform(0.3, 0.7);
    pose[POSE.elbowLeft + side] = random.uniform(0.5, 1.1);
  }
  return pose;
}

/** `from` with both arms stretched forward, and to the sides. */
const reaching = (from: Float64Array): Float64Array[] =>
  [0.1, 1.2].map((wide) => {
    const pose = from.slice();
    pose[POSE.shoulderLeft] = pose[POSE.shoulderRight] = Math.PI / 2;
    pose[POSE.elbowLeft] = pose[POSE.elbowRight] = 0;
    pose[POSE.armLeft] = pose[POSE.armRight] = wide;
    return pose;
  });

/** Half of the time with bent knees, else with straight ones. */
function bent(random: Random): Float64Array {
  const pose = standing(random);
  const squat = random.chance(0.5);
  const hip = squat ? random.uniform(1.2, 1.7) : random.uniform(0.1, 0.3);
  const knee = squat ? random.uniform(1.5, 2) : random.uniform(0.05, 0.3);
  pose[POSE.spine] = squat ? random.uniform(0.5, 0.9) : random.uniform(1, 1.5);
  for (let side = 0; side < 2; side++) {
    pose[POSE.hipLeft + side] = hip;
    pose[POSE.kneeLeft + side] = knee;
    pose[POSE.shoulderLeft + side] = random.uniform(0.6, 1.2);
  }
  return pose;
}

/** On the back or a side, legs more or less straight. */
function lying(random: Random, support: number): Float64Array {
  const pose = standing(random);
  pose[POSE.support] = support;
  const side = random.weighted([0.6, 0.2, 0.2]);
  if (side === 0) pose[POSE.pitch] = -Math.PI / 2;
  else pose[POSE.roll] = (side === 1 ? 1 : -1) * (Math.PI / 2);
  const legs = random.uniform(0, side === 0 ? 0.2 : 0.9);
  for (let limb = 0; limb < 2; limb++) {
    pose[POSE.hipLeft + limb] = legs + random.uniform(0, 0.15);
    pose[POSE.kneeLeft + limb] = 2 * legs + random.uniform(0, 0.2);
    pose[POSE.shoulderLeft + limb] = random.uniform(0, 0.4);
    pose[POSE.elbowLeft + limb] = random.uniform(0.1, 1);
  }
  return pose;
}

/** How a person lies after a fall. */
function fallen(random: Random, kind: FallKind): Float64Array {
  const pose = standing(random);
  const angle = Math.PI / 2;
  if (kind === 'forward') pose[POSE.pitch] = angle;
  else if (kind === 'backward') pose[POSE.pitch] = -angle;
  else pose[POSE.roll] = (kind === 'right' ? 1 : -1) * angle;
  // On the front, limbs that point forward would hold the body up: arms lie beside the head, hips are straight.
  const prone = kind === 'forward';
  const crumpled = prone ? 0 : random.uniform(0, 0.5);
  for (let side = 0; side < 2; side++) {
    pose[POSE.hipLeft + side] = crumpled + random.uniform(0, prone ? 0.05 : 0.3);
    pose[POSE.kneeLeft + side] = 1.5 * crumpled + random.uniform(0, 0.4);
    pose[POSE.shoulderLeft + side] = prone ? random.uniform(2.9, 3.2) : random.uniform(0, 0.5);
    pose[POSE.elbowLeft + side] = prone ? random.uniform(0, 0.1) : random.uniform(0.1, 1);
    // The arm that the person lies on is not stretched out below.
    const below = kind === (side === 0 ? 'left' : 'right');
    pose[POSE.armLeft + side] = below ? 0 : random.uniform(0.1, 0.6);
  }
  return pose;
}

// ---------------------------------------------------------------- walking

interface Path {
  readonly count: number;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly heading: Float64Array;
  readonly phase: Float64Array;
  readonly speed: Float64Array;
}

/** Steers from where `from` stands to `step.to`, or from one random target to the next for `step.seconds`. */
function walkPath(
  from: Float64Array,
  size: Size,
  body: BodySize,
  random: Random,
  preferred: number,
  step: Step,
): Path {
  const limit = Math.ceil((step.to ? 40 : (step.seconds ?? random.uniform(3, 10))) / TABLE_STEP) + 1;
  const columns = Array.from({ length: 5 }, () => new Float64Array(limit));
  const [xs, ys, headings, phases, speeds] = columns as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const inside = (value: number, extent: number) => clamp(value, MARGIN, extent - MARGIN);
  let x = from[POSE.x]!;
  let y = from[POSE.y]!;
  let heading = from[POSE.heading]!;
  let speed = step.to || step.seconds === undefined ? 0 : random.uniform(0, preferred);
  let phase = random.next();
  let pace = preferred;
  let pause = 0;
  const turn = random.uniform(1.6, 2.8);
  const target = (): readonly [number, number] => [
    random.uniform(MARGIN, size.x - MARGIN),
    random.uniform(MARGIN, size.y - MARGIN),
  ];
  let to = step.to ? ([inside(step.to[0], size.x), inside(step.to[1], size.y)] as const) : target();
  let count = 0;
  while (count < limit) {
    xs[count] = x;
    ys[count] = y;
    headings[count] = heading;
    phases[count] = phase;
    speeds[count] = speed;
    count++;
    const dx = to[0] - x;
    const dy = to[1] - y;
    const left = Math.hypot(dx, dy);
    if (step.to && left < 0.12 && speed < 0.3) break;
    if (!step.to && left < 0.35) {
      to = target();
      pace = clamp(preferred * random.uniform(0.8, 1.2), 0.4, 1.5);
      if (random.chance(0.15)) pause = random.uniform(0.5, 1.5);
      continue;
    }
    pause -= TABLE_STEP;
    const error = wrap(Math.atan2(dy, dx) - heading);
    const aim =
      pause > 0 ? 0 : pace * Math.max(0.08, Math.cos(error)) * (step.to ? Math.min(1, left / 0.5 + 0.1) : 1);
    speed += clamp(aim - speed, -2.5 * TABLE_STEP, 1.5 * TABLE_STEP);
    if (pause <= 0) heading += clamp(error / 0.25, -turn, turn) * TABLE_STEP;
    phase += cadence(body, speed) * TABLE_STEP * Math.min(1, speed / 0.1);
    x = clamp(x + speed * Math.cos(heading) * TABLE_STEP, Math.min(x, 0.4), Math.max(x, size.x - 0.4));
    y = clamp(y + speed * Math.sin(heading) * TABLE_STEP, Math.min(y, 0.4), Math.max(y, size.y - 0.4));
  }
  return { count: Math.max(count, 2), x: xs, y: ys, heading: headings, phase: phases, speed: speeds };
}

const wrap = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
