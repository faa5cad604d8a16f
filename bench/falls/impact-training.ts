import { CHANNELS } from '../../operators/detect-falls/changes.js';
import {
  LAYERS,
  PARAMETERS,
  Pass,
  standardised,
  STEPS,
  type Scale,
} from '../../operators/detect-falls/impact-net.js';
import { SCALE, UNKNOWN, type SimulatedImpact } from './scenes.js';

/** How the network of several links is trained; chosen on rooms that were not trained on. */
export interface ImpactSettings {
  readonly epochs: number;
  readonly batch: number;
  /** Highest learning rate; it rises over the first tenth and then falls to nothing along a cosine. */
  readonly rate: number;
  readonly weightDecay: number;
  /** Standard deviation of the noise that is added to standardised inputs. */
  readonly noise: number;
  /** Steps that a candidate is moved to and fro by chance. */
  readonly shift: number;
  /** Share of the pooled values that are left out by chance. */
  readonly dropout: number;
}

interface Example {
  readonly antennas: readonly Float32Array[];
  readonly positive: boolean;
}

/** Mean and deviation of each channel where it is known, a candidate's antennas counting alike. */
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

/** Trains by AdamW (Loshchilov and Hutter, 2019) on the cross-entropy. The same examples and `random` give the same weights. */
export function trainImpacts(
  impacts: readonly SimulatedImpact[],
  scale: Scale,
  settings: ImpactSettings,
  random: () => number,
  progress: (epoch: number, loss: number) => void,
): Float32Array {
  const examples = impacts
    .filter(({ unclear }) => !unclear)
    .map((one): Example => ({ antennas: inputsOf(one, scale), positive: one.fall >= 0 }));
  const parameters = firstParameters(random);
  const optimizer = new AdamW(parameters, settings.weightDecay);
  const gradient = new Float32Array(PARAMETERS);
  const perEpoch = Math.floor(examples.length / settings.batch);
  const dropout = (values: Float32Array): void => {
    for (let i = 0; i < values.length; i++)
      values[i] = random() < settings.dropout ? 0 : 1 / (1 - settings.dropout);
  };
  for (let epoch = 0; epoch < settings.epochs; epoch++) {
    shuffle(examples, random);
    let loss = 0;
    for (let step = 0; step < perEpoch; step++) {
      gradient.fill(0);
      for (const { antennas, positive } of examples.slice(
        step * settings.batch,
        (step + 1) * settings.batch,
      )) {
        const pass = new Pass(parameters, disturbed(antennas, settings, random), dropout);
        const error = 1 / (1 + Math.exp(-pass.logit)) - (positive ? 1 : 0);
        loss += Math.log1p(Math.exp(positive ? -pass.logit : pass.logit));
        pass.addGradient(error / settings.batch, gradient);
      }
      const share = (epoch * perEpoch + step) / (settings.epochs * perEpoch);
      optimizer.step(gradient, settings.rate * scheduled(share));
    }
    progress(epoch + 1, loss / (perEpoch * settings.batch));
  }
  return parameters;
}

const scheduled = (share: number): number =>
  share < 0.1 ? 0.1 + 9 * share : 0.5 * (1 + Math.cos((Math.PI * (share - 0.1)) / 0.9));

/** Moved in time and with noise, all antennas alike in time. */
function disturbed(
  antennas: readonly Float32Array[],
  { noise, shift }: ImpactSettings,
  random: () => number,
): Float32Array[] {
  const steps = Math.floor(random() * (2 * shift + 1)) - shift;
  return antennas.map((values) => {
    const out = new Float32Array(values.length);
    for (let i = 0; i < out.length; i++) {
      const from = i + steps * CHANNELS;
      const clean = values[from < 0 || from >= STEPS * CHANNELS ? i : from]!;
      out[i] = clean + noise * bell(random);
    }
    return out;
  });
}

/** Of deviation 1: the sum of three even draws is bell-shaped enough, and quick. */
const bell = (random: () => number): number => 2 * (random() + random() + random() - 1.5);

/** He and others (2015). */
function firstParameters(random: () => number): Float32Array {
  const parameters = new Float32Array(PARAMETERS);
  for (const { at, inputs, outputs } of LAYERS)
    for (let i = 0; i < inputs * outputs; i++) parameters[at + i] = Math.sqrt(2 / inputs) * bell(random);
  return parameters;
}

function shuffle(items: unknown[], random: () => number): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j], items[i]];
  }
}

class AdamW {
  readonly #parameters: Float32Array;
  readonly #decay: number;
  readonly #momentum = new Float32Array(PARAMETERS);
  readonly #square = new Float32Array(PARAMETERS);
  #steps = 0;

  constructor(parameters: Float32Array, decay: number) {
    this.#parameters = parameters;
    this.#decay = decay;
  }

  step(gradient: Float32Array, rate: number): void {
    this.#steps++;
    const [first, second] = [1 - 0.9 ** this.#steps, 1 - 0.999 ** this.#steps];
    for (let i = 0; i < PARAMETERS; i++) {
      const g = gradient[i]!;
      this.#momentum[i] = 0.9 * this.#momentum[i]! + 0.1 * g;
      this.#square[i] = 0.999 * this.#square[i]! + 0.001 * g * g;
      const change = this.#momentum[i]! / first / (Math.sqrt(this.#square[i]! / second) + 1e-8);
      this.#parameters[i]! -= rate * (change + this.#decay * this.#parameters[i]!);
    }
  }
}
