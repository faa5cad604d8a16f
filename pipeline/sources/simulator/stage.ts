import {
  type CsiBlock,
  allocateBlock,
  frameSize,
  subcarrierSpacing,
  type CsiLayout,
  type Environment,
} from '../../model/index.js';
import { Body, KEYPOINTS, POSE, POSE_SIZE, randomBody } from './person/body.js';
import type { ImpairmentOptions, PacketPlan } from './impairments.js';
import type { ThingLine, TruthLine } from './truth-file.js';
import { ACTIVITIES, AWAY, POSTURES } from './person/activities.js';
import { keepApart } from './apart.js';
import { bandOf } from './band.js';
import { DEVICES } from './devices.js';
import { randomDoor } from './door.js';
import { Motion } from './motion.js';
import { homePose, postureOf } from './person/poses.js';
import { Random } from './shared/random.js';
import type { MotionLibrary } from './recorded/library.js';
import { clamp, randomRoom, type Diffuse, type Obstacle } from './shared/room.js';
import { Scene, knownRoomOf } from './scene.js';
import type { Reflector } from './shared/reflector.js';
import { stepOf, type PersonConfig, type ThingConfig } from './script.js';
import { makeThing } from './things.js';
import type { Thing } from './thing.js';
import { wrapAngle } from '../../base/angle.js';

/** Transmitted power, dBm; the receiver's noise follows from the link's signal-to-noise ratio. */
const SENT_DBM = 15;
/** Seconds in a cycle of people whose scripts are all empty. */
const FREE_CYCLE = 60;

export interface StageOptions {
  readonly seed: number;
  readonly rateHz: number;
  /** What the receivers report; an ESP32 by default. */
  readonly layout?: CsiLayout;
  readonly people: readonly PersonConfig[];
  readonly impairments: ImpairmentOptions;
  /** Floor point near the wall where people leave and enter; random by default. */
  readonly door?: readonly [number, number];
  readonly library?: MotionLibrary | undefined;
  readonly obstacles?: readonly Obstacle[];
  /** Weak paths of each link; random by default. */
  readonly diffuse?: Diffuse;
  /** What people and things reflect beyond their geometry, decibels; 0 by default. */
  readonly echoDb?: number;
  /** Moving things other than people. */
  readonly things?: readonly ThingConfig[];
}

/** Period of the things' motion, seconds. */
const THINGS_REPEAT = 1800;

/**
 * An environment as a stage on which people repeat their scripts. Time counts in ticks of `1 / rateHz`; each
 * link sends one packet per tick. A cycle is one run of the scripts. It depends only on the seed and the
 * cycle's number, and each packet also on its own number, so playback can start anywhere.
 */
export class Stage {
  readonly #environment: Environment;
  readonly #options: StageOptions;
  readonly #layout: CsiLayout;
  readonly #scene: Scene;
  readonly #people: readonly {
    readonly body: Body;
    readonly home: Float64Array;
    readonly breathing: number | undefined;
    readonly script: PersonConfig['script'];
  }[];
  /** Floor point on a wall. */
  readonly #door: readonly [number, number];
  readonly #pose = new Float64Array(POSE_SIZE);
  readonly #clean: Float64Array;
  readonly #chance = new Random(0);
  readonly #bodies: Reflector[] = [];
  readonly #things: readonly Thing[];
  #cycle = -1;
  #ticks = 0;
  #motions: readonly Motion[] = [];
  #plans: readonly PacketPlan[] = [];

  constructor(environment: Environment, options: StageOptions) {
    this.#environment = environment;
    this.#options = options;
    const { seed } = options;
    const known = knownRoomOf(environment);
    const drawn = randomRoom(new Random(seed, 10), known.size);
    const { obstacles = [], diffuse = drawn.diffuse, echoDb = 0 } = options;
    const room = { ...drawn, obstacles, diffuse, echo: 10 ** (echoDb / 20) };
    const layout = options.layout ?? DEVICES.esp32;
    this.#layout = layout;
    const band = bandOf(
      Array.from(layout.subcarriers),
      layout.centreMhz * 1e6,
      subcarrierSpacing(layout.training),
    );
    this.#scene = new Scene(seed, room, room, known.links, band, options.impairments);
    this.#clean = new Float64Array(frameSize(layout));
    this.#door = options.door ?? randomDoor(new Random(seed, 14), known.size);
    this.#things = (options.things ?? []).map(({ type, position, rpm }, index) => {
      const random = new Random(seed, 15, index);
      const place = position ? ([position[0]!, position[1]!, position[2]!] as const) : undefined;
      return makeThing(type, random, known.size, THINGS_REPEAT, { position: place, rpm });
    });
    this.#people = options.people.map((person, index) => {
      const random = new Random(seed, 11, index);
      const size = randomBody(random);
      const start = person.start ? ([person.start[0]!, person.start[1]!] as const) : undefined;
      return {
        body: new Body({
          ...size,
          height: person.height_m ?? size.height,
          reflectivity: person.reflectivity ?? size.reflectivity,
        }),
        home: homePose(random, known.size, start),
        breathing: person.breathing_bpm === undefined ? undefined : person.breathing_bpm / 60,
        script: person.script,
      };
    });
  }

  get links(): number {
    return this.#scene.links.length;
  }

  /** The clean profile of the empty room, as a calibration would measure it, [subcarriers, (re, im)]. */
  calibration(link: number): Float32Array {
    const out = new Float32Array(frameSize(this.#layout));
    this.#scene.calibrate(link, out);
    return out;
  }

  /** Starts a cycle; returns its number of ticks. */
  enter(cycle: number): number {
    if (cycle === this.#cycle) return this.#ticks;
    const { seed, rateHz, library } = this.#options;
    const { size } = this.#scene;
    this.#motions = this.#people.map((person, index) => {
      const random = new Random(seed, 12, index, cycle);
      const { home, breathing } = person;
      const motion = new Motion(person.body.size, size, random, {
        home,
        breathing,
        door: this.#door,
        library,
      });
      for (const step of person.script) motion.perform(stepOf(step));
      if (person.script.length === 0) improvise(motion, random);
      return motion.goHome();
    });
    const seconds = Math.max(...this.#motions.map((motion) => motion.duration), 0) || FREE_CYCLE;
    if (this.#motions.length > 1) keepApart(this.#motions, seconds, size);
    this.#ticks = Math.ceil(seconds * rateHz);
    this.#plans = this.#scene.receivers.map((receiver, link) =>
      receiver.plan(new Random(seed, 13, link, cycle), this.#ticks, rateHz),
    );
    this.#cycle = cycle;
    return this.#ticks;
  }

  /**
   * The packets that arrive in ticks `from` to `to` (exclusive) of the cycle as one block, in order of time.
   *
   * @param origin event time of the cycle's first tick, microseconds
   * @param sequence number of the cycle's first packet of each link
   * @param table number of each link in the topology's table
   */
  play(from: number, to: number, origin: number, sequence: number, table: readonly number[]): CsiBlock {
    const links = this.links;
    let count = 0;
    for (const plan of this.#plans) for (let tick = from; tick < to; tick++) count += plan.present[tick]!;
    const block = allocateBlock(this.#layout, count);
    const size = frameSize(this.#layout);
    let frame = 0;
    for (let tick = from; tick < to; tick++) {
      for (let link = 0; link < links; link++) {
        const plan = this.#plans[link]!;
        if (plan.present[tick] === 0) continue;
        const time = this.#see(link, tick, sequence);
        const chance = this.#chance;
        const receiver = this.#scene.receivers[link]!;
        const level = meanPowerDb(this.#clean);
        const amplification = receiver.control.gainAt(chance, level - receiver.pathGainDb);
        const gain = plan.gain[tick]!;
        receiver.receive(chance, gain, this.#clean, 0, block.values, frame * size, amplification);
        block.time[frame] = Math.round(origin + time * 1e6);
        block.link[frame] = table[link]!;
        block.sequence[frame] = sequence + tick;
        block.rssi[frame] = receiver.rssi.read(chance, SENT_DBM + level);
        if (Number.isFinite(receiver.snrDb)) {
          block.noise[frame] = Math.round(SENT_DBM + receiver.pathGainDb - receiver.snrDb);
        }
        frame++;
      }
    }
    return block;
  }

  /**
   * The clean channel of a link's packet, in {@link #clean}; {@link #chance} then draws the packet's faults.
   *
   * @param sequence number of the cycle's first packet of each link
   * @returns seconds since the cycle's start
   */
  #see(link: number, tick: number, sequence: number): number {
    const { seed, rateHz, impairments } = this.#options;
    const links = this.links;
    const limit = 0.4 / (rateHz * links);
    this.#chance.reseed(mixFrame(seed, this.#cycle, link, tick));
    // Links take turns within a tick; jitter never changes their order.
    const jitter = clamp(1e-3 * impairments.jitterMs * this.#chance.normal(), -limit, limit);
    const time = (tick + (link + 0.5) / links) / rateHz + jitter;
    const bodies = this.#bodies;
    bodies.length = 0;
    this.#people.forEach((person, index) => {
      this.#motions[index]!.at(time, this.#pose);
      if (this.#pose[POSE.absence] === 1) return;
      person.body.pose(this.#pose);
      bodies.push(person.body);
    });
    for (const thing of this.#things) {
      thing.at(sequence / rateHz + time);
      bodies.push(thing.reflector);
    }
    this.#scene.channel(link, bodies, this.#clean);
    return time;
  }

  /** Positions of things at a tick of the cycle that began at tick `since`. */
  thingTruth(tick: number, since: number, origin: number): ThingLine[] {
    const { rateHz } = this.#options;
    return this.#things.map((thing, number) => ({
      time: Math.round(origin + (tick / rateHz) * 1e6),
      environment: this.#environment.id,
      thing: thing.kind,
      number,
      moving: thing.at((since + tick) / rateHz),
      place: Array.from(thing.reflector.middle, (value) => Math.round(value * 1e4) / 1e4),
    }));
  }

  /** Positions of the people at a tick of the cycle. */
  truth(tick: number, origin: number): TruthLine[] {
    const seconds = tick / this.#options.rateHz;
    return this.#people.map(({ body }, person) => {
      const pose = this.#pose;
      const activity = this.#motions[person]!.at(seconds, pose);
      body.pose(pose);
      const round = (value: number) => Math.round(value * 1e4) / 1e4;
      return {
        time: Math.round(origin + seconds * 1e6),
        environment: this.#environment.id,
        person,
        present: activity !== AWAY,
        activity: ACTIVITIES[activity]!,
        posture: POSTURES[postureOf(pose)],
        root: [round(pose[POSE.x]!), round(pose[POSE.y]!)],
        heading: round(wrapAngle(pose[POSE.heading]!)),
        keypoints: Array.from({ length: KEYPOINTS }, (_, i) =>
          Array.from(body.keypoints.subarray(3 * i, 3 * i + 3), round),
        ),
      };
    });
  }
}

/** About half a minute of ordinary life. */
function improvise(motion: Motion, random: Random): void {
  const names = ['walk', 'stand', 'arms', 'sit', 'bend', 'lie'] as const;
  while (motion.duration < FREE_CYCLE - 15) {
    motion.perform({ activity: names[random.weighted([5, 1, 1, 1.5, 1, 0.5])]! });
  }
}

const meanPowerDb = (values: Float64Array): number => {
  let power = 1e-30;
  for (const value of values) power += value * value;
  return 10 * Math.log10((2 * power) / values.length);
};

const mixFrame = (seed: number, cycle: number, link: number, tick: number): number =>
  (Math.imul(seed, 0x9e3779b1) ^ Math.imul(cycle + 1, 0x85ebca6b) ^ Math.imul(link + 1, 0xc2b2ae35)) +
  Math.imul(tick + 1, 0x27d4eb2f);
