import { Value } from 'typebox/value';
import { bodyVelocity } from '../../../operators/body-velocity/body-velocity.js';
import { csiRatio } from '../../../operators/csi-ratio/csi-ratio.js';
import { denoise } from '../../../operators/denoise/denoise.js';
import { quantile } from '../../../operators/shared/median.js';
import type { AnyOperator, Context, Operator, Output } from '../../../pipeline/component/index.js';
import {
  allocateBlock,
  csiLayout,
  frameSize,
  LinkTable,
  sliceBlock,
  type CsiBlock,
  type Data,
  type Environment,
  type Measure,
  type Person,
  type PoseFrame,
} from '../../../pipeline/model/index.js';
import {
  simulateSequence,
  knownRoomOf,
  type Sequence,
  type Vec3,
} from '../../../pipeline/sources/simulator/index.js';
import { benchContext, environmentOf } from '../../shared/context.js';

const RATE = 200;
const SECONDS = 8;
const CARRIER_MHZ = 5320;
const SIDE = 5;
const SPEED_OF_LIGHT = 299.792458;
/** Frames of a spectrum: 0.32 s. Position and speed of the body are those at its middle. */
const WINDOW = 64;
/** The true velocity is measured over this many seconds in both directions: about a step. */
const STEP = 0.1;
const WALKS = { walk: 1, stand: 0, arms: 0, sit: 0, lie: 0, change: 0, fall: 0 };
/** Nobody walks slower than this. */
const WALKING = 0.4;

/** Links along the walls of a square room, then across it. */
const CORNERS: readonly (readonly [number, number])[] = [
  [0.2, 0.2],
  [4.8, 0.2],
  [4.8, 4.8],
  [0.2, 4.8],
];
const ENDS: readonly (readonly [from: number, to: number])[] = [
  [0, 1],
  [1, 2],
  [2, 3],
  [3, 0],
  [0, 2],
  [1, 3],
];

/** Errors of `body-velocity`. */
export interface WalkersSeen {
  readonly links: number;
  readonly place: string;
  /** Number of estimates for a walking person. */
  readonly looks: number;
  /** Degrees: median and upper quartile. */
  readonly angle: readonly [number, number];
  /** Median error of the speed, metres per second. */
  readonly speed: number;
}

/** @param knowsPlace whether poses give the true place; otherwise the middle of the room is assumed */
export function walkersSeen(links: number, knowsPlace: boolean, rooms: number): WalkersSeen {
  const errors = Array.from({ length: rooms }, (_, i) => errorsOf(i + 1, links, knowsPlace)).flat();
  const angles = errors.map(([angle]) => angle);
  return {
    links,
    place: knowsPlace ? 'known' : 'middle of the room',
    looks: errors.length,
    angle: [quantile(angles, 0.5), quantile(angles, 0.75)],
    speed: quantile(
      errors.map(([, speed]) => speed),
      0.5,
    ),
  };
}

const roomOf = (links: number): Environment => ({
  ...environmentOf(links),
  size: { x: SIDE, y: SIDE, z: 2.6 },
  links: ENDS.slice(0, links).map(([from, to], i) => ({
    id: `link-${i}`,
    sender: `node-${i}`,
    transmitter: [...CORNERS[from]!, 1],
    receiver: [...CORNERS[to]!, 1.2],
  })),
});

/** Errors in angle (degrees) and speed (metres per second) of each estimate for a walker in one room. */
function errorsOf(seed: number, links: number, knowsPlace: boolean): (readonly [number, number])[] {
  const environment = roomOf(links);
  const context: Context = {
    ...benchContext(links),
    environments: [environment],
    links: new LinkTable([environment]),
  };
  const sequence = walker(seed, environment);
  const made = (component: AnyOperator, settings: object): Operator =>
    component.create(Value.Default(component.config, { ...settings }) as never, context);
  const steps = [
    made(csiRatio, {}),
    made(denoise, { method: 'butterworth', part: 'complex', low_hz: 2, high_hz: 60, rate_hz: RATE }),
  ];
  const operator = made(bodyVelocity, { rate_hz: RATE, window: WINDOW });
  const frames = steps.reduce<readonly Data[]>(
    (data, step) => data.flatMap((one) => (step.process(one, 'frames') as Output<Data>).data),
    [blockOf(sequence, links)],
  ) as readonly CsiBlock[];
  const measures = frames.flatMap((block) => looks(operator, block, links, knowsPlace ? sequence : null));
  return measures.flatMap(({ time, x, y }) => {
    const truth = velocityAt(sequence, time / 1e6 - WINDOW / RATE / 2);
    if (!truth || Math.hypot(...truth) < WALKING) return [];
    const turn = Math.atan2(y, x) - Math.atan2(truth[1], truth[0]);
    const angle = Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn)));
    return [[(angle * 180) / Math.PI, Math.abs(Math.hypot(x, y) - Math.hypot(...truth))] as const];
  });
}

/** One person who walks around, seen by receivers with three antennas half a wavelength apart. */
function walker(seed: number, environment: Environment): Sequence {
  const room = knownRoomOf(environment);
  const apart = SPEED_OF_LIGHT / CARRIER_MHZ / 2;
  const links = room.links.map((link) => ({
    ...link,
    antennas: [0, 1, 2].map((i): Vec3 => {
      const [x, y, z] = link.antennas[0]!;
      return [x + i * apart, y, z];
    }),
  }));
  return simulateSequence(seed, {
    seconds: SECONDS,
    rateHz: RATE,
    carrierHz: CARRIER_MHZ * 1e6,
    room: { ...room, links },
    mix: WALKS,
    movedFurniture: 0,
  });
}

/** Frames of all links, packet by packet. */
function blockOf({ samples, csi }: Sequence, links: number): CsiBlock {
  const layout = csiLayout({
    rx: 3,
    tx: 1,
    // The centres of the groups that the simulator computes, in whole subcarriers.
    subcarriers: Int16Array.from({ length: 13 }, (_, group) => 4 * group - 24),
    bandwidthMhz: 20,
    centreMhz: CARRIER_MHZ,
    training: 'ht-ltf',
  });
  const size = frameSize(layout);
  const block = allocateBlock(layout, samples * links);
  for (let i = 0; i < block.count; i++) {
    const [sample, link] = [Math.floor(i / links), i % links];
    block.time[i] = (sample * 1e6) / RATE;
    block.link[i] = link;
    block.sequence[i] = sample;
    block.values.set(
      csi.subarray((link * samples + sample) * size, (link * samples + sample + 1) * size),
      i * size,
    );
  }
  return block;
}

/** The operator's output for a block; poses give the person's place twenty times per second, if at all. */
function looks(
  operator: Operator,
  block: CsiBlock,
  links: number,
  told: Sequence | null,
): { time: number; x: number; y: number }[] {
  const out: Measure[] = [];
  const part = (links * RATE) / 20;
  for (let from = 0; from < block.count; from += part) {
    const frames = sliceBlock(block, from, Math.min(block.count, from + part));
    if (told) void operator.process(poseAt(told, frames.time[0]!), 'poses');
    out.push(...(operator.process(frames, 'frames') as Output<Measure>).data);
  }
  const xs = out.filter(({ name }) => name === 'body_velocity_x_mps');
  const ys = out.filter(({ name }) => name === 'body_velocity_y_mps');
  return xs.map(({ time, value }, i) => ({ time, x: value, y: ys[i]!.value }));
}

function poseAt({ truth: { root } }: Sequence, time: number): PoseFrame {
  const sample = Math.round((time * RATE) / 1e6);
  return {
    port: 'pose',
    frameId: sample,
    environment: environmentOf(1).id,
    time,
    windowEnd: time,
    processingMs: 0,
    persons: [{ ...SOMEBODY, position: { x: root[2 * sample]!, y: root[2 * sample + 1]!, z: 0 } }],
    links: 0,
    signalQuality: 1,
    provenance: { origin: 'simulated' },
  };
}

const SOMEBODY: Omit<Person, 'position'> = {
  confidence: 1,
  positionError: 0,
  heading: null,
  headingConfidence: 0,
  posture: 'upright',
  keypoints: [],
  articulated: false,
  track: null,
};

/** Metres per second on the floor; null at the ends of the sequence. */
function velocityAt(
  { truth: { root }, samples }: Sequence,
  second: number,
): readonly [number, number] | null {
  const [from, to] = [Math.round((second - STEP) * RATE), Math.round((second + STEP) * RATE)];
  if (from < 0 || to >= samples) return null;
  return [
    (root[2 * to]! - root[2 * from]!) / (2 * STEP),
    (root[2 * to + 1]! - root[2 * from + 1]!) / (2 * STEP),
  ];
}
