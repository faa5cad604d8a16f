import type { Step } from './person/activities.js';
import { Actor } from './person/actor.js';
import { POSE, type BodySize } from './person/body.js';
import { addDetours, type Detour } from './apart.js';
import { leave } from './door.js';
import { bend, crawl, exercise, jump, moveArms, pickUp } from './effort.js';
import { fall } from './falls.js';
import { ease, homePose, standing } from './person/poses.js';
import type { Random } from './shared/random.js';
import type { MotionLibrary } from './recorded/library.js';
import { playClip, playCrawl, playFall } from './recorded/play.js';
import { kneel, lieDown, rest, sitDown } from './rest.js';
import type { Size } from './shared/room.js';
import { wrapAngle } from '../../base/angle.js';

export interface MotionOptions {
  /** Starting pose, see {@link homePose}; default: a random one. */
  readonly home?: Float64Array;
  /** Floor point on a wall; default the middle of the wall y=0. */
  readonly door?: readonly [number, number];
  /** Hertz; random by default. */
  readonly breathing?: number | undefined;
  /** Recorded motion to play as well, if the room has space for it. */
  readonly library?: MotionLibrary | undefined;
}

/**
 * A person's motion: consecutive pieces. Each piece starts from the final pose of the previous one, and the
 * feet stay in place unless the person walks. Pure: a pose depends only on time.
 */
export class Motion {
  readonly body: BodySize;
  readonly #random: Random;
  readonly #home: Float64Array;
  readonly #actor: Actor;
  readonly #library: MotionLibrary | undefined;
  readonly #detours: Detour[] = [];

  constructor(body: BodySize, size: Size, random: Random, options: MotionOptions = {}) {
    const { home = homePose(random, size), door = [size.x / 2, 0], breathing } = options;
    this.body = body;
    this.#random = random;
    this.#home = home;
    this.#library = options.library;
    this.#actor = new Actor(body, size, door, random, home, breathing);
  }

  /** Seconds planned so far. */
  get duration(): number {
    return this.#actor.timeline.duration;
  }

  get hasRecordedFalls(): boolean {
    return (this.#library?.falls.length ?? 0) > 0;
  }

  /** Plans a step, preceded by whatever it requires: a person must get up before walking. */
  perform(step: Step): this {
    const actor = this.#actor;
    if (!RESTING.has(step.activity) && actor.posture !== 0) actor.getUp();
    if (!this.#playRecorded(step)) PLANS[step.activity](actor, step);
    return this;
  }

  /** Usually plays recorded motion for a step that leaves its course open; returns whether it did. */
  #playRecorded({ activity, seconds, to, speed, fall: kind }: Step): boolean {
    const library = this.#library;
    const actor = this.#actor;
    const share = RECORDED[activity];
    if (!library || share === undefined || to || speed !== undefined || kind) return false;
    if (actor.posture !== 0 || !this.#random.chance(share)) return false;
    if (activity === 'fall') return playFall(actor, library);
    // One jump unless a duration is set; each moves one metre forward.
    const long = seconds ?? (activity === 'jump' ? 0 : this.#random.uniform(3, 8));
    if (activity === 'crawl') return playCrawl(actor, library, long);
    const end = actor.timeline.duration + long;
    if (!playClip(actor, library, activity, Math.min(long, MAX_CUT))) return false;
    // If a clip ends early, simulated motion continues the activity.
    const rest = end - actor.timeline.duration;
    if (seconds !== undefined && rest > 0.5) PLANS[activity](actor, { activity, seconds: rest });
    return true;
  }

  /** Starts the plan in a posture without a transition to it: `sit` and `lie` for a scene that begins so. */
  begin(activity: 'sit' | 'lie', on?: Step['on']): this {
    const actor = this.#actor;
    if (actor.timeline.activity !== null) throw new Error('begin() comes before the first step');
    if (activity === 'sit') sitDown(actor, on ? { on } : {});
    else lieDown(actor, { on: on ?? (this.#random.chance(0.75) ? 'bed' : 'floor') });
    actor.timeline.forget();
    return this;
  }

  /** Plans the way back to the initial pose, so that a script can be repeated. */
  goHome(): this {
    const home = this.#home;
    const actor = this.#actor;
    if (actor.posture !== 0) actor.getUp();
    const x = home[POSE.x]!;
    const y = home[POSE.y]!;
    actor.walk({ activity: 'walk', to: [x, y], speed: 0.9 });
    actor.turnTo(actor.heading + wrapAngle(home[POSE.heading]! - actor.heading));
    const from = actor.last.slice();
    actor.add('stand', 1, true, (time, out) => {
      out.set(home);
      // The walk ends within a hand's width of home.
      const left = 1 - ease(time);
      out[POSE.x]! += left * (from[POSE.x]! - x);
      out[POSE.y]! += left * (from[POSE.y]! - y);
    });
    return this;
  }

  /** Pose at `time` seconds (the last one after the end), written to `pose`. Returns the index in ACTIVITIES. */
  at(time: number, pose: Float64Array): number {
    const { timeline, posture } = this.#actor;
    const activity = timeline.at(time, pose, (['stand', 'sit', 'lie'] as const)[posture]);
    addDetours(this.#detours, time, pose);
    return activity;
  }

  /** Walks around another person. */
  addDetour(detour: Detour): void {
    this.#detours.push(detour);
  }
}

/** How often a step is played from a recording, if there is one. */
const RECORDED: Readonly<Partial<Record<Step['activity'], number>>> = {
  walk: 0.4,
  jump: 0.6,
  crawl: 0.5,
  exercise: 0.75,
  fall: 0.75,
};
/** Seconds: longer cuts rarely fit into a room. */
const MAX_CUT = 8;

/** Activities that do not begin with getting up; a fall begins at the person's current place. */
const RESTING: ReadonlySet<Step['activity']> = new Set([
  'sit',
  'sit_down',
  'lie',
  'lie_down',
  'get_up',
  'fall',
]);

/** Duration of a step: as set, otherwise random. */
const secondsOf = ({ seconds }: Step, { random }: Actor, low: number, high: number): number =>
  seconds ?? random.uniform(low, high);

/** How each activity is planned. */
const PLANS: Readonly<Record<Step['activity'], (actor: Actor, step: Step) => void>> = {
  walk: (actor, step) => {
    actor.walk(step);
  },
  stand: (actor, step) => {
    const pose = standing(actor.random);
    actor.hold('stand', pose, secondsOf(step, actor, 2, 5));
  },
  arms: (actor, step) => {
    moveArms(actor, secondsOf(step, actor, 2, 6));
  },
  turn: (actor) => {
    actor.turnTo(actor.heading + actor.random.sign() * actor.random.uniform(0.5, 2.5));
  },
  sit_down: sitDown,
  sit: (actor, step) => {
    if (actor.posture !== 1) sitDown(actor, step);
    rest(actor, 'sit', secondsOf(step, actor, 3, 8));
  },
  get_up: (actor) => {
    if (actor.posture !== 0) actor.getUp();
  },
  bend,
  pick_up: pickUp,
  kneel: (actor, step) => {
    kneel(actor, step.seconds);
  },
  jump: (actor, step) => {
    jump(actor, step.seconds);
  },
  exercise: (actor, step) => {
    exercise(actor, secondsOf(step, actor, 4, 10));
  },
  crawl: (actor, step) => {
    crawl(actor, secondsOf(step, actor, 3, 8));
  },
  lie_down: lieDown,
  lie: (actor, step) => {
    if (actor.posture !== 2) lieDown(actor, step);
    rest(actor, 'lie', secondsOf(step, actor, 4, 10));
  },
  away: (actor, step) => {
    leave(actor, secondsOf(step, actor, 5, 10), step.to);
  },
  fall: (actor, step) => {
    fall(actor, step.fall);
  },
};
