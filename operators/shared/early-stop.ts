/** State of a training with early stopping. */
export interface EarlyStopState<Weights = Float32Array> {
  /** Null before the first validation. */
  readonly best: Weights | null;
  readonly loss: number;
  /** Validations since the best one. */
  readonly since: number;
}

/**
 * Early stopping (Prechelt 1998): validates a training on data that it never uses, and stops it when the loss
 * no longer improves. All trainings with early stopping share this rule.
 */
export class EarlyStop<Weights extends { slice(): Weights } = Float32Array> {
  readonly #lossOf: (weights: Weights) => number;
  readonly #patience: number;
  #state: EarlyStopState<Weights>;

  /**
   * @param lossOf mean validation loss of weights; uses the same data each time, so that only the weights
   * differ
   * @param patience validations without improvement before the training stops; 0: never
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

  /** Weights of the best validation. @throws Error if no loss was a number */
  get best(): Weights {
    const { best } = this.#state;
    if (best === null)
      throw new Error('The loss was not a number at any validation: no weights can be selected.');
    return best;
  }
}

/** Description of a stopped training. */
export const stoppedText = (patience: number, where = 'in validation rooms'): string =>
  `no improvement ${where} for ${patience} validations`;
