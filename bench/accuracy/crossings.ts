import { sigmaOf } from '../../operators/shared/floor-error.js';
import type { Person, PoseFrame, Posture } from '../../pipeline/model/index.js';
import { ACTIVITIES, AWAY, POSTURES, type Step } from '../../pipeline/sources/simulator/person/activities.js';
import { POSE, POSE_SIZE, randomBody } from '../../pipeline/sources/simulator/person/body.js';
import { Motion } from '../../pipeline/sources/simulator/motion.js';
import { postureOf } from '../../pipeline/sources/simulator/person/poses.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';
import { randomSize, type Size } from '../../pipeline/sources/simulator/shared/room.js';
import type { Place } from './tracking.js';

/**
 * Simulated people who cross each other's paths, and a pose network's output for them. Its errors are drawn
 * at random: no network runs, so only the tracker is judged.
 */

/** Pose frames per second. */
export const FRAME_RATE = 5;
export const FIRST_TIME = 1_700_000_000_000_000;

/**
 * The errors of the network shipped on 2026-11-23 in rooms excluded from its training, from `csiflow evaluate chain`: mean error
 * of a place, correlation time of errors, the share of pose frames without an answer, and the duration of such a
 * gap in seconds.
 */
const SIGHTS = {
  alone: { error: 0.43, memory: 3, missing: 0.005, gaps: [0.4, 0.8] },
  several: { error: 0.75, memory: 1.5, missing: 0.02, gaps: [0.4, 0.8] },
  still: { error: 0.45, memory: 60, missing: 0.01, gaps: [0.6, 1.5] },
} as const;
/** Mean interval between false persons, seconds. */
const GHOST_SECONDS = 60;

interface Sight {
  readonly error: number;
  readonly memory: number;
  readonly missing: number;
  readonly gaps: readonly [number, number];
}

export interface TruePerson extends Place {
  readonly activity: (typeof ACTIVITIES)[number];
}

export interface Scene {
  readonly size: Size;
  readonly truth: readonly (readonly TruePerson[])[];
  readonly poseFrames: readonly PoseFrame[];
}

/**
 * `cross`: back and forth through the middle; `wander`: anywhere, with stops; `alone`: a day compressed to
 * minutes, then nobody.
 */
export type Story = 'cross' | 'wander' | 'alone';

export function crossing(seed: number, story: Story, people = 2): Scene {
  const random = new Random(seed, 60);
  const size = randomSize(random);
  const count = story === 'alone' ? 1 : people;
  const motions = Array.from({ length: count }, (_, index) => motionOf(story, size, index, random));
  const seconds = story === 'alone' ? motions[0]!.duration : 60;
  const pose = new Float64Array(POSE_SIZE);
  const truth = Array.from({ length: Math.floor(seconds * FRAME_RATE) }, (_, frame) =>
    motions.flatMap((motion, index): (TruePerson & { posture: Posture })[] => {
      const doing = motion.at(frame / FRAME_RATE, pose);
      if (doing === AWAY) return [];
      const posture = POSTURES[postureOf(pose)];
      return [{ id: index + 1, x: pose[POSE.x]!, y: pose[POSE.y]!, activity: ACTIVITIES[doing]!, posture }];
    }),
  );
  const network = new Network(random, size, count);
  const poseFrames = truth.map((persons, frame) => poseFrame(frame, network.tell(persons)));
  return { size, truth, poseFrames };
}

function motionOf(story: Story, size: Size, index: number, random: Random): Motion {
  const motion = new Motion(randomBody(random), size, random);
  for (const step of stepsOf(story, size, index, random)) motion.perform(step);
  return motion;
}

function stepsOf(story: Story, size: Size, index: number, random: Random): Step[] {
  if (story === 'alone') return alone(random);
  if (story === 'wander')
    return Array.from({ length: 8 }, () => [
      { activity: 'walk', seconds: random.uniform(6, 12) } as const,
      { activity: random.chance(0.3) ? 'arms' : 'stand', seconds: random.uniform(2, 8) } as const,
    ]).flat();
  // Each walks between two opposite corners, so that all meet in the middle at full speed.
  const [right, up] = [index % 2 === 0 ? 1 : -1, index < 2 ? 1 : 0];
  return Array.from({ length: 16 }, (_, lap): Step => {
    const side = lap % 2 === 0 ? 1 : -1;
    const to = [
      size.x * (0.5 + 0.5 * side * right) + random.uniform(-0.4, 0.4),
      size.y * (0.5 + 0.5 * side * up) + random.uniform(-0.4, 0.4),
    ] as const;
    return { activity: 'walk', to, speed: random.uniform(0.6, 1.3) };
  });
}

const alone = (random: Random): Step[] => [
  { activity: 'walk', seconds: 12 },
  { activity: random.chance(0.5) ? 'sit' : 'stand', seconds: random.uniform(15, 40) },
  { activity: 'walk', seconds: 10 },
  { activity: 'lie', seconds: random.uniform(15, 40) },
  { activity: 'get_up' },
  { activity: 'walk', seconds: 10 },
  { activity: 'fall' },
  { activity: 'lie', seconds: 30 },
  { activity: 'get_up' },
  { activity: 'walk', seconds: 8 },
  { activity: 'away', seconds: 60 },
];

/** A correlated error in standard deviations: an autoregressive process of unit variance on both axes. */
class Drift {
  x: number;
  y: number;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
    this.x = random.normal();
    this.y = random.normal();
  }

  step(memory: number): void {
    const keep = Math.exp(-1 / FRAME_RATE / memory);
    const rest = Math.sqrt(1 - keep * keep);
    this.x = keep * this.x + rest * this.#random.normal();
    this.y = keep * this.y + rest * this.#random.normal();
  }
}

/** One person as the network sees them: estimated place, reported error, and whether they are seen at all. */
class Seen {
  readonly error: Drift;
  readonly #scale: Drift;
  readonly #random: Random;
  #until = 0;
  seen = true;
  metres: number = SIGHTS.alone.error;

  constructor(random: Random) {
    this.#random = random;
    this.error = new Drift(random);
    this.#scale = new Drift(random);
  }

  step(sight: Sight, frame: number): void {
    this.error.step(sight.memory);
    this.#scale.step(3);
    this.metres = sight.error * Math.exp(0.25 * this.#scale.x);
    if (frame < this.#until) return;
    const [short, long] = sight.gaps;
    const gap = this.#random.chance(0.8) ? short : long;
    const mean = 0.8 * short + 0.2 * long;
    this.seen = !this.seen || sight.missing === 0;
    const lasting = this.seen ? (mean * (1 - sight.missing)) / sight.missing : gap;
    this.#until = frame + FRAME_RATE * lasting * -Math.log(1 - this.#random.next());
  }
}

interface Ghost {
  readonly x: number;
  readonly y: number;
  readonly until: number;
  readonly error: Drift;
  readonly metres: number;
}

class Network {
  readonly #random: Random;
  readonly #size: Size;
  readonly #seen: readonly Seen[];
  #ghost: Ghost | null = null;
  #frame = -1;

  constructor(random: Random, size: Size, people: number) {
    this.#random = random;
    this.#size = size;
    this.#seen = Array.from({ length: people }, () => new Seen(random));
  }

  /** The persons of the next pose frame, in any order. */
  tell(truth: readonly (TruePerson & { readonly posture: Posture })[]): Person[] {
    this.#frame++;
    const persons = truth.flatMap(({ id, activity, x, y, posture }) => {
      const seen = this.#seen[id - 1]!;
      seen.step(this.#sightOf(activity), this.#frame);
      return seen.seen ? [person(x, y, seen.error, seen.metres, posture)] : [];
    });
    const ghost = this.#haunt();
    return this.#shuffled(ghost ? [...persons, ghost] : persons);
  }

  #sightOf(activity: TruePerson['activity']): Sight {
    if (this.#seen.length > 1) return SIGHTS.several;
    const rests = activity === 'stand' || activity === 'sit' || activity === 'lie';
    return rests ? SIGHTS.still : SIGHTS.alone;
  }

  /** Adds a false person now and then, for about a second. */
  #haunt(): Person | null {
    const random = this.#random;
    if (this.#ghost && this.#frame >= this.#ghost.until) this.#ghost = null;
    if (!this.#ghost && random.chance(1 / GHOST_SECONDS / FRAME_RATE)) {
      const lasting = -0.8 * Math.log(1 - random.next());
      this.#ghost = {
        x: random.uniform(0.5, this.#size.x - 0.5),
        y: random.uniform(0.5, this.#size.y - 0.5),
        until: this.#frame + FRAME_RATE * lasting,
        error: new Drift(random),
        metres: random.uniform(0.5, 1.3),
      };
    }
    if (!this.#ghost) return null;
    this.#ghost.error.step(SIGHTS.several.memory);
    return person(this.#ghost.x, this.#ghost.y, this.#ghost.error, this.#ghost.metres, 'upright');
  }

  #shuffled<T>(all: T[]): T[] {
    for (let i = all.length - 1; i > 0; i--) {
      const j = this.#random.below(i + 1);
      [all[i], all[j]] = [all[j]!, all[i]!];
    }
    return all;
  }
}

function person(x: number, y: number, error: Drift, metres: number, posture: Posture): Person {
  const sigma = sigmaOf(metres);
  return {
    confidence: 0.6 / (0.6 + metres),
    position: { x: x + sigma * error.x, y: y + sigma * error.y, z: 0 },
    positionError: metres,
    heading: null,
    headingConfidence: 0,
    posture,
    keypoints: [],
    articulated: false,
    track: null,
  };
}

const poseFrame = (frame: number, persons: readonly Person[]): PoseFrame => ({
  port: 'pose',
  frameId: frame,
  environment: 'bench',
  time: FIRST_TIME + (frame * 1_000_000) / FRAME_RATE,
  windowEnd: FIRST_TIME + (frame * 1_000_000) / FRAME_RATE + 1_000_000,
  processingMs: 0,
  persons,
  links: 4,
  signalQuality: 1,
  provenance: { origin: 'simulated' },
});
