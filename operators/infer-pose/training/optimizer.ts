/**
 * Adam (Kingma and Ba 2015) on one array of parameters, with the gradient's norm clipped, decay of the
 * weights, and an average of the parameters.
 */
export class Adam {
  readonly #first: Float32Array;
  readonly #second: Float32Array;
  #steps = 0;
  /** Exponential mean of the parameters: steadier than the last ones, and used for the shipped weights. */
  readonly average: Float32Array;

  readonly parameters: Float32Array;
  readonly options: AdamOptions;

  /** @param parameters changed in place by each step. */
  constructor(parameters: Float32Array, options: Partial<AdamOptions> = {}) {
    this.parameters = parameters;
    this.options = { beta1: 0.9, beta2: 0.99, clip: 5, average: 0.998, decay: 0, ...options };
    this.#first = new Float32Array(parameters.length);
    this.#second = new Float32Array(parameters.length);
    this.average = parameters.slice();
  }

  static restore({ parameters, first, second, average, steps, options }: AdamState): Adam {
    const adam = new Adam(parameters.slice(), options);
    adam.#first.set(first);
    adam.#second.set(second);
    adam.average.set(average);
    adam.#steps = steps;
    return adam;
  }

  snapshot(): AdamState {
    return {
      parameters: this.parameters.slice(),
      first: this.#first.slice(),
      second: this.#second.slice(),
      average: this.average.slice(),
      steps: this.#steps,
      options: this.options,
    };
  }

  /** One step against `gradient`; returns the gradient's norm. Skips a gradient that is not finite. */
  step(gradient: Float32Array, rate: number): number {
    let squared = 0;
    for (const g of gradient) squared += g * g;
    const norm = Math.sqrt(squared);
    if (!Number.isFinite(norm)) return norm;
    const { beta1, beta2, clip, decay } = this.options;
    const scale = norm > clip ? clip / norm : 1;
    const t = ++this.#steps;
    const size = (rate * Math.sqrt(1 - beta2 ** t)) / (1 - beta1 ** t);
    const keep = Math.min(this.options.average, (1 + t) / (10 + t));
    for (let i = 0; i < gradient.length; i++) {
      const g = gradient[i]! * scale;
      const first = (this.#first[i] = beta1 * this.#first[i]! + (1 - beta1) * g);
      const second = (this.#second[i] = beta2 * this.#second[i]! + (1 - beta2) * g * g);
      const shrunk = (1 - rate * decay) * this.parameters[i]!;
      const value = (this.parameters[i] = shrunk - (size * first) / (Math.sqrt(second) + 1e-8));
      this.average[i] = keep * this.average[i]! + (1 - keep) * value;
    }
    return norm;
  }
}

/** Linear warm-up, then half a cosine to 0. `progress` is 0 to 1. */
export const learningRate = (peak: number, step: number, progress: number, warmUp = 60): number =>
  peak * Math.min(1, (step + 1) / warmUp) * 0.5 * (1 + Math.cos(Math.PI * Math.min(1, progress)));

export interface AdamOptions {
  readonly beta1: number;
  readonly beta2: number;
  /** Largest norm of a gradient; larger ones are scaled down. */
  readonly clip: number;
  /** Share of the average that a step preserves. */
  readonly average: number;
  /** Share of the parameters that a step of rate 1 removes (Loshchilov and Hutter 2019). */
  readonly decay: number;
}

/** A copy of everything the next step needs. */
export interface AdamState {
  readonly parameters: Float32Array;
  readonly first: Float32Array;
  readonly second: Float32Array;
  readonly average: Float32Array;
  readonly steps: number;
  readonly options?: Partial<AdamOptions>;
}
