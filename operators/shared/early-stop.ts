/** Where a training that is watched stands. */
export interface EarlyStopState<Weights = Float32Array> {
  /** Null before the first look. */
  readonly best: Weights | null;
  readonly loss: number;
  /** Looks since the best one. */
  readonly since: number;
}

/**
 * Looks at a training on what it never sees, and tells when it gets no better (early stopping: Prechelt 1998). All trainings
 * that can be stopped so share this rule.
 */
export class EarlyStop<Weights extends { slice(): Weights } = Float32Array> {
  readonly #lossOf: (weights: Weights) => number;
  readonly #patience: number;
  #state: EarlyStopState<Weights>;

  /**
   * @param lossOf mean loss of weights on what no training sees; the same at each look, so that two looks differ by the
   * weights alone
   * @param patience looks without a better one until the training stops; 0: it never does
   */
  constructor(
    lossOf: (weights: Weights) => number,
    patience: number,
    resumed: EarlyStopState<Weights> | null = null,
  ) {
    this.#lossOf = lossOf;
    this.#patience = patience;
    this.#state = resumed ?? { best: null, loss: Infinity, since: 0 };
  }

  /** @returns mean loss of these weights, and whether the training should stop */
  look(weights: Weights): { readonly loss: number; readonly stop: boolean } {
    const loss = this.#lossOf(weights);
    this.#state =
      loss < this.#state.loss
        ? { best: weights.slice(), loss, since: 0 }
        : { ...this.#state, since: this.#state.since + 1 };
    return { loss, stop: this.#patience > 0 && this.#state.since >= this.#patience };
  }

  get state(): EarlyStopState<Weights> {
    return this.#state;
  }

  /** Those of the best look. @throws Error where no look gave a loss that is a number */
  get best(): Weights {
    const { best } = this.#state;
    if (best === null) throw new Error('The loss was not a number at any look: no weights can be chosen.');
    return best;
  }
}

/** What is said of a training that was stopped. */
export const stoppedText = (patience: number, where = 'in other rooms'): string =>
  `no better ${where} for ${patience} looks`;
