import type { Environment } from '../../../pipeline/model/index.js';
import {
  ACTIVITIES as SIMULATED,
  MOTION_MIX,
  simulateSequence,
  siteOf,
  type Sequence,
} from '../../../pipeline/sources/simulator/index.js';
import { JOINTS } from '../body.js';
import {
  GROUPS,
  LINK_FEATURES,
  linkFeatures,
  logAmplitudes,
  POINTS,
  profileOf,
  STEP_US,
  type LogAmplitude,
} from '../features.js';
import {
  ACTIVITIES,
  allocateSamples,
  PLACE_OF_LINK,
  PLACES_HEAD,
  TRUTH,
  type Activity,
  type Samples,
} from './samples.js';

/** What is simulated. The same plan and chunk give the same samples, in any worker. */
export interface Plan {
  readonly seed: number;
  /** Links of random rooms; of a site, its own links are used. */
  readonly links: number;
  /** Sequences in a chunk, each a room, a body and a motion of its own. */
  readonly sequences: number;
  readonly seconds: number;
  /** Windows cut from each sequence, spread over it by chance. */
  readonly windows: number;
  /** Share of sequences without anybody. */
  readonly empty: number;
  /** Share of sequences with a fall. */
  readonly falls: number;
  /** This place instead of random ones. */
  readonly environment: Environment | null;
}

/** Longest run of lost packets that is filled by interpolation, as the operator `window` does; longer ones hold the last packet. */
const LONGEST_FILLED = 2;

/** Labelled windows of chunk number `chunk`. */
export function generateChunk(plan: Plan, chunk: number): Samples {
  const site = plan.environment ? siteOf(plan.environment) : undefined;
  const links = site?.links.length ?? plan.links;
  const samples = allocateSamples(plan.sequences * plan.windows, links);
  for (let s = 0; s < plan.sequences; s++) {
    const room = chunk * plan.sequences + s;
    const chance = uniform(plan.seed, room);
    const persons = chance() < plan.empty ? 0 : 1;
    const sequence = simulateSequence(roomSeed(plan.seed, room), {
      seconds: plan.seconds,
      persons,
      mix: { ...MOTION_MIX, fall: plan.falls },
      ...(site ? { site } : { links }),
    });
    const amplitudes = Array.from({ length: links }, (_, link) => received(sequence, link));
    const longest = sequence.samples - POINTS;
    for (let w = 0; w < plan.windows; w++) {
      const start = Math.min(longest, Math.floor(((w + chance()) / plan.windows) * (longest + 1)));
      writeSample(samples, s * plan.windows + w, room, sequence, amplitudes, start);
    }
  }
  return samples;
}

/** Seed of everything about room number `room`, below 2^24, of a plan. */
export const roomSeed = (seed: number, room: number): number => seed * 2 ** 24 + room;

interface Received {
  readonly amplitude: LogAmplitude;
  /** 1 where no packet was near enough. */
  readonly gaps: Uint8Array;
  readonly profile: Float32Array;
}

/** A link's course as the window operator would give it, and its empty-room profile. */
function received(sequence: Sequence, link: number): Received {
  const { samples } = sequence;
  const frame = 2 * sequence.antennas * sequence.subcarriers;
  const layout = {
    layout: 'lltf',
    rx: sequence.antennas,
    tx: 1,
    centreMhz: 2437,
    subcarriers: Int16Array.from(
      { length: sequence.subcarriers },
      (_, k) => 4 * k - 2 * (sequence.subcarriers - 1),
    ),
  };
  const values = sequence.csi.subarray(link * samples * frame, (link + 1) * samples * frame);
  const amplitude = logAmplitudes({ ...layout, values });
  const gaps = fill(amplitude, sequence.present.subarray(link * samples, (link + 1) * samples));
  const calibration = sequence.calibration.subarray(link * frame, (link + 1) * frame);
  return { amplitude, gaps, profile: profileOf(logAmplitudes({ ...layout, values: calibration })) };
}

/** Interpolates short runs of lost packets in place (they hold the one before) and says where longer ones are. */
function fill(amplitude: LogAmplitude, present: Uint8Array): Uint8Array {
  const gaps = new Uint8Array(present.length);
  for (let start = 0; start < present.length; start++) {
    if (present[start] === 1) continue;
    let end = start;
    while (end < present.length && present[end] === 0) end++;
    if (start === 0 || end === present.length || end - start > LONGEST_FILLED) {
      gaps.fill(1, start, end);
    } else {
      for (let t = start; t < end; t++) {
        const share = (t - start + 1) / (end - start + 1);
        for (let g = 0; g < GROUPS; g++) {
          const before = Math.exp(amplitude[(start - 1) * GROUPS + g]!);
          const after = Math.exp(amplitude[end * GROUPS + g]!);
          amplitude[t * GROUPS + g] = Math.log(before + share * (after - before));
        }
      }
    }
    start = end;
  }
  return gaps;
}

function writeSample(
  samples: Samples,
  at: number,
  room: number,
  sequence: Sequence,
  links: readonly Received[],
  start: number,
): void {
  links.forEach(({ amplitude, gaps, profile }, link) => {
    let lost = 0;
    for (let t = start; t < start + POINTS; t++) lost += gaps[t]!;
    const to = (at * links.length + link) * LINK_FEATURES;
    linkFeatures(amplitude, start, profile, lost / POINTS, samples.features, to);
  });
  const places = samples.places.subarray(at * (PLACES_HEAD + links.length * PLACE_OF_LINK));
  places.set([sequence.site.size.x, sequence.site.size.y]);
  sequence.site.links.forEach(({ transmitter, antennas }, link) => {
    places.set([...transmitter, ...antennas[0]!], PLACES_HEAD + link * PLACE_OF_LINK);
  });
  samples.room[at] = room;
  const truth = samples.truth.subarray(at * TRUTH.size, (at + 1) * TRUTH.size);
  if (sequence.truth.persons === 0) truth[TRUTH.activity] = ACTIVITIES.indexOf('empty');
  else writeTruth(sequence.truth, start + POINTS / 2, truth);
}

/** The first person at one sample, the joints in the body's own frame. */
function writeTruth(from: Sequence['truth'], sample: number, truth: Float32Array): void {
  const x = from.root[2 * sample]!;
  const y = from.root[2 * sample + 1]!;
  const cos = Math.cos(from.heading[sample]!);
  const sin = Math.sin(from.heading[sample]!);
  truth[TRUTH.present] = 1;
  truth[TRUTH.activity] = ACTIVITIES.indexOf(GROUPED[SIMULATED[from.activity[sample]!]!]);
  truth.set([x, y], TRUTH.root);
  truth.set([cos, sin], TRUTH.heading);
  truth[TRUTH.posture] = from.posture[sample]!;
  for (let j = 0; j < JOINTS; j++) {
    const at = 3 * (sample * JOINTS + j);
    const dx = from.keypoints[at]! - x;
    const dy = from.keypoints[at + 1]! - y;
    truth.set([cos * dx + sin * dy, cos * dy - sin * dx, from.keypoints[at + 2]!], TRUTH.joints + 3 * j);
  }
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

/** Numbers in [0, 1) of a stream of its own (xorshift32 after a multiplicative hash). */
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
