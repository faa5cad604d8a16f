import type { Environment } from '../../model/index.js';
import { Body, POSE, POSE_SIZE } from './person/body.js';
import { bandOf, GROUPS, type Band } from './band.js';
import { Channel } from './channel.js';
import { IMPAIRMENTS, Receiver, type ImpairmentOptions, type PacketPlan } from './impairments.js';
import type { Motion } from './motion.js';
import { LEAD, MOTION_MIX, randomPeople, type MotionMix } from './people.js';
import { randomObstacles } from './obstacles.js';
import { Random } from './shared/random.js';
import type { MotionLibrary } from './recorded/library.js';
import {
  diffusePaths,
  distance,
  link as linkBetween,
  moveFurniture,
  randomLinks,
  randomRoom,
  randomSize,
  type Diffuse,
  type Room,
  type SceneLink,
  type Size,
  type Vec3,
} from './shared/room.js';
import type { Reflector } from './shared/reflector.js';
import { makeThing } from './things.js';
import { THINGS, type Thing, type ThingKind } from './thing.js';
import { emptyTruth, writeTruth, type Truth, type ThingTruth } from './truth.js';

export interface SequenceOptions {
  /** Seconds; default 2. Longer sequences cost less per second and give more windows per room. */
  readonly seconds?: number;
  /** Samples per second; default 50. */
  readonly rateHz?: number;
  /** Multiples of 312.5 kHz from the carrier; default: the middles of 13 groups of 4 (-26 to 26). */
  readonly subcarriers?: readonly number[];
  /** Default 2.437 GHz. */
  readonly carrierHz?: number;
  /** Number of links of a random room; default 4. At most 15. */
  readonly links?: number;
  /** Receive antennas of the links of a random room; default 1. */
  readonly antennas?: number;
  /** Use this room and these links; wall materials, furniture and people stay random. */
  readonly room?: KnownRoom;
  /** Number of people, who do not walk through each other; default 1. */
  readonly persons?: number;
  readonly mix?: MotionMix;
  /** Recorded motion that people play besides the simulated one, see {@link loadMotion}. */
  readonly motion?: MotionLibrary | undefined;
  readonly impairments?: ImpairmentOptions;
  /** Minimum and maximum number of pieces of blocking furniture; default: none. */
  readonly obstacles?: readonly [number, number];
  /** Share of rooms that contain each of these things; default: none. */
  readonly things?: Readonly<Partial<Record<ThingKind, number>>>;
  /** Share of rooms in which a piece of furniture has moved since the calibration; default 0.5. */
  readonly movedFurniture?: number;
  /** Packets of the empty room, one per second, in `empty`; default 0. */
  readonly emptyPackets?: number;
  /** Diffuse paths of every room; random by default. */
  readonly diffuse?: Diffuse;
}

/** A room or flat whose size and links are known. */
export interface KnownRoom {
  readonly size: Size;
  readonly links: readonly SceneLink[];
}

/** Size and links in an environment file. */
export const knownRoomOf = (environment: Environment): KnownRoom => ({
  size: environment.size,
  links: environment.links.map((entry) => {
    const [x, y] = entry.antenna_axis ?? [1, 0];
    return linkBetween(vec(entry.transmitter), vec(entry.receiver), 1, Math.atan2(y ?? 0, x ?? 1));
  }),
});

export interface Sequence {
  readonly links: number;
  readonly samples: number;
  readonly antennas: number;
  readonly subcarriers: number;
  /** [links, samples, antennas, subcarriers, (re, im)]: received; a lost packet repeats the previous one. */
  readonly csi: Float32Array;
  /**
   * [links, antennas, subcarriers, (re, im)]: the empty room, measured beforehand, in the scale of `csi`. Its
   * phase is correct up to an offset and a slope.
   */
  readonly calibration: Float32Array;
  /** [links, emptyPackets, antennas, subcarriers, (re, im)]: the empty room, received beforehand. */
  readonly empty: Float32Array;
  /** [links, samples]: 1 if a packet arrived. */
  readonly present: Uint8Array;
  /** Size and links, in metres. */
  readonly room: KnownRoom;
  readonly truth: Truth;
  readonly things: readonly ThingTruth[];
}

/**
 * A random scene as training data. Pure: the same seed and options give the same numbers, in any worker.
 *
 * @throws RangeError if the options request more links than six nodes have
 */
export function simulateSequence(seed: number, options: SequenceOptions = {}): Sequence {
  const { seconds = 2, rateHz = 50, antennas = 1, persons = 1, mix = MOTION_MIX } = options;
  const random = new Random(seed, 1);
  const size = options.room?.size ?? randomSize(random);
  const links = options.room?.links ?? randomLinks(random, size, options.links ?? 4, antennas);
  const chance = new Random(seed, 9);
  const [least, most] = options.obstacles ?? [0, 0];
  const count = least + chance.below(most - least + 1);
  const obstacles = randomObstacles(chance, size, links, count);
  const drawn = randomRoom(random, size);
  const room = { ...drawn, obstacles, diffuse: options.diffuse ?? drawn.diffuse };
  const later = random.chance(options.movedFurniture ?? 0.5) ? moveFurniture(random, room) : room;
  const band = bandOf(options.subcarriers ?? GROUPS, options.carrierHz);
  const people = randomPeople(seed, persons, size, seconds, mix, options.motion);
  const scene = new Scene(seed, room, later, links, band, options.impairments ?? IMPAIRMENTS);
  const things = randomThings(seed, size, seconds + LEAD, options.things ?? {});
  const empty = scene.recordEmpty(options.emptyPackets ?? 0);
  return { ...scene.record(people, LEAD, Math.round(seconds * rateHz), rateHz, things), empty };
}

/** Each thing has its own stream, so adding one leaves the rest of the scene unchanged. */
function randomThings(
  seed: number,
  size: Size,
  seconds: number,
  shares: Readonly<Partial<Record<ThingKind, number>>>,
): Thing[] {
  return THINGS.flatMap((kind, index) => {
    const random = new Random(seed, 8, index);
    return random.chance(shares[kind] ?? 0) ? [makeThing(kind, random, size, seconds)] : [];
  });
}

/** A room with its links and receivers. */
export class Scene {
  readonly links: readonly SceneLink[];
  readonly size: Size;
  readonly subcarriers: number;
  readonly receivers: readonly Receiver[];
  readonly #seed: number;
  /** [link][antenna]. */
  readonly #channels: readonly (readonly Channel[])[];
  readonly #empty: readonly Float64Array[];

  /** `calibrated` is the room when it was measured empty, `room` its current state. */
  constructor(
    seed: number,
    calibrated: Room,
    room: Room,
    links: readonly SceneLink[],
    band: Band,
    impairments: ImpairmentOptions,
  ) {
    this.#seed = seed;
    this.links = links;
    this.size = room.size;
    this.subcarriers = band.offsets.length;
    const channels = (of: Room) =>
      links.map((entry, link) =>
        entry.antennas.map((antenna, index) => {
          const direct = distance(entry.transmitter, antenna);
          const diffuse = diffusePaths(new Random(seed, 6, link, index), of.diffuse, direct);
          return new Channel(of, entry.transmitter, antenna, band, diffuse);
        }),
      );
    this.#channels = channels(room);
    const before = calibrated === room ? this.#channels : channels(calibrated);
    this.#empty = before.map((antennas) => {
      const values = new Float64Array(antennas.length * this.subcarriers * 2);
      antennas.forEach((channel, index) => {
        channel.respond([], values, index * this.subcarriers * 2);
      });
      return values;
    });
    this.receivers = this.#empty.map(
      (empty, index) =>
        new Receiver(new Random(seed, 3, index), new Random(seed, 16, index), impairments, band, empty),
    );
  }

  /** Count of numbers in one packet of a link. */
  packetSize(link: number): number {
    return this.#empty[link]!.length;
  }

  /** The clean channel of a link with these bodies, [antennas, subcarriers, 2]. */
  channel(link: number, bodies: readonly Reflector[], out: Float64Array): void {
    this.#channels[link]!.forEach((channel, antenna) => {
      channel.respond(bodies, out, antenna * this.subcarriers * 2);
    });
  }

  /** Result of a calibration of the empty room, [antennas, subcarriers, 2] at `to`. */
  calibrate(link: number, out: Float32Array, to = 0): void {
    this.receivers[link]!.calibrate(new Random(this.#seed, 4, link), this.#empty[link]!, out, to);
  }

  /** The calibrated, empty room: [links, packets, antennas, subcarriers, (re, im)]. */
  recordEmpty(packets: number): Float32Array {
    const size = this.packetSize(0);
    const out = new Float32Array(this.links.length * packets * size);
    this.receivers.forEach((receiver, link) => {
      const chance = new Random(this.#seed, 7, link);
      const { gain } = receiver.plan(chance, packets, 1);
      const drift = receiver.drift(chance);
      for (let n = 0; n < packets; n++) {
        receiver.receive(chance, drift * gain[n]!, this.#empty[link]!, 0, out, (link * packets + n) * size);
      }
    });
    return out;
  }

  /** Samples `start + i / rate` of all links with these people. */
  record(
    people: readonly Motion[],
    start: number,
    samples: number,
    rate: number,
    things: readonly Thing[] = [],
  ): Omit<Sequence, 'empty'> {
    const links = this.links.length;
    const antennas = this.links[0]?.antennas.length ?? 0;
    const packet = antennas * this.subcarriers * 2;
    const csi = new Float32Array(links * samples * packet);
    const calibration = new Float32Array(links * packet);
    const present = new Uint8Array(links * samples);
    const truth = emptyTruth(people.length, samples);
    const bodies = people.map((motion) => new Body(motion.body));
    const here: Reflector[] = [];
    const thingTruth = emptyThingTruth(things, samples);
    const clean = new Float64Array(packet);
    const plans: PacketPlan[] = [];
    const chances: Random[] = [];
    for (let link = 0; link < links; link++) {
      this.calibrate(link, calibration, link * packet);
      const chance = new Random(this.#seed, 5, link);
      plans.push(this.receivers[link]!.plan(chance, samples, rate));
      chances.push(chance);
      present.set(plans[link]!.present, link * samples);
    }
    const pose = new Float64Array(POSE_SIZE);
    for (let sample = 0; sample < samples; sample++) {
      const time = start + sample / rate;
      here.length = 0;
      people.forEach((motion, person) => {
        const activity = motion.at(time, pose);
        bodies[person]!.pose(pose);
        if (pose[POSE.absence]! < 1) here.push(bodies[person]!);
        writeTruth(truth, person, samples, sample, pose, bodies[person]!, activity);
      });
      things.forEach((thing, index) => {
        thingTruth[index]!.moving[sample] = thing.at(time) ? 1 : 0;
        thingTruth[index]!.place.set(thing.reflector.middle, 3 * sample);
        here.push(thing.reflector);
      });
      for (let link = 0; link < links; link++) {
        const at = (link * samples + sample) * packet;
        if (present[link * samples + sample] === 0 && sample > 0) {
          csi.copyWithin(at, at - packet, at);
          continue;
        }
        this.channel(link, here, clean);
        this.receivers[link]!.receive(chances[link]!, plans[link]!.gain[sample]!, clean, 0, csi, at);
      }
    }
    return {
      ...{ links, samples, antennas, subcarriers: this.subcarriers },
      ...{ csi, calibration, present, truth, things: thingTruth },
      room: { size: this.size, links: this.links },
    };
  }
}

/** By thing; filled in later. */
const emptyThingTruth = (things: readonly Thing[], samples: number) =>
  things.map(({ kind }) => ({
    kind,
    moving: new Uint8Array(samples),
    place: new Float32Array(3 * samples),
  }));

const vec = (position: readonly number[]): Vec3 => [position[0]!, position[1]!, position[2]!];
