import { bell } from '../../pipeline/base/random.js';
import { CHANNELS, FLOORED } from '../../operators/detect-falls/impacts/changes.js';
import {
  inDeviations,
  LAYERS,
  standardised,
  STEPS,
  type Scale,
} from '../../operators/detect-falls/networks/impact-net.js';
import { SCALE, UNKNOWN, type SimulatedImpact } from './scenes.js';

/** Random augmentation of the input of the network for several links in training. */
export interface Chances {
  /** Standard deviation of the noise added to standardised inputs. */
  readonly noise: number;
  /**
   * Standard deviation of the offset added to all changes of an antenna, log10 of power: an error of its
   * noise floor.
   */
  readonly floorNoise: number;
  /** Largest random shift of a candidate in either direction, in steps. */
  readonly shift: number;
  /** Dropout rate of the pooled values and of the last layer's inputs. */
  readonly dropout: number;
  readonly hiddenDropout: number;
}

/** Maximum number of antennas in a batch; rooms with more use their first ones. */
export const ANTENNAS = 6;
/** Share of the candidates that lose some of their antennas, and share of the antennas that remain. */
const THINNED = 0.3;
const STAYING = 0.7;
const MIN_ANTENNAS = 2;

interface Example {
  readonly sequences: readonly Int16Array[];
  readonly positive: boolean;
}

/**
 * Mean and standard deviation of each channel over its known values; a candidate's antennas count equally.
 */
export function scaleOf(examples: readonly SimulatedImpact[]): Scale {
  const [sum, square, count] = [0, 0, 0].map(() => new Float64Array(CHANNELS)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (const { sequences } of examples)
    for (const sequence of sequences)
      sequence.forEach((value, i) => {
        if (value === UNKNOWN) return;
        const channel = i % CHANNELS;
        sum[channel]! += value / SCALE;
        square[channel]! += (value / SCALE) ** 2;
        count[channel]!++;
      });
  const mean = Array.from(sum, (total, i) => short(total / Math.max(1, count[i]!)));
  const deviation = mean.map((m, i) =>
    short(Math.max(1e-3, Math.sqrt(Math.max(0, square[i]! / Math.max(1, count[i]!) - m * m)))),
  );
  return { mean, deviation };
}

const short = (value: number): number => Number(value.toPrecision(6));

/** A candidate's antennas as the network reads them. */
export const inputsOf = ({ sequences }: SimulatedImpact, scale: Scale): Float32Array[] =>
  sequences.map((sequence) =>
    standardised(
      Float32Array.from(sequence, (value) => (value === UNKNOWN ? NaN : value / SCALE)),
      scale,
    ),
  );

export const examplesOf = (impacts: readonly SimulatedImpact[]): Example[] =>
  impacts
    .filter(({ unclear }) => !unclear)
    .map(({ sequences, fall }) => ({ sequences: sequences.slice(0, ANTENNAS), positive: fall >= 0 }));

const NOISE = 2 ** 21;

/** A table of noise: batches take a part of it from a random position. */
export const noiseOf = ({ noise }: Chances, random: () => number): Float32Array =>
  Float32Array.from({ length: NOISE }, () => noise * bell(random));

export interface Batch {
  readonly size: number;
  /** [size, ANTENNAS, STEPS, CHANNELS] */
  readonly inputs: Float32Array;
  /** [size, ANTENNAS]: 1 where there is an antenna. */
  readonly present: Float32Array;
  /** [size]: 1 for a fall. */
  readonly positive: Float32Array;
  /**
   * [size, pooled outputs] and [size, hidden]: 0 for dropped values, otherwise the factor that compensates
   * for them.
   */
  readonly kept: Float32Array;
  readonly keptHidden: Float32Array;
}

const WHOLE = STEPS * CHANNELS;

export function batchOf(
  examples: readonly Example[],
  scale: Scale,
  chances: Chances,
  noise: Float32Array,
  random: () => number,
): Batch {
  const size = examples.length;
  const mask = (layer: number, share: number) =>
    Float32Array.from({ length: size * LAYERS[layer]!.inputs }, () =>
      random() < share ? 0 : 1 / (1 - share),
    );
  const batch = {
    size,
    inputs: new Float32Array(size * ANTENNAS * WHOLE),
    present: new Float32Array(size * ANTENNAS),
    positive: Float32Array.from(examples, ({ positive }) => Number(positive)),
    kept: mask(3, chances.dropout),
    keptHidden: mask(4, chances.hiddenDropout),
  };
  examples.forEach(({ sequences }, e) => {
    const moved = Math.floor(random() * (2 * chances.shift + 1)) - chances.shift;
    thinned(sequences, random).forEach((sequence, a) => {
      batch.present[e * ANTENNAS + a] = 1;
      const raised = chances.floorNoise * bell(random);
      const from = Math.floor(random() * (NOISE - WHOLE));
      const at = (e * ANTENNAS + a) * WHOLE;
      show(sequence, { moved, raised, scale }, noise.subarray(from, from + WHOLE), batch.inputs.subarray(at));
    });
  });
  return batch;
}

/** Some antennas of a candidate, at least two: a room with few links is like a larger room that lost some. */
function thinned(sequences: readonly Int16Array[], random: () => number): readonly Int16Array[] {
  if (random() >= THINNED) return sequences;
  const some = sequences.filter(() => random() < STAYING);
  return some.length < MIN_ANTENNAS ? sequences : some;
}

interface Shown {
  /** Steps by which the antenna's values are shifted. */
  readonly moved: number;
  /** Added to its changes: another noise floor. */
  readonly raised: number;
  readonly scale: Scale;
}

/** Writes an antenna's values as the network reads them, with noise; 0 for unknown ones. */
function show(
  sequence: Int16Array,
  { moved, raised, scale }: Shown,
  noise: Float32Array,
  out: Float32Array,
): void {
  for (let step = 0, at = 0; step < STEPS; step++) {
    const from = CHANNELS * Math.max(0, Math.min(STEPS - 1, step + moved));
    for (let channel = 0; channel < CHANNELS; channel++, at++) {
      const value = sequence[from + channel]!;
      if (value === UNKNOWN) continue;
      const changed = value / SCALE + (channel < FLOORED ? raised : 0);
      out[at] = inDeviations(changed, channel, scale) + noise[at]!;
    }
  }
}
