import { bell } from '../../../pipeline/base/random.js';
import { JOINTS, mirroredJoints } from '../networks/body.js';
import { CALIBRATED, LINK_FEATURES } from '../inputs/features.js';
import { CELLS, cellCentre, axesAt, ROOM_AXES, turn, type Axes, type LinkPlace } from '../inputs/geometry.js';
import { sceneBatch, type Scene, type SceneBatch } from '../inputs/scene.js';
import { COUNTS } from '../networks/layers.js';
import { PERSON, peopleIn, personTruth, PLACE_OF_LINK, PLACES_HEAD, type Samples } from './samples.js';

/** Spread of the target around the true position on the grid, metres. */
const TARGET_SPREAD = 0.35;

/** A batch with its labels, rotated into the axes of each window. */
export interface TrainingBatch {
  readonly scene: SceneBatch;
  readonly scenes: readonly Scene[];
  readonly axes: readonly Axes[];
  /** [windows, CELLS], each row sums to 1. */
  readonly cells: Float32Array;
  /** [windows, 2] in room coordinates. */
  readonly root: Float32Array;
  /** [windows, 2] in the window's axes. */
  readonly heading: Float32Array;
  /** [windows, JOINTS * 3] in the body's own axes, mirrored if those of the window are. */
  readonly joints: Float32Array;
  /** [windows, 3] one-hot. */
  readonly posture: Float32Array;
  /** [windows] 1 if somebody is present. */
  readonly present: Float32Array;
  /** [windows, COUNTS] one-hot. */
  readonly people: Float32Array;
  /** [windows] 1 if the person whose pose is requested is walking. */
  readonly moving: Float32Array;
  /** [windows] 1 if one person is alone: their position is then the grid's own answer. */
  readonly alone: Float32Array;
  /** [windows, 2]: the position for the pose head if several people are present, near the requested one. */
  readonly near: Float32Array;
}

export interface Augmentation {
  /** Links of each window, drawn without replacement; all, in order, if it equals the number of links. */
  readonly links: number;
  /** Share of windows whose empty-room calibration is removed. */
  readonly uncalibrated: number;
  /** Rotate, mirror, and swap transmitter and receiver. */
  readonly turned: boolean;
}

/** One labelled window of a set. */
export interface Pick {
  readonly samples: Samples;
  readonly index: number;
}

/** The picked windows, augmented randomly from `random`. All sets hold the same number of links. */
export function trainingBatch(
  picks: readonly Pick[],
  options: Augmentation,
  random: () => number,
): TrainingBatch {
  const count = picks.length;
  const features = new Float32Array(count * options.links * LINK_FEATURES);
  const scenes: Scene[] = [];
  const axes: Axes[] = [];
  const batch = {
    cells: new Float32Array(count * CELLS),
    root: new Float32Array(count * 2),
    heading: new Float32Array(count * 2),
    joints: new Float32Array(count * JOINTS * 3),
    posture: new Float32Array(count * 3),
    present: new Float32Array(count),
    people: new Float32Array(count * COUNTS),
    moving: new Float32Array(count),
    alone: new Float32Array(count),
    near: new Float32Array(count * 2),
  };
  for (let w = 0; w < count; w++) {
    const { samples, index: sample } = picks[w]!;
    const own = options.turned ? axesAt(2 * Math.PI * random(), random() < 0.5 ? -1 : 1) : ROOM_AXES;
    const chosen = choose(samples.links, options.links, random);
    const uncalibrated = random() < options.uncalibrated;
    chosen.forEach((link, index) => {
      const from = (sample * samples.links + link) * LINK_FEATURES;
      const to = (w * options.links + index) * LINK_FEATURES;
      features.set(samples.features.subarray(from, from + LINK_FEATURES), to);
      if (uncalibrated) features.fill(0, to + CALIBRATED.start, to + CALIBRATED.start + CALIBRATED.length);
    });
    const scene = sceneOf(samples, sample, chosen, () => options.turned && random() < 0.5);
    scenes.push(scene);
    axes.push(own);
    answer(samples.truth, sample, scene, own, w, batch, random);
  }
  return { scene: sceneBatch(scenes, features), scenes, axes, ...batch };
}

/** `count` of `total` numbers in random order; all in order if the counts are equal. */
function choose(total: number, count: number, random: () => number): number[] {
  const all = Array.from({ length: total }, (_, i) => i);
  if (count === total) return all;
  for (let i = 0; i < count; i++) {
    const j = i + Math.floor(random() * (total - i));
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  return all.slice(0, count);
}

export function sceneOf(
  samples: Samples,
  sample: number,
  links: readonly number[],
  swap: () => boolean = () => false,
): Scene {
  const width = PLACES_HEAD + samples.links * PLACE_OF_LINK;
  const at = (i: number) => samples.places[sample * width + i]!;
  return {
    size: { x: at(0), y: at(1) },
    links: links.map((link): LinkPlace => {
      const start = PLACES_HEAD + link * PLACE_OF_LINK;
      const a = { x: at(start), y: at(start + 1), z: at(start + 2) };
      const b = { x: at(start + 3), y: at(start + 4), z: at(start + 5) };
      // A channel is the same in both directions.
      return swap() ? { transmitter: b, receiver: a } : { transmitter: a, receiver: b };
    }),
  };
}

type Answers = Omit<TrainingBatch, 'scene' | 'scenes' | 'axes'>;

/** Spread of the positions for the pose head if several people are present, metres. */
const NEAR_SPREAD = 0.3;

function answer(
  truth: Float32Array,
  sample: number,
  scene: Scene,
  axes: Axes,
  w: number,
  out: Answers,
  random: () => number,
): void {
  const people = peopleIn(truth, sample);
  out.people[w * COUNTS + Math.min(people, COUNTS - 1)] = 1;
  out.present[w] = Number(people > 0);
  out.alone[w] = Number(people === 1);
  if (people === 0) {
    out.cells.fill(1 / CELLS, w * CELLS, (w + 1) * CELLS);
    return;
  }
  const all = Array.from({ length: people }, (_, person) => personTruth(truth, sample, person));
  writeCells(all, scene, out.cells.subarray(w * CELLS, (w + 1) * CELLS));
  const one = all[Math.floor(random() * people)]!;
  const x = one[PERSON.root]!;
  const y = one[PERSON.root + 1]!;
  out.root.set([x, y], 2 * w);
  out.near.set([x + NEAR_SPREAD * bell(random), y + NEAR_SPREAD * bell(random)], 2 * w);
  out.heading.set(turn(axes, one[PERSON.heading]!, one[PERSON.heading + 1]!), 2 * w);
  out.posture[3 * w + one[PERSON.posture]!] = 1;
  out.moving[w] = one[PERSON.moving]!;
  const joints = one.subarray(PERSON.joints, PERSON.joints + 3 * JOINTS);
  out.joints.set(axes.sign < 0 ? mirroredJoints(joints) : joints, 3 * JOINTS * w);
}

/** Equal shares of all people, each spread over the surrounding cells. */
function writeCells(people: readonly Float32Array[], scene: Scene, cells: Float32Array): void {
  cells.fill(0);
  for (const one of people) {
    const weights = Float64Array.from({ length: CELLS }, (_, c) => {
      const centre = cellCentre(c, scene.size);
      const squared = (centre.x - one[PERSON.root]!) ** 2 + (centre.y - one[PERSON.root + 1]!) ** 2;
      return Math.exp(-squared / (2 * TARGET_SPREAD ** 2)) + 1e-9;
    });
    const sum = weights.reduce((total, weight) => total + weight, 0);
    for (let c = 0; c < CELLS; c++) cells[c]! += weights[c]! / sum / people.length;
  }
}
