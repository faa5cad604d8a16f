import { offsetsOf, type Layer } from '../../shared/dense/layers.js';
import { JOINTS } from './body.js';
import { MAP } from '../inputs/doppler-map.js';
import { FIGURES } from '../inputs/features.js';
import { GROUPS, POINTS } from '../inputs/grid.js';
import { DIRECTION_FEATURES, PLACE_FEATURES, WALL_FEATURES } from '../inputs/geometry.js';

/** Shape of the network, without any computation. */

/** Incremented when layers change: weights depend on it. */
export const NETWORK_VERSION = 2;

/** Number of outputs of each layer. */
export const WIDTHS = {
  first: 40,
  second: 48,
  third: 64,
  course: 80,
  map: 48,
  figures: 40,
  token: 80,
  score: 48,
  scored: 40,
  joined: 64,
  view: 112,
  wide: 192,
  deep: 144,
  crowd: 64,
} as const;

/** Numbers of people that the network distinguishes: 0 to 4. */
export const COUNTS = 5;

/** Indices of the outputs of the pose head. */
export const OUT = {
  /** Mean of the heading's unit vector: its direction is the heading, its length the certainty. */
  heading: 0,
  /** From the grid's expected position to the root, metres. */
  offset: 2,
  /** Log of the scale of the root's error, metres; then of each joint's. */
  rootScale: 4,
  jointScales: 5,
  postures: 5 + JOINTS,
  /** Logit of walking, as opposed to staying in one place. */
  moving: 8 + JOINTS,
  /** Relative to the floor root, x along the heading, y to the left, z up. */
  joints: 9 + JOINTS,
  size: 9 + 4 * JOINTS,
} as const;

/** Log scales are limited to this range, in the loss and in results: 2 cm to 7 m. */
export const LOG_SCALE = { least: -4, most: 2 } as const;
export const boundedLog = (logScale: number): number =>
  Math.min(LOG_SCALE.most, Math.max(LOG_SCALE.least, logScale));

/** Time steps left after three convolutions of stride two. */
export const STEPS = Math.ceil(POINTS / 8);

/** Dense layers, each a kernel [inputs, outputs] and a bias [outputs]. */
export const LAYERS: readonly Layer[] = [
  { name: 'first', inputs: 6 * GROUPS, outputs: WIDTHS.first },
  { name: 'second', inputs: 6 * WIDTHS.first, outputs: WIDTHS.second },
  { name: 'third', inputs: 6 * WIDTHS.second, outputs: WIDTHS.third },
  { name: 'course', inputs: STEPS * WIDTHS.third, outputs: WIDTHS.course },
  { name: 'map', inputs: MAP, outputs: WIDTHS.map },
  { name: 'figures', inputs: FIGURES, outputs: WIDTHS.figures },
  { name: 'token', inputs: WIDTHS.course + WIDTHS.map + WIDTHS.figures, outputs: WIDTHS.token },
  { name: 'score-token', inputs: WIDTHS.token, outputs: WIDTHS.score },
  { name: 'score-place', inputs: PLACE_FEATURES, outputs: WIDTHS.score },
  { name: 'scored', inputs: WIDTHS.score, outputs: WIDTHS.scored },
  { name: 'joined', inputs: 2 * WIDTHS.scored + WALL_FEATURES, outputs: WIDTHS.joined },
  { name: 'logit', inputs: WIDTHS.joined, outputs: 1 },
  { name: 'crowd', inputs: 2 * WIDTHS.token + 2 * WIDTHS.joined, outputs: WIDTHS.crowd },
  { name: 'count', inputs: WIDTHS.crowd, outputs: COUNTS },
  { name: 'view', inputs: WIDTHS.token + PLACE_FEATURES + DIRECTION_FEATURES, outputs: WIDTHS.view },
  { name: 'attention', inputs: WIDTHS.view, outputs: 1 },
  { name: 'wide', inputs: 2 * WIDTHS.view + WALL_FEATURES, outputs: WIDTHS.wide },
  { name: 'deep', inputs: WIDTHS.wide, outputs: WIDTHS.deep },
  { name: 'out', inputs: WIDTHS.deep, outputs: OUT.size },
];

/** Numbers in all kernels and biases. */
export const PARAMETERS = LAYERS.reduce((sum, layer) => sum + (layer.inputs + 1) * layer.outputs, 0);

/** In one array of PARAMETERS numbers. */
export const OFFSETS = offsetsOf(LAYERS);
