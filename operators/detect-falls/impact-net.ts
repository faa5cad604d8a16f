import { CHANNELS } from './changes.js';
import { AHEAD, BACK } from './impacts.js';

/**
 * The network that judges an end of motion, over any number of antennas. Each antenna's steps are read in patches of half a
 * second, those in groups of a second and a half, by the same layers; the antennas' outputs are pooled by mean and by maximum
 * (after Zaheer et al., Deep Sets, 2017), so that neither their order nor their number matters. Plain numbers: a room has
 * some candidates a minute, and one costs less than a million multiplications.
 */

export const STEPS = BACK + AHEAD;
/** Steps of a patch, and patches of a group. */
const PATCH = 5;
const GROUP = 3;
const GROUPS = STEPS / PATCH / GROUP;
const WIDTH = 24;
const POOLED = 2 * GROUPS * WIDTH;
const HIDDEN = 32;
/** Standardised inputs are clipped at so many standard deviations. */
const CLIP = 4;

/** A layer's weights, [output, input], then its biases, from `at` of all parameters. */
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
  [GROUP * WIDTH, WIDTH],
  [POOLED, HIDDEN],
  [HIDDEN, 1],
);
const [OF_PATCH, OF_GROUP, OF_ROOM, OUT] = LAYERS as readonly [Layer, Layer, Layer, Layer];
export const PARAMETERS = LAYERS.reduce((sum, { inputs, outputs }) => sum + (inputs + 1) * outputs, 0);

/** What inputs are standardised by, of each channel. */
export interface Scale {
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
}

/** An antenna's steps as the network reads them: in standard deviations, 0 where nothing is known. */
export function standardised(changes: Float32Array, { mean, deviation }: Scale): Float32Array {
  return changes.map((value, i) => {
    const channel = i % CHANNELS;
    if (Number.isNaN(value)) return 0;
    return Math.max(-CLIP, Math.min(CLIP, (value - mean[channel]!) / deviation[channel]!));
  });
}

/** Zeroes values, or scales them up for those that are zeroed: only in training. */
export type Dropout = (values: Float32Array) => void;

/** The outputs of all layers for one candidate; kept so that gradients can be told from them. */
export class Pass {
  readonly #parameters: Float32Array;
  readonly #antennas: readonly Float32Array[];
  readonly #patches: readonly Float32Array[];
  readonly #groups: readonly Float32Array[];
  /** The antenna that has the highest of each output. */
  readonly #highest = new Uint8Array(POOLED / 2);
  readonly #pooled = new Float32Array(POOLED);
  readonly #kept: Float32Array | null;
  readonly #hidden: Float32Array;
  readonly logit: number;

  /** @param antennas standardised, one or more */
  constructor(parameters: Float32Array, antennas: readonly Float32Array[], dropout?: Dropout) {
    this.#parameters = parameters;
    this.#antennas = antennas;
    this.#patches = antennas.map((steps) => forward(parameters, OF_PATCH, steps));
    this.#groups = this.#patches.map((patches) => forward(parameters, OF_GROUP, patches));
    this.#pool();
    this.#kept = dropout ? new Float32Array(POOLED).fill(1) : null;
    if (dropout && this.#kept) {
      dropout(this.#kept);
      for (let i = 0; i < POOLED; i++) this.#pooled[i]! *= this.#kept[i]!;
    }
    this.#hidden = forward(parameters, OF_ROOM, this.#pooled);
    this.logit = affine(parameters, OUT, this.#hidden, 0, 0);
  }

  #pool(): void {
    const half = POOLED / 2;
    for (let i = 0; i < half; i++) {
      let sum = 0;
      this.#groups.forEach((groups, antenna) => {
        sum += groups[i]!;
        if (groups[i]! > this.#groups[this.#highest[i]!]![i]!) this.#highest[i] = antenna;
      });
      this.#pooled[i] = sum / this.#groups.length;
      this.#pooled[half + i] = this.#groups[this.#highest[i]!]![i]!;
    }
  }

  /** Adds to `gradient` what the parameters change of the loss, where the logit changes it by `error`. */
  addGradient(error: number, gradient: Float32Array): void {
    const parameters = this.#parameters;
    const hidden = backward(parameters, OUT, this.#hidden, Float32Array.of(error), gradient);
    relu(hidden, this.#hidden);
    const pooled = backward(parameters, OF_ROOM, this.#pooled, hidden, gradient);
    if (this.#kept) for (let i = 0; i < POOLED; i++) pooled[i]! *= this.#kept[i]!;
    const half = POOLED / 2;
    this.#groups.forEach((groups, antenna) => {
      const back = new Float32Array(half);
      for (let i = 0; i < half; i++) {
        back[i] = pooled[i]! / this.#groups.length + (this.#highest[i] === antenna ? pooled[half + i]! : 0);
      }
      relu(back, groups);
      const patches = backward(parameters, OF_GROUP, this.#patches[antenna]!, back, gradient);
      relu(patches, this.#patches[antenna]!);
      backward(parameters, OF_PATCH, this.#antennas[antenna]!, patches, gradient);
    });
  }
}

/** One output of a layer for the inputs from `from` on. */
function affine(
  parameters: Float32Array,
  layer: Layer,
  x: Float32Array,
  from: number,
  output: number,
): number {
  const { at, inputs, outputs } = layer;
  const row = at + output * inputs;
  let sum = parameters[at + outputs * inputs + output]!;
  for (let i = 0; i < inputs; i++) sum += parameters[row + i]! * x[from + i]!;
  return sum;
}

/** Rectified outputs of a layer for each run of inputs in `x`, one after the other. */
function forward(parameters: Float32Array, layer: Layer, x: Float32Array): Float32Array {
  const { inputs, outputs } = layer;
  const runs = x.length / inputs;
  const out = new Float32Array(runs * outputs);
  for (let run = 0; run < runs; run++)
    for (let o = 0; o < outputs; o++)
      out[run * outputs + o] = Math.max(0, affine(parameters, layer, x, run * inputs, o));
  return out;
}

/** Adds a layer's gradient, and gives that of its inputs `x`. `back`: that of its outputs, run by run. */
function backward(
  parameters: Float32Array,
  { at, inputs, outputs }: Layer,
  x: Float32Array,
  back: Float32Array,
  gradient: Float32Array,
): Float32Array {
  const toInputs = new Float32Array(x.length);
  for (let run = 0; run < back.length / outputs; run++) {
    const from = run * inputs;
    for (let o = 0; o < outputs; o++) {
      const error = back[run * outputs + o]!;
      if (error === 0) continue;
      const row = at + o * inputs;
      for (let i = 0; i < inputs; i++) {
        gradient[row + i]! += error * x[from + i]!;
        toInputs[from + i]! += error * parameters[row + i]!;
      }
      gradient[at + outputs * inputs + o]! += error;
    }
  }
  return toInputs;
}

/** What was rectified to 0 passes nothing back. */
function relu(back: Float32Array, outputs: Float32Array): void {
  for (let i = 0; i < back.length; i++) if (outputs[i]! <= 0) back[i] = 0;
}
