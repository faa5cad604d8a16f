/** Frames from whose gains the reference is taken (esp-csi, `esp_csi_gain_ctrl`). */
const BASELINE_FRAMES = 50;

/** State of a baseline, as plain data. */
export interface BaselineState {
  /** Analogue and digital gain of each frame that counts so far, dB; empty once the reference is fixed. */
  readonly gains: Float64Array;
  /** The gain of the reference, dB; NaN before the first frame. */
  readonly reference: number;
}

/**
 * The gain to which those of an antenna are compared: that of the frame with the median analogue gain among the
 * first 50. Until then it is the median of the frames so far, because no frame waits for later ones.
 */
export class GainBaseline {
  /** Analogue and digital gain, one pair after the other; of the analogue one, ascending. Null: fixed. */
  #gains: [analogue: number, digital: number][] | null = [];
  #reference = NaN;

  /** The reference after a frame with these gains, dB. NaN counts as 0, which is constant. */
  see(analogue: number, digital: number): number {
    if (!this.#gains) return this.#reference;
    this.#gains.push([analogue || 0, digital || 0]);
    this.#gains.sort(([a, x], [b, y]) => a - b || x - y);
    const [middle, beside] = this.#gains[(this.#gains.length - 1) >> 1]!;
    this.#reference = middle + beside;
    if (this.#gains.length === BASELINE_FRAMES) this.#gains = null;
    return this.#reference;
  }

  snapshot(): BaselineState {
    return { gains: Float64Array.from((this.#gains ?? []).flat()), reference: this.#reference };
  }

  restore({ gains, reference }: BaselineState): void {
    this.#reference = reference;
    const pairs = Array.from({ length: gains.length / 2 }, (_, i): [number, number] => [
      gains[2 * i]!,
      gains[2 * i + 1]!,
    ]);
    this.#gains = pairs.length === 0 && !Number.isNaN(reference) ? null : pairs;
  }
}
