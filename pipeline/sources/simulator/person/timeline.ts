import { ACTIVITIES, type Activity } from './activities.js';
import { POSE } from './body.js';
import { blend, ease } from './poses.js';
import type { Random } from '../shared/random.js';
import { clamp } from '../shared/room.js';

/** One piece of a motion. */
export interface Piece {
  readonly activity: Activity;
  readonly seconds: number;
  /** True if it fades out of the previous pose; otherwise `at` itself starts from that pose. */
  readonly fade: boolean;
  /** Pose `time` seconds after the start. */
  readonly at: (time: number, pose: Float64Array) => void;
}

interface Segment extends Omit<Piece, 'seconds' | 'fade'> {
  readonly start: number;
  readonly end: number;
  /** Pose at the end of the previous segment, to fade out of. */
  readonly fade: Float64Array | null;
}

/** Seconds over which a segment fades in over the previous pose. */
const FADE = 0.5;

/** Consecutive pieces, each starting from the previous one's final pose, with breathing and sway added. */
export class Timeline {
  readonly #segments: Segment[] = [];
  /** Angular frequency and phase of breathing, of slow sway, of faster sway. */
  readonly #idle: number[];
  /** Pose at the end of the plan. */
  readonly last: Float64Array;
  #end = 0;
  #found = 0;

  /** `breathing` in hertz; random by default. */
  constructor(first: Float64Array, random: Random, breathing?: number) {
    this.last = first.slice();
    // Breathing at 0.2 to 0.3 Hz, sway at two low frequencies; each with its own phase.
    this.#idle = [random.uniform(0.2, 0.3), random.uniform(0.1, 0.25), random.uniform(0.25, 0.5)].flatMap(
      (frequency) => [2 * Math.PI * frequency, random.uniform(0, 2 * Math.PI)],
    );
    if (breathing !== undefined) this.#idle[0] = 2 * Math.PI * breathing;
  }

  /** Seconds planned so far. */
  get duration(): number {
    return this.#end;
  }

  /** Kind of the last piece, null before the first. */
  get activity(): Activity | null {
    return this.#segments.at(-1)?.activity ?? null;
  }

  /** Adds a piece and computes its final pose. */
  add({ activity, seconds, fade, at }: Piece): void {
    const { last } = this;
    const before = last.slice();
    const segment = { start: this.#end, end: this.#end + seconds, activity, at, fade: fade ? before : null };
    this.#segments.push(segment);
    at(seconds, last);
    if (fade && seconds < FADE) blend(before, last, 1 - ease(seconds / FADE));
    this.#end = segment.end;
  }

  /** Drops everything before the last pose, which becomes the first. */
  forget(): void {
    this.#segments.length = 0;
    this.#end = 0;
  }

  /**
   * Writes the pose at `time` seconds (the last one after the end) to `pose`. Returns the index in
   * ACTIVITIES; after the end, that of `after`.
   */
  at(time: number, pose: Float64Array, after: Activity): number {
    const segments = this.#segments;
    let activity = after;
    if (segments.length === 0) {
      pose.set(this.last);
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

  /** Speed over the floor at the end of the last piece, metres per second. */
  endSpeed(): number {
    const segment = this.#segments.at(-1);
    if (!segment) return 0;
    const pose = new Float64Array(this.last.length);
    segment.at(Math.max(0, segment.end - segment.start - 0.1), pose);
    return Math.hypot(this.last[POSE.x]! - pose[POSE.x]!, this.last[POSE.y]! - pose[POSE.y]!) / 0.1;
  }

  /** Movements of a person at rest: sway while standing, and breathing. */
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
}
