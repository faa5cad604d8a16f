import {
  csiLayout,
  type CsiLayout,
  type Environment,
  type TrainingField,
} from '../../../pipeline/model/index.js';
import {
  ACTIVITIES as SIMULATED,
  EVERYDAY_MIX,
  IMPAIRMENTS,
  MOTION_MIX,
  simulateSequence,
  knownRoomOf,
  type ImpairmentOptions,
  type Sequence,
} from '../../../pipeline/sources/simulator/index.js';
import { bell } from '../../../pipeline/base/random.js';
import { throughChain } from '../../training/front-end.js';
import { JOINTS } from '../networks/body.js';
import { axesAt, turnBack } from '../inputs/geometry.js';
import {
  LINK_FEATURES,
  linkFeatures,
  logAmplitudes,
  profileOf,
  type LogAmplitude,
} from '../inputs/features.js';
import { POINTS, STEP_US } from '../inputs/grid.js';
import {
  ACTIVITIES,
  allocateSamples,
  MAX_PEOPLE,
  PERSON,
  personTruth,
  PLACE_OF_LINK,
  PLACES_HEAD,
  TRUTH,
  type Activity,
  type Samples,
} from './samples.js';

/** What to simulate. The same plan and chunk yield the same samples in any worker. */
export interface Plan {
  readonly seed: number;
  /** Links of random rooms; a known room has its own links. */
  readonly links: number;
  /** Sequences in a chunk, each with a different room, bodies and motions. */
  readonly sequences: number;
  readonly seconds: number;
  /** Windows cut at random from each sequence. */
  readonly windows: number;
  /** Shares of sequences with nobody, one person, two and so on. */
  readonly people: readonly number[];
  /** Share of people's motions that start with a fall. */
  readonly falls: number;
  /** Impairments of links: `wide` is everything that a receiver of any kind may do, `ordinary` a good installation. */
  readonly conditions: 'wide' | 'ordinary';
  /** Channel of all rooms, MHz; missing: that of the conditions. */
  readonly centreMhz?: number | undefined;
  /** This room instead of random ones. */
  readonly environment: Environment | null;
}

/** Packets of the empty room for its profile. */
const EMPTY_PACKETS = 50;

/** Labelled windows of chunk number `chunk`. */
export function generateChunk(plan: Plan, chunk: number): Samples {
  const known = plan.environment ? knownRoomOf(plan.environment) : undefined;
  const links = known?.links.length ?? plan.links;
  const samples = allocateSamples(plan.sequences * plan.windows, links);
  for (let s = 0; s < plan.sequences; s++) {
    const room = chunk * plan.sequences + s;
    const chance = uniform(plan.seed, room);
    const conditions = conditionsOf(plan, chance);
    const sequence = simulateSequence(roomSeed(plan.seed, room), {
      seconds: plan.seconds,
      persons: drawn(plan.people, chance),
      mix: { ...(chance() < 0.5 ? EVERYDAY_MIX : MOTION_MIX), fall: plan.falls },
      emptyPackets: EMPTY_PACKETS,
      rateHz: conditions.rateHz,
      subcarriers: Array.from(conditions.layout.subcarriers),
      carrierHz: conditions.layout.centreMhz * 1e6,
      impairments: conditions.impairments,
      ...(known ? { room: known } : { links }),
    });
    const received = Array.from({ length: links }, (_, link) => receive(sequence, link, conditions, chance));
    const last = Math.floor((plan.seconds * 1e6) / STEP_US) - POINTS;
    for (let w = 0; w < plan.windows; w++) {
      const start = Math.min(last, Math.floor(((w + chance()) / plan.windows) * (last + 1)));
      writeSample(samples, s * plan.windows + w, { room, sequence, received, start, conditions, chance });
    }
  }
  return samples;
}

/** Seed of everything in room number `room`, below 2^24, of a plan. */
export const roomSeed = (seed: number, room: number): number => seed * 2 ** 24 + room;

/** The properties of a room's receivers. */
interface Conditions {
  readonly layout: CsiLayout;
  readonly rateHz: number;
  readonly impairments: ImpairmentOptions;
  /** Standard deviation between the true and the configured positions of the nodes, metres. */
  readonly misplaced: number;
  /** Shares of links that deliver noise, and that repeat one frame. */
  readonly noisy: number;
  readonly stuck: number;
}

const layoutOf = (training: TrainingField, centreMhz: number, subcarriers: readonly number[]): CsiLayout =>
  csiLayout({ rx: 1, tx: 1, bandwidthMhz: 20, centreMhz, training, subcarriers });

const without0 = (indices: readonly number[]): number[] => indices.filter((index) => index !== 0);
const range = (low: number, high: number, step: number): number[] =>
  Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => low + i * step);

/** 52 of an ESP32 or of the middle of an 802.11ac card, 56 of HT20, 30 of an Intel 5300, 26 of a coarse grouping. */
const CARRIERS: readonly (readonly [TrainingField, readonly number[]])[] = [
  ['lltf', without0(range(-26, 26, 1))],
  ['ht-ltf', without0(range(-28, 28, 1))],
  ['ht-ltf', [...range(-28, -2, 2), -1, 1, ...range(3, 27, 2), 28]],
  ['ht-ltf', without0(range(-26, 26, 2))],
];

/** Shares of rates and carriers among `wide` conditions. */
const RATES = [20, 30, 50, 100] as const;
const RATE_SHARES = [0.12, 0.2, 0.6, 0.08];
const CARRIER_SHARES = [0.65, 0.12, 0.15, 0.08];
const CENTRE_MHZ = [2437, 5220] as const;

function conditionsOf(plan: Plan, chance: () => number): Conditions {
  const ordinary = plan.conditions === 'ordinary';
  const [training, subcarriers] = CARRIERS[ordinary ? 0 : drawn(CARRIER_SHARES, chance)]!;
  const middle = 8 + 33 * chance();
  const snrDb = ordinary ? IMPAIRMENTS.snrDb : ([Math.max(3, middle - 8), middle + 8] as const);
  return {
    layout: layoutOf(
      training,
      plan.centreMhz ?? CENTRE_MHZ[!ordinary && chance() < 0.15 ? 1 : 0],
      subcarriers,
    ),
    rateHz: ordinary ? 50 : RATES[drawn(RATE_SHARES, chance)]!,
    impairments: { ...IMPAIRMENTS, snrDb },
    misplaced: ordinary ? 0 : Math.max(0, 0.35 * chance() - 0.1),
    noisy: ordinary ? 0 : 0.03,
    stuck: ordinary ? 0 : 0.01,
  };
}

/** An index, drawn in proportion to the shares. */
export function drawn(shares: readonly number[], chance: () => number): number {
  let rest = chance() * shares.reduce((sum, share) => sum + share, 0);
  const index = shares.findIndex((share) => (rest -= share) < 0);
  return index < 0 ? shares.length - 1 : index;
}

interface Received {
  readonly amplitude: LogAmplitude;
  /** 1 if no packet was near enough. */
  readonly gaps: Uint8Array;
  readonly profile: Float32Array;
}

/** A link's log-amplitudes after the shipped chain, and the empty-room profile that `csiflow calibrate` would learn. */
function receive(sequence: Sequence, link: number, conditions: Conditions, chance: () => number): Received {
  const { layout, rateHz, noisy, stuck } = conditions;
  const { samples } = sequence;
  const frame = 2 * layout.subcarriers.length;
  const present = sequence.present.subarray(link * samples, (link + 1) * samples);
  const received = [...present.keys()].filter((sample) => present[sample] === 1);
  const offset = chance();
  const times = Float64Array.from(received, (sample) => ((sample + offset) / rateHz) * 1e6);
  const values = new Float32Array(received.length * frame);
  received.forEach((sample, n) => {
    const from = (link * samples + sample) * frame;
    values.set(sequence.csi.subarray(from, from + frame), n * frame);
  });
  const fault = chance();
  if (fault < noisy) fillWithNoise(values, chance);
  else if (fault < noisy + stuck)
    for (let at = frame; at < values.length; at += frame) values.copyWithin(at, 0, frame);
  const points = Math.floor((samples / rateHz) * 1e6) / STEP_US;
  const course = throughChain({ layout, times, values }, STEP_US, points);
  const packets = sequence.empty.length / sequence.links / frame;
  const empty = throughChain(
    {
      layout,
      times: Float64Array.from({ length: packets }, (_, n) => n * STEP_US),
      values: sequence.empty.subarray(link * packets * frame, (link + 1) * packets * frame),
    },
    STEP_US,
    packets,
  );
  return {
    amplitude: logAmplitudes({ ...linkOf(layout), values: course.values }),
    gaps: course.gaps,
    profile: profileOf(logAmplitudes({ ...linkOf(layout), values: empty.values })),
  };
}

const linkOf = ({ key, rx, tx, subcarriers, centreMhz }: CsiLayout) => ({
  layout: key,
  rx,
  tx,
  subcarriers,
  centreMhz,
});

/** Output of a receiver without a signal, in steps of its converter. */
function fillWithNoise(values: Float32Array, chance: () => number): void {
  for (let i = 0; i < values.length; i++) values[i] = Math.round(12 * bell(chance));
}

interface Cut {
  readonly room: number;
  readonly sequence: Sequence;
  readonly received: readonly Received[];
  readonly conditions: Conditions;
  /** First point of the window. */
  readonly start: number;
  readonly chance: () => number;
}

function writeSample(samples: Samples, at: number, cut: Cut): void {
  const { room, sequence, received, conditions, start, chance } = cut;
  const { rateHz, layout, misplaced } = conditions;
  received.forEach(({ amplitude, gaps, profile }, link) => {
    let lost = 0;
    for (let t = start; t < start + POINTS; t++) lost += gaps[t]!;
    const gapShare = lost / POINTS;
    const frameRate = (rateHz * STEP_US * arrived(sequence, link)) / 1e6;
    const to = (at * received.length + link) * LINK_FEATURES;
    linkFeatures(
      amplitude,
      start,
      { profile, gapShare, frameRate, centreMhz: layout.centreMhz, reducedDb: 0 },
      samples.features,
      to,
    );
  });
  const places = samples.places.subarray(at * (PLACES_HEAD + received.length * PLACE_OF_LINK));
  places.set([sequence.room.size.x, sequence.room.size.y]);
  sequence.room.links.forEach(({ transmitter, antennas }, link) => {
    places.set([...transmitter, ...antennas[0]!], PLACES_HEAD + link * PLACE_OF_LINK);
  });
  for (let i = PLACES_HEAD; i < PLACES_HEAD + received.length * PLACE_OF_LINK; i++) {
    places[i]! += misplaced * bell(chance);
  }
  samples.room[at] = room;
  const middle = ((start + POINTS / 2) * STEP_US) / 1e6;
  writePeople(sequence.truth, Math.round(middle * rateHz), rateHz, samples.truth, at);
}

/** Share of a link's packets that arrived. */
function arrived({ present, samples }: Sequence, link: number): number {
  let sum = 0;
  for (let i = link * samples; i < (link + 1) * samples; i++) sum += present[i]!;
  return sum / samples;
}

/** All persons in one sample, their joints in the bodies' own axes. */
function writePeople(
  from: Sequence['truth'],
  sample: number,
  rateHz: number,
  truth: Float32Array,
  at: number,
): void {
  const samples = from.heading.length / Math.max(1, from.persons);
  let people = 0;
  for (let person = 0; person < from.persons && people < MAX_PEOPLE; person++) {
    const row = person * samples + sample;
    const activity = GROUPED[SIMULATED[from.activity[row]!]!];
    if (activity === 'empty') continue;
    const out = personTruth(truth, at, people++);
    const x = from.root[2 * row]!;
    const y = from.root[2 * row + 1]!;
    const own = axesAt(from.heading[row]!);
    out[PERSON.activity] = ACTIVITIES.indexOf(activity);
    out.set([x, y], PERSON.root);
    out.set([own.cos, own.sin], PERSON.heading);
    out[PERSON.posture] = from.posture[row]!;
    out[PERSON.moving] = Number(speedAt(from, person * samples, sample, samples, rateHz) > MOVING);
    for (let j = 0; j < JOINTS; j++) {
      const joint = 3 * (row * JOINTS + j);
      const dx = from.keypoints[joint]! - x;
      const dy = from.keypoints[joint + 1]! - y;
      out.set([...turnBack(own, dx, dy), from.keypoints[joint + 2]!], PERSON.joints + 3 * j);
    }
  }
  truth[at * TRUTH.size + TRUTH.people] = people;
}

/**
 * Speed of the floor point from which a person counts as walking, metres per second, and its averaging time
 * in seconds.
 */
export const MOVING = 0.2;
const SPEED_SECONDS = 0.8;

function speedAt(
  from: Sequence['truth'],
  row: number,
  sample: number,
  samples: number,
  rateHz: number,
): number {
  const reach = Math.round((SPEED_SECONDS / 2) * rateHz);
  const before = Math.max(0, sample - reach);
  const after = Math.min(samples - 1, sample + reach);
  const along = (axis: 0 | 1) => from.root[2 * (row + after) + axis]! - from.root[2 * (row + before) + axis]!;
  return (Math.hypot(along(0), along(1)) * rateHz) / (after - before);
}

const GROUPED: Readonly<Record<(typeof SIMULATED)[number], Activity>> = {
  walk: 'walking',
  stand: 'standing',
  turn: 'standing',
  arms: 'arms',
  sit_down: 'changing',
  get_up: 'changing',
  bend: 'changing',
  lie_down: 'changing',
  sit: 'sitting',
  lie: 'lying',
  fall: 'falling',
  away: 'empty',
  pick_up: 'changing',
  jump: 'changing',
  kneel: 'changing',
  crawl: 'changing',
  exercise: 'changing',
};

/** Seconds of a sequence from which exactly one window is cut. */
export const ONE_WINDOW = (POINTS * STEP_US) / 1e6;

/** Numbers in [0, 1) of a separate stream (xorshift32 after a multiplicative hash). */
export function uniform(seed: number, stream: number): () => number {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(stream + 1, 0xc2b2ae35)) | 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 8; i++) next();
  return next;
}
