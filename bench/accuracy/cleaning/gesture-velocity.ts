import { Value } from 'typebox/value';
import { bodyVelocity } from '../../../operators/body-velocity/body-velocity.js';
import { conjugateMultiply } from '../../../operators/conjugate-multiply/conjugate-multiply.js';
import { csiRatio } from '../../../operators/csi-ratio/csi-ratio.js';
import { denoise } from '../../../operators/denoise/denoise.js';
import { resample } from '../../../operators/resample/resample.js';
import { quantile } from '../../../operators/shared/median.js';
import type { Context, Output } from '../../../pipeline/component/index.js';
import {
  csiLayout,
  LinkTable,
  sliceBlock,
  type CsiBlock,
  type Data,
  type Environment,
  type Measure,
} from '../../../pipeline/model/index.js';
import { benchContext, environmentOf } from '../../shared/context.js';
import type { Step } from './frames.js';
import { mean } from '../../../operators/shared/mean.js';

const RATE = 1000;
/** Frames of a spectrum: a quarter of a second. */
const WINDOW = 256;
/** Widar's channel; the file does not tell it. */
const CENTRE_MHZ = 5825;
/** Widar's receivers r1 to r6 and the torso, metres from the transmitter (its extraction code); 1 m is added, so that all are in the room. */
const RECEIVERS = [
  [0.455, -0.455],
  [1.365, -0.455],
  [2, 0],
  [-0.455, 0.455],
  [-0.455, 1.365],
  [0, 2],
] as const;
const TORSO = [1.365, 0.455] as const;
const ORIGIN = 1;
const HEIGHT = 1;

/** Packets of a snapshot of Widar's profiles, velocities of an axis, and metres per second between them. */
const PACKETS = 100;
const VELOCITIES = 20;
const STEP = 0.2;
/** Shares this far apart count as alike, metres per second. */
const NEAR = 0.3;

type Share = readonly [x: number, y: number, share: number];
/** A profile of velocities in the room. */
type Shares = readonly Share[];

/** What `body-velocity` makes of the gesture behind one operator that removes phase offsets. */
export interface GestureVelocity {
  readonly behind: string;
  readonly looks: number;
  /** Median share of the spectra that a profile explains. */
  readonly fit: number;
  /** Median likeness of a profile and its mirror image, 0 to 1: 1 where the direction is not seen. */
  readonly mirrored: number;
  /** Mean likeness of a profile and Widar's of the same time, and of all other times. */
  readonly alike: number;
  readonly atOtherTimes: number;
}

const REMOVED: Readonly<Record<string, Step>> = {
  'conjugate-multiply, raise_reference': {
    component: conjugateMultiply,
    settings: { raise_reference: true },
  },
  'conjugate-multiply': { component: conjugateMultiply },
  'csi-ratio': { component: csiRatio },
};

/**
 * @param links the gesture's frames, receiver by receiver; each begins at the time 0 of the gesture
 * @param reference Widar's body-coordinate velocity profile, [vx, vy, time], first axis fastest
 */
export const gestureVelocities = (
  links: readonly (readonly CsiBlock[])[],
  reference: Float64Array,
): readonly GestureVelocity[] =>
  Object.entries(REMOVED).map(([behind, step]) => ({
    behind,
    ...comparedWith(reference, links, profilesOf(step, links)),
  }));

interface Profile {
  /** Middle of the window, microseconds. */
  readonly middle: number;
  readonly fit: number;
  readonly shares: Shares;
}

function comparedWith(
  reference: Float64Array,
  [first]: readonly (readonly CsiBlock[])[],
  profiles: readonly Profile[],
): Omit<GestureVelocity, 'behind'> {
  const known = snapshotsOf(reference);
  const times = first!.flatMap(({ time }) => Array.from(time, (one) => one - first![0]!.time[0]!));
  const at = ({ middle }: Profile): number => Math.floor(times.findIndex((time) => time >= middle) / PACKETS);
  const rows = profiles.filter((profile) => known[at(profile)]);
  const likenesses = rows.map((profile) => known.map((one) => likeness(profile.shares, one)));
  return {
    looks: profiles.length,
    fit: quantile(
      profiles.map(({ fit }) => fit),
      0.5,
    ),
    mirrored: quantile(
      profiles.map(({ shares }) => likeness(shares, mirrored(shares))),
      0.5,
    ),
    alike: mean(likenesses.map((row, i) => row[at(rows[i]!)]!)),
    atOtherTimes: mean(likenesses.flatMap((row, i) => row.filter((_, k) => k !== at(rows[i]!)))),
  };
}

/** `body-velocity`'s profiles of all links, in the geometry of Widar's classroom. */
function profilesOf(removed: Step, links: readonly (readonly CsiBlock[])[]): readonly Profile[] {
  const steps: readonly Step[] = [
    removed,
    { component: resample, settings: { rate_hz: RATE, max_gap_ms: 20 } },
    {
      component: denoise,
      settings: { method: 'butterworth', part: 'complex', low_hz: 2, high_hz: 60, rate_hz: RATE },
    },
  ];
  const context = classroom();
  const made = ({ component, settings = {} }: Step) =>
    component.create(Value.Default(component.config, { ...settings }) as never, context);
  const cleaned = steps
    .map(made)
    .reduce<readonly Data[]>(
      (data, step) => data.flatMap((one) => (step.process(one, 'frames') as Output<Data>).data),
      links.flatMap(onOneAxis),
    ) as readonly CsiBlock[];
  const velocity = made({
    component: bodyVelocity,
    settings: {
      ...{ rate_hz: RATE, window: WINDOW, hop_ms: 100, max_gap_ms: 50, profile: true },
      place: TORSO.map((metres) => metres + ORIGIN),
    },
  });
  const frames = cleaned
    .flatMap((block) => Array.from({ length: block.count }, (_, i) => sliceBlock(block, i, i + 1)))
    .sort((a, b) => a.time[0]! - b.time[0]!);
  return told(frames.flatMap((frame) => (velocity.process(frame, 'frames') as Output<Measure>).data));
}

/** Frames of link `index`, whose first is at time 0. */
function onOneAxis(blocks: readonly CsiBlock[], index: number): readonly CsiBlock[] {
  const start = blocks[0]!.time[0]!;
  return blocks.map((block) => ({
    ...block,
    layout: csiLayout({ ...block.layout, centreMhz: CENTRE_MHZ }),
    link: block.link.map(() => index),
    time: block.time.map((time) => time - start),
  }));
}

function classroom(): Context {
  const environment: Environment = {
    ...environmentOf(RECEIVERS.length),
    size: { x: 4, y: 4, z: 2.8 },
    links: RECEIVERS.map(([x, y], i) => ({
      id: `r${i + 1}`,
      sender: `r${i + 1}`,
      transmitter: [ORIGIN, ORIGIN, HEIGHT],
      receiver: [x + ORIGIN, y + ORIGIN, HEIGHT],
    })),
  };
  return {
    ...benchContext(RECEIVERS.length),
    environments: [environment],
    links: new LinkTable([environment]),
  };
}

function told(measures: readonly Measure[]): readonly Profile[] {
  const times = [...new Set(measures.map(({ time }) => time))];
  return times.map((time) => {
    const now = measures.filter((measure) => measure.time === time);
    return {
      middle: time - (WINDOW * 1e6) / RATE / 2,
      fit: now.find(({ name }) => name === 'body_velocity_fit')!.value,
      shares: now.flatMap(({ name, subject, value }): Share[] => {
        const [, x, y] = /^x=(.*),y=(.*)$/.exec(subject ?? '') ?? [];
        return name === 'body_velocity_share' ? [[Number(x), Number(y), value]] : [];
      }),
    };
  });
}

/**
 * Widar's profiles as velocities in the room. Its own are turned by -90 degrees for somebody who stands as here, and count
 * a path that becomes longer as positive.
 */
function snapshotsOf(reference: Float64Array): readonly Shares[] {
  const cells = VELOCITIES ** 2;
  const velocity = (index: number): number => (index + 1 - VELOCITIES / 2) * STEP;
  return Array.from({ length: reference.length / cells }, (_, snapshot) =>
    Array.from(reference.subarray(snapshot * cells, (snapshot + 1) * cells), (share, cell): Share => {
      const [x, y] = [velocity(cell % VELOCITIES), velocity(Math.floor(cell / VELOCITIES))];
      return [y, -x, share];
    }).filter(([, , share]) => share > 0),
  );
}

const mirrored = (shares: Shares): Shares => shares.map(([x, y, share]) => [-x, -y, share]);

/** Cosine of two profiles blurred by a Gaussian. */
const likeness = (a: Shares, b: Shares): number => overlap(a, b) / Math.sqrt(overlap(a, a) * overlap(b, b));

function overlap(a: Shares, b: Shares): number {
  let sum = 0;
  for (const [ax, ay, p] of a)
    for (const [bx, by, q] of b)
      sum += p * q * Math.exp(-((ax - bx) ** 2 + (ay - by) ** 2) / (4 * NEAR ** 2));
  return sum;
}
