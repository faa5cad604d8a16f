import type { Activity } from '../person/activities.js';
import type { Actor } from '../person/actor.js';
import { POSE, POSE_SIZE, legLength } from '../person/body.js';
import { crouching } from '../person/poses.js';
import { clipSeconds, type Clip } from './clip.js';
import type { MotionLibrary } from './library.js';

/** People who play recorded motion, if the room has space for it. */

/** Distance of joints and pelvis from walls while they move, metres. */
const CLEAR = 0.3;
/** Number of positions in a clip, and of headings, to try. */
const TRIES = 6;

/** Start position in a clip, duration, and placement in the room. */
interface Cut {
  readonly clip: Clip;
  readonly start: number;
  readonly seconds: number;
  /** Heading of the person at its start. */
  readonly heading: number;
}

/** Plays a clip of an activity for about `seconds`. Returns whether one fits the room. */
export function playClip(actor: Actor, library: MotionLibrary, activity: Activity, seconds: number): boolean {
  const { random } = actor;
  const clips = library.clips.filter((clip) => clip.activity === activity);
  if (clips.length === 0) return false;
  for (let tries = 0; tries < TRIES; tries++) {
    const clip = clips[random.below(clips.length)]!;
    const whole = clipSeconds(clip);
    const cut = {
      clip,
      start: clip.loops || activity !== 'walk' ? 0 : random.uniform(0, Math.max(0, whole - seconds)),
      seconds: clip.loops ? whole * Math.max(1, Math.round(seconds / whole)) : Math.min(seconds, whole),
      heading: actor.heading + (tries === 0 ? 0 : random.uniform(-Math.PI, Math.PI)),
    };
    if (!fits(actor, cut)) continue;
    actor.turnTo(cut.heading);
    play(actor, cut);
    return true;
  }
  return false;
}

/** Falls like a rag-doll pushed while walking. Returns whether one fits the room. */
export function playFall(actor: Actor, { falls }: MotionLibrary): boolean {
  const { random } = actor;
  if (falls.length === 0) return false;
  for (let tries = 0; tries < 2 * TRIES; tries++) {
    const clip = falls[random.below(falls.length)]!;
    const heading = actor.heading + (tries < TRIES ? 0 : random.uniform(-Math.PI, Math.PI));
    const cut = { clip, start: 0, seconds: clipSeconds(clip), heading };
    if (!fits(actor, cut)) continue;
    actor.turnTo(heading);
    play(actor, cut);
    actor.posture = 2;
    return true;
  }
  return false;
}

/** Gets down, crawls as recorded, and gets up again. Returns whether it fits the room. */
export function playCrawl(actor: Actor, library: MotionLibrary, seconds: number): boolean {
  const { random } = actor;
  const clip = library.clips.find(({ activity }) => activity === 'crawl');
  if (!clip) return false;
  const whole = clipSeconds(clip);
  const cut = {
    clip,
    start: 0,
    seconds: whole * Math.max(1, Math.round(seconds / whole)),
    heading: actor.heading,
  };
  const fitting = [0, 1.5, -1.5, 3]
    .map((by) => ({ ...cut, heading: cut.heading + by }))
    .find((one) => fits(actor, one));
  if (!fitting) return false;
  actor.turnTo(fitting.heading);
  const first = poseAt(clip, 0, new Float64Array(POSE_SIZE));
  first.set(actor.last.subarray(0, 3));
  actor.through('crawl', [[random.uniform(1.2, 2), first]], 'pelvis');
  play(actor, fitting);
  actor.through('crawl', [[random.uniform(0.8, 1.4), crouching(random)]], 'pelvis');
  actor.getUp();
  return true;
}

/** True if all joints stay inside the room. */
function fits(actor: Actor, cut: Cut): boolean {
  const course = courseOf(actor, cut);
  const pose = new Float64Array(POSE_SIZE);
  for (let time = 0; time <= cut.seconds; time += 0.2) {
    course(time, pose);
    if (!actor.footing.clear(pose, CLEAR)) return false;
  }
  course(cut.seconds, pose);
  return actor.footing.clear(pose, CLEAR);
}

function play(actor: Actor, cut: Cut): void {
  actor.add(cut.clip.activity, cut.seconds, true, courseOf(actor, cut));
}

/** Poses of a cut, starting from the person's position at the end of the plan. */
function courseOf({ last, body }: Actor, { clip, start, seconds, heading }: Cut) {
  const from = poseAt(clip, start * clip.rate, new Float64Array(POSE_SIZE));
  const end = poseAt(clip, clip.count - 1, new Float64Array(POSE_SIZE));
  const scale = legLength(body) / clip.leg;
  const turn = heading - from[POSE.heading]!;
  const [x, y] = [last[POSE.x]!, last[POSE.y]!];
  const whole = clipSeconds(clip);
  return (time: number, out: Float64Array): void => {
    const rounds = clip.loops ? Math.min(Math.floor(time / whole), Math.ceil(seconds / whole) - 1) : 0;
    poseAt(clip, (start + time - rounds * whole) * clip.rate, out);
    let dx = out[POSE.x]! - from[POSE.x]!;
    let dy = out[POSE.y]! - from[POSE.y]!;
    // Each round continues where the previous one ended, in its final direction.
    const bend = end[POSE.heading]! - from[POSE.heading]!;
    for (let round = 0; round < rounds; round++) {
      [dx, dy] = turned(dx, dy, bend);
      dx += end[POSE.x]! - from[POSE.x]!;
      dy += end[POSE.y]! - from[POSE.y]!;
    }
    [dx, dy] = turned(dx, dy, turn);
    out[POSE.x] = x + scale * dx;
    out[POSE.y] = y + scale * dy;
    out[POSE.heading]! += turn + rounds * bend;
    out[POSE.support]! *= scale;
  };
}

const turned = (x: number, y: number, by: number): [number, number] => [
  x * Math.cos(by) - y * Math.sin(by),
  x * Math.sin(by) + y * Math.cos(by),
];

/** The pose at a position between two rows, as recorded. */
function poseAt({ poses, count }: Clip, at: number, out: Float64Array): Float64Array {
  const row = Math.max(0, Math.min(count - 2, Math.floor(at)));
  const share = Math.max(0, Math.min(1, at - row));
  const first = row * POSE_SIZE;
  for (let i = 0; i < POSE_SIZE; i++) {
    const before = poses[first + i]!;
    out[i] = before + share * (poses[first + POSE_SIZE + i]! - before);
  }
  return out;
}
