import type { Actor, Key } from './person/actor.js';
import { POSE } from './person/body.js';
import { alongPath, pathSeconds, walkPath } from './person/walk.js';
import {
  bent,
  blend,
  crawling,
  crouching,
  ease,
  reaching,
  squatting,
  standing,
  stooping,
} from './person/poses.js';

/** Activities on the feet, or on hands and knees, besides walking. */

/** Stands and moves one or both arms. */
export function moveArms(actor: Actor, seconds: number): void {
  const { random } = actor;
  const rest = standing(random);
  rest.set(actor.last.subarray(0, 3));
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
  actor.moveClear(reaching(rest), 'feet');
  rest.set(actor.last.subarray(0, 3));
  actor.add('arms', seconds, true, (time, out) => {
    out.set(rest);
    for (const arm of course) {
      const phase = arm.turn * time + arm.start;
      out[POSE.shoulderLeft + arm.side] = arm.middle + arm.reach * Math.sin(phase);
      out[POSE.armLeft + arm.side] = arm.wide * (1 + 0.5 * Math.cos(phase));
      out[POSE.elbowLeft + arm.side] = arm.elbow + arm.bend * Math.sin(phase + 1);
    }
  });
}

/** Bends or squats, pauses, and comes up again. */
export function bend(actor: Actor): void {
  const { random } = actor;
  const target = bent(random);
  actor.moveClear([target], 'feet');
  const down = random.uniform(0.8, 1.4);
  const stay = random.uniform(0.1, 0.8);
  const up = random.uniform(0.8, 1.4);
  const keys: Key[] = [
    [down, target],
    [down + stay, target],
    [down + stay + up, standing(random)],
  ];
  actor.through('bend', keys, 'feet');
}

/** Reaches for the floor with one hand, faster than a bend, and comes up again. */
export function pickUp(actor: Actor): void {
  const { random } = actor;
  const target = stooping(random);
  actor.moveClear([target], 'feet');
  const down = random.uniform(0.45, 1);
  const stay = random.uniform(0.1, 0.5);
  const up = random.uniform(0.6, 1.2);
  const keys: Key[] = [
    [down, target],
    [down + stay, target],
    [down + stay + up, standing(random)],
  ];
  actor.through('pick_up', keys, 'feet');
}

const GRAVITY = 9.81;

/** Jumps on the spot, once or for `seconds`. */
export function jump(actor: Actor, seconds = 0): void {
  const { random } = actor;
  const speed = random.uniform(1.2, 2.6);
  const flight = (2 * speed) / GRAVITY;
  const crouch = random.uniform(0.35, 0.5);
  const pause = random.uniform(0.1, 0.5);
  const cycle = 2 * crouch + flight + pause;
  const low = squatting(random, random.uniform(0.5, 0.9));
  const stretched = standing(random);
  stretched[POSE.shoulderLeft] = stretched[POSE.shoulderRight] = random.uniform(0.3, 1.2);
  const rest = standing(random);
  actor.moveClear([low], 'feet');
  const first = actor.last.slice();
  const feet = actor.footing.feetOf(first);
  const count = Math.max(1, Math.round(seconds / cycle));
  actor.add('jump', count * cycle, true, (time, out) => {
    const local = time - cycle * Math.min(count - 1, Math.floor(time / cycle));
    const flying = local - crouch;
    // Down, up and off; in the air; down into the knees, and up again.
    if (flying < 0) through(rest, low, stretched, local / crouch, out);
    else if (flying < flight) out.set(stretched);
    else through(stretched, low, rest, Math.min(1, (flying - flight) / (crouch + pause)), out);
    out.set(first.subarray(0, 3));
    actor.footing.plant(out, feet.x, feet.y);
    if (flying > 0 && flying < flight) out[POSE.support] = flying * (speed - 0.5 * GRAVITY * flying);
  });
}

/** From `a` to `c` through `b`, which is reached halfway. */
function through(a: Float64Array, b: Float64Array, c: Float64Array, share: number, out: Float64Array): void {
  out.set(share < 0.5 ? b : c);
  blend(share < 0.5 ? a : b, out, 1 - ease(share < 0.5 ? 2 * share : 2 * share - 1));
}

/** Squats repeatedly, with the arms stretched forward at the lowest point. */
export function exercise(actor: Actor, seconds: number): void {
  const { random } = actor;
  const up = standing(random);
  const down = squatting(random, random.uniform(0.8, 1.5));
  down[POSE.shoulderLeft] = down[POSE.shoulderRight] = random.uniform(0.8, 1.6);
  down[POSE.elbowLeft] = down[POSE.elbowRight] = 0;
  actor.moveClear([down], 'feet');
  const period = random.uniform(1.4, 3);
  const count = Math.max(1, Math.round(seconds / period));
  const keys = Array.from({ length: count }, (_, i): Key[] => [
    [(i + 0.5) * period, down],
    [(i + 1) * period, up],
  ]);
  actor.through('exercise', keys.flat(), 'feet');
}

/**
 * Distance from walls to the pelvis of a crawling person, metres: the head is ahead of it, the feet behind.
 */
const CRAWL_MARGIN = 1;

/** Gets down on hands and knees, crawls, and gets up again. */
export function crawl(actor: Actor, seconds: number): void {
  const { random, body, size } = actor;
  const middle = [size.x / 2, size.y / 2] as const;
  const near = Math.min(actor.last[0]!, size.x - actor.last[0]!, actor.last[1]!, size.y - actor.last[1]!);
  if (near < CRAWL_MARGIN) actor.walk({ activity: 'walk', to: middle });
  const fours = crawling(random);
  actor.moveClear([fours], 'pelvis');
  const crouch = squatting(random, 1.4);
  crouch[POSE.spine]! += 0.4;
  actor.through('crawl', [[random.uniform(0.7, 1.2), crouch]], 'feet');
  actor.through('crawl', [[random.uniform(0.6, 1), fours]], 'pelvis');
  const path = walkPath(actor.last, size, body, random, 0.4, { seconds }, CRAWL_MARGIN);
  const stride = 2 * Math.PI * random.uniform(0.7, 1.1);
  actor.add('crawl', pathSeconds(path), true, (time, out) => {
    out.set(fours);
    const { speed } = alongPath(path, time, out);
    const swing = Math.min(1, speed / 0.3) * Math.sin(stride * time);
    for (let side = 0; side < 2; side++) {
      // Opposite hand and knee move together.
      const sign = side === 0 ? 1 : -1;
      out[POSE.hipLeft + side]! += sign * 0.3 * swing;
      out[POSE.shoulderLeft + side]! -= sign * 0.3 * swing;
      out[POSE.elbowLeft + side]! += 0.25 * Math.max(0, -sign * swing);
    }
  });
  actor.through('crawl', [[random.uniform(0.8, 1.4), crouching(random)]], 'pelvis');
  actor.getUp();
}
