import { AWAY } from './person/activities.js';
import { POSE, POSE_SIZE } from './person/body.js';
import { ease } from './person/poses.js';
import { clamp, type Size } from './shared/room.js';

/**
 * Keeps people from walking through each other: if two come too close, the moving one is pushed aside by a
 * smooth detour. Detours are planned once for the whole scene, so a pose still depends only on time.
 */

/** Minimum distance between two pelvises, metres. */
const NEAREST = 0.6;
/** Interval between two checks, seconds. */
const LOOK = 0.1;
/** Seconds to step aside, and to step back. */
const ASIDE = 1;
/** A detour may lead into another person, so the search is repeated up to this many times. */
const ROUNDS = 4;

/** A shift over the floor, growing before `from` and fading after `to`. */
export interface Detour {
  readonly from: number;
  readonly to: number;
  readonly x: number;
  readonly y: number;
}

/** A person who shares a room with others. */
export interface Walker {
  /** Writes the pose at a time; returns the index in ACTIVITIES. */
  at(time: number, pose: Float64Array): number;
  addDetour(detour: Detour): void;
}

/** Adds the detours in effect at `time` to a pose. */
export function addDetours(detours: readonly Detour[], time: number, pose: Float64Array): void {
  for (const { from, to, x, y } of detours) {
    if (time <= from - ASIDE || time >= to + ASIDE) continue;
    const share = ease(clamp(Math.min(time - from + ASIDE, to + ASIDE - time) / ASIDE, 0, 1));
    pose[POSE.x]! += share * x;
    pose[POSE.y]! += share * y;
  }
}

/** Plans detours for people who share a room for `seconds`. */
export function keepApart(people: readonly Walker[], seconds: number, size: Size): void {
  for (let round = 0; round < ROUNDS; round++) {
    let found = 0;
    for (const [index, second] of people.entries()) {
      for (const first of people.slice(0, index)) {
        for (const meeting of meetings(first, second, seconds)) {
          found++;
          part(first, second, meeting, size);
        }
      }
    }
    if (found === 0) return;
  }
}

interface Meeting {
  readonly from: number;
  readonly to: number;
  /** Time of their smallest distance. */
  readonly at: number;
}

/** Times at which two people are too close to each other. */
function meetings(first: Walker, second: Walker, seconds: number): Meeting[] {
  const found: Meeting[] = [];
  const [a, b] = [new Float64Array(POSE_SIZE), new Float64Array(POSE_SIZE)];
  let from = -1;
  let at = 0;
  let nearest = Infinity;
  for (let time = 0; time <= seconds + LOOK; time += LOOK) {
    const away = first.at(time, a) === AWAY || second.at(time, b) === AWAY;
    const distance =
      away || time > seconds ? Infinity : Math.hypot(a[POSE.x]! - b[POSE.x]!, a[POSE.y]! - b[POSE.y]!);
    if (distance < NEAREST - 1e-3) {
      if (from < 0) from = time;
      if (distance < nearest) [nearest, at] = [distance, time];
    } else if (from >= 0) {
      found.push({ from, to: time, at });
      [from, nearest] = [-1, Infinity];
    }
  }
  return found;
}

/** Pushes two people apart; the one who moves more yields more. */
function part(first: Walker, second: Walker, { from, to, at }: Meeting, size: Size): void {
  const [a, b] = [new Float64Array(POSE_SIZE), new Float64Array(POSE_SIZE)];
  first.at(at, a);
  second.at(at, b);
  let x = b[POSE.x]! - a[POSE.x]!;
  let y = b[POSE.y]! - a[POSE.y]!;
  const distance = Math.hypot(x, y);
  if (distance < 0.02) {
    // Head-on: both keep to their right.
    x = Math.sin(b[POSE.heading]!);
    y = -Math.cos(b[POSE.heading]!);
  } else {
    x /= distance;
    y /= distance;
  }
  const [moved, other] = [mobility(first, from, to), mobility(second, from, to)];
  const whole = 1.05 * NEAREST - distance;
  const share = moved + other > 0 ? other / (moved + other) : 1;
  const give = (motion: Walker, pose: Float64Array, by: number): number => {
    const room = (value: number, push: number, extent: number) =>
      clamp(push, Math.min(0, 0.4 - value), Math.max(0, extent - 0.4 - value));
    const detour = {
      from,
      to,
      x: room(pose[POSE.x]!, by * x, size.x),
      y: room(pose[POSE.y]!, by * y, size.y),
    };
    if (by !== 0) motion.addDetour(detour);
    return Math.hypot(detour.x, detour.y);
  };
  const given = give(second, b, share * whole);
  give(first, a, -(whole - given));
}

/** Distance that a person walks during a meeting and just before it, metres. */
function mobility(motion: Walker, from: number, to: number): number {
  const [a, b] = [new Float64Array(POSE_SIZE), new Float64Array(POSE_SIZE)];
  let way = 0;
  for (let time = from - ASIDE; time < to; time += 0.25) {
    motion.at(Math.max(0, time), a);
    motion.at(Math.max(0, time + 0.25), b);
    way += Math.hypot(b[POSE.x]! - a[POSE.x]!, b[POSE.y]! - a[POSE.y]!);
  }
  return way > 0.2 ? way : 0;
}
