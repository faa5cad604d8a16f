import { CHANNELS } from '../impacts/changes.js';
import { AHEAD, BACK, EARLY } from '../impacts/impacts.js';

/**
 * The network that judges an end of motion, over any number of antennas. Each antenna's steps are read in
 * patches of half a second by one layer; another reads each patch beside the mean and the maximum of all
 * antennas' outputs of that half second; a third reads those in groups of a second and a half. Antennas are
 * pooled by mean and by maximum (following Zaheer et al., Deep Sets, 2017), so neither their order nor their
 * number matters. Plain numbers: one candidate of four antennas costs three million multiplications, a few
 * milliseconds, and a room has one every few seconds at most.
 */

export const STEPS = BACK + AHEAD;
/** Steps of a patch, and patches of a group. */
export const PATCH = 5;
export const GROUP = 3;
const GROUPS = STEPS / PATCH / GROUP;
export const WIDTH = 64;
const POOLED = 2 * GROUPS * WIDTH;
/** Number of groups whose steps are known early; see {@link groupsOf}. */
export const EARLY_OUTPUTS = (2 * WIDTH * (EARLY.back + EARLY.ahead)) / PATCH / GROUP;
const HIDDEN = 64;
/** Standardised inputs are clipped at this many standard deviations. */
const CLIP = 4;

/** A layer's weights, [output, input], then its biases, starting at `at` in all parameters. */
export interface Layer {
  readonly at: number;
  readonly inputs: number;
  readonly outputs: number;
}

const layers = (...sizes: readonly (readonly [number, number])[]): readonly Layer[] => {
  let next = 0;
  return sizes.map(([inputs, outputs]) => {
    const at = next;
    next += (inputs + 1) * outputs;
    return { at, inputs, outputs };
  });
};

export const LAYERS = layers(
  [PATCH * CHANNELS, WIDTH],
  [3 * WIDTH, WIDTH],
  [GROUP * WIDTH, WIDTH],
  [POOLED, HIDDEN],
  [HIDDEN, 1],
);
const [OF_PATCH, OF_EXCHANGE, OF_GROUP, OF_ROOM, OUT] = LAYERS as readonly [
  Layer,
  Layer,
  Layer,
  Layer,
  Layer,
];
export const PARAMETERS = LAYERS.reduce((sum, { inputs, outputs }) => sum + (inputs + 1) * outputs, 0);

/** Mean and scale of each channel, for standardisation. */
export interface Scale {
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
}

/** An antenna's steps as network input: in standard deviations, 0 for unknown values. */
export const standardised = (changes: Float32Array, scale: Scale): Float32Array =>
  changes.map((value, i) => (Number.isNaN(value) ? 0 : inDeviations(value, i % CHANNELS, scale)));

/** A known value in standard deviations of its channel. */
export const inDeviations = (value: number, channel: number, { mean, deviation }: Scale): number =>
  Math.max(-CLIP, Math.min(CLIP, (value - mean[channel]!) / deviation[channel]!));

/**
 * The logit of one candidate.
 * @param antennas standardised, one or more
 */
export const logitOf = (parameters: Float32Array, antennas: readonly Float32Array[]): number =>
  affine(parameters, OUT, forward(parameters, OF_ROOM, groupsOf(parameters, antennas)));

/**
 * Outputs of the layers below the room's for any number of groups: [group, output] by mean over the antennas,
 * then by maximum. A group does not depend on later steps.
 * @param antennas standardised, one or more, of `PATCH * GROUP` steps per group
 */
export function groupsOf(parameters: Float32Array, antennas: readonly Float32Array[]): Float32Array {
  const patches = antennas.map((steps) => forward(parameters, OF_PATCH, steps));
  const all = pooled(patches);
  return pooled(
    patches.map((own) => forward(parameters, OF_GROUP, forward(parameters, OF_EXCHANGE, beside(own, all)))),
  );
}

/** The mean of each output over the antennas, then the maximum of each. */
function pooled(antennas: readonly Float32Array[]): Float32Array {
  const half = antennas[0]!.length;
  const out = new Float32Array(2 * half);
  for (let i = 0; i < half; i++) {
    let sum = 0;
    let most = -Infinity;
    for (const outputs of antennas) {
      sum += outputs[i]!;
      most = Math.max(most, outputs[i]!);
    }
    out[i] = sum / antennas.length;
    out[half + i] = most;
  }
  return out;
}

/** For each patch: an antenna's own outputs, the mean of all antennas', their maximum. */
function beside(own: Float32Array, all: Float32Array): Float32Array {
  const out = new Float32Array(3 * own.length);
  for (let from = 0; from < own.length; from += WIDTH) {
    out.set(own.subarray(from, from + WIDTH), 3 * from);
    out.set(all.subarray(from, from + WIDTH), 3 * from + WIDTH);
    out.set(all.subarray(own.length + from, own.length + from + WIDTH), 3 * from + 2 * WIDTH);
  }
  return out;
}

/** The only output of the last layer. */
function affine(parameters: Float32Array, { at, inputs }: Layer, x: Float32Array): number {
  let sum = parameters[at + inputs]!;
  for (let i = 0; i < inputs; i++) sum += parameters[at + i]! * x[i]!;
  return sum;
}

/** Rectified outputs of a layer for consecutive runs of inputs in `x`; a multiple of four outputs. */
function forward(parameters: Float32Array, layer: Layer, x: Float32Array): Float32Array {
  const { at, inputs, outputs } = layer;
  const runs = x.length / inputs;
  const biases = at + outputs * inputs;
  const out = new Float32Array(runs * outputs);
  for (let run = 0; run < runs; run++) {
    const from = run * inputs;
    // Four sums at a time: each addition waits for the one before it.
    for (let o = 0; o < outputs; o += 4) {
      const row = at + o * inputs;
      let a = parameters[biases + o]!;
      let b = parameters[biases + o + 1]!;
      let c = parameters[biases + o + 2]!;
      let d = parameters[biases + o + 3]!;
      for (let i = 0; i < inputs; i++) {
        const value = x[from + i]!;
        a += parameters[row + i]! * value;
        b += parameters[row + inputs + i]! * value;
        c += parameters[row + 2 * inputs + i]! * value;
        d += parameters[row + 3 * inputs + i]! * value;
      }
      const to = run * outputs + o;
      out[to] = Math.max(0, a);
      out[to + 1] = Math.max(0, b);
      out[to + 2] = Math.max(0, c);
      out[to + 3] = Math.max(0, d);
    }
  }
  return out;
}
