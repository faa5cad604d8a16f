import type { Actor } from './person/actor.js';
import { POSE } from './person/body.js';
import { cadence, walkPose } from './person/gait.js';
import { ease, standing } from './person/poses.js';
import type { Random } from './shared/random.js';
import { clamp, type Size } from './shared/room.js';
import { MARGIN } from './person/walk.js';
import { wrapAngle } from '../../base/angle.js';

/** Leaving a room through its door, and returning. */

/** A door at a random place on the walls, at floor level. */
export function randomDoor(random: Random, { x, y }: Size): readonly [number, number] {
  const along = (extent: number) => random.uniform(0.7, extent - 0.7);
  const wall = random.below(4);
  return wall < 2 ? [wall === 0 ? 0 : x, along(y)] : [along(x), wall === 2 ? 0 : y];
}

/** Distance behind the wall at which a person is no longer detectable, metres. */
const REACH = 0.8;
/** Radio waves mostly pass through a door and the wall beside it: the strength behind it fades over REACH. */
const absenceAt = (beyond: number): number => clamp(beyond / REACH, 0, 1);

/**
 * Walks to the door and out, stays away for `seconds`, and returns. As the first motion, the person only
 * enters.
 */
export function leave(actor: Actor, seconds: number, to: readonly [number, number] = actor.door): void {
  const way = wayOut(to, actor.size);
  if (actor.timeline.activity === null) actor.last.set([...way.inside, way.heading]);
  else {
    actor.walk({ activity: 'walk', to: way.inside });
    actor.turnTo(actor.heading + wrapAngle(way.heading - actor.heading));
    pass(actor, way, 1);
  }
  const outside = standing(actor.random);
  outside[POSE.absence] = 1;
  outside.set([...beyond(way, REACH), way.heading]);
  actor.add('away', seconds, false, (time, out) => {
    out.set(outside);
    out[POSE.heading]! += Math.PI * ease(clamp(time / seconds, 0, 1));
  });
  pass(actor, way, -1);
}

interface Way {
  /** Floor point on the wall. */
  readonly door: readonly [number, number];
  /** Position just before going out, as close as walkers get to the wall. */
  readonly inside: readonly [number, number];
  /** Outward direction. */
  readonly heading: number;
}

/** For the wall nearest to a point. */
function wayOut([x, y]: readonly [number, number], size: Size): Way {
  const ways = [x, size.x - x, y, size.y - y];
  const wall = ways.indexOf(Math.min(...ways));
  const heading = [Math.PI, 0, -Math.PI / 2, Math.PI / 2][wall]!;
  const door: [number, number] = [clamp(x, MARGIN, size.x - MARGIN), clamp(y, MARGIN, size.y - MARGIN)];
  door[wall >> 1] = wall & 1 ? [size.x, size.y][wall >> 1]! : 0;
  return { door, inside: beyond({ door, heading }, -MARGIN), heading };
}

const beyond = ({ door, heading }: Pick<Way, 'door' | 'heading'>, by: number): [number, number] => [
  door[0] + by * Math.cos(heading),
  door[1] + by * Math.sin(heading),
];

/**
 * Walks through the door, out (1) or in (-1). The person counts as away while the pelvis is behind the wall.
 */
function pass(actor: Actor, way: Way, sense: 1 | -1): void {
  const { random, body } = actor;
  const speed = random.uniform(0.6, 1.1);
  const arms = standing(random);
  const start = random.next();
  const facing = sense === 1 ? actor.heading : way.heading + Math.PI;
  const from = sense === 1 ? actor.last.slice(0, 2) : Float64Array.from(beyond(way, REACH));
  const to = sense === 1 ? beyond(way, REACH) : way.inside;
  const length = Math.hypot(to[0] - from[0]!, to[1] - from[1]!);
  const walked = (time: number) => speed * (time - RISE * (1 - Math.exp(-time / RISE)));
  const at = (time: number, out: Float64Array) => {
    const share = Math.min(1, walked(time) / length);
    out.set(arms);
    out[POSE.x] = from[0]! + share * (to[0] - from[0]!);
    out[POSE.y] = from[1]! + share * (to[1] - from[1]!);
    out[POSE.heading] = facing;
    const outward =
      (out[POSE.x]! - way.door[0]) * Math.cos(way.heading) +
      (out[POSE.y]! - way.door[1]) * Math.sin(way.heading);
    out[POSE.absence] = absenceAt(outward);
    const now = speed * (1 - Math.exp(-time / RISE));
    walkPose(body, start + cadence(body, speed) * time, now, out);
  };
  const whole = timeOf(walked, length);
  const crossing = timeOf(walked, sense === 1 ? length - REACH : REACH);
  actor.add(sense === 1 ? 'walk' : 'away', crossing, true, at);
  actor.add(sense === 1 ? 'away' : 'walk', whole - crossing, false, (time, out) => {
    at(crossing + time, out);
  });
}

/** Seconds in which a walker accelerates. */
const RISE = 0.25;

/** Time at which `length` metres have been walked, within a microsecond. */
function timeOf(walked: (time: number) => number, length: number): number {
  let [low, high] = [0, 30];
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (walked(middle) < length) low = middle;
    else high = middle;
  }
  return high;
}
