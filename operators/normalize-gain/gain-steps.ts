/** Distance from the mean of a segment that counts as a step of the gain, dB: RSSI is rounded to whole decibels. */
const STEP_DB = 1;
/** Frames in a row that confirm a step; one is an outlier. */
const CONFIRMED = 2;
/** Frames over which a gain is averaged at most, so that it follows drifts and steps of less than {@link STEP_DB}. */
const LONGEST = 10;

/** A gain that holds: its mean, dB, over a number of frames. */
export interface Segment {
  readonly mean: number;
  readonly frames: number;
}

export interface GainStepsState {
  readonly segment: Segment;
  /** A step that is not confirmed yet. */
  readonly next: Segment;
}

const NONE: Segment = { mean: NaN, frames: 0 };

/**
 * The gain of a link, averaged between the steps of its gain control. One frame tells its gain only to half a
 * decibel, because RSSI is rounded; where the gain stays for some frames, the rounding averages out. A gain that changes
 * with each frame is taken as it is.
 */
export class GainSteps {
  #segment = NONE;
  #next = NONE;

  /** No gain was seen yet. */
  get isUnused(): boolean {
    return this.#segment.frames === 0;
  }

  /** Adds the gain of a frame by its RSSI, dB; returns the gain to correct the frame by. */
  see(gain: number): number {
    if (near(gain, this.#segment)) {
      this.#next = NONE;
      this.#segment = extended(this.#segment, gain);
      return this.#segment.mean;
    }
    this.#next = near(gain, this.#next) ? extended(this.#next, gain) : { mean: gain, frames: 1 };
    const { mean, frames } = this.#next;
    if (frames >= CONFIRMED || this.#segment.frames === 0) {
      this.#segment = this.#next;
      this.#next = NONE;
    }
    return mean;
  }

  snapshot(): GainStepsState {
    return { segment: this.#segment, next: this.#next };
  }

  restore({ segment, next }: GainStepsState): void {
    this.#segment = segment;
    this.#next = next;
  }
}

const near = (gain: number, { mean }: Segment): boolean => Math.abs(gain - mean) <= STEP_DB;

const extended = ({ mean, frames }: Segment, gain: number): Segment => {
  const count = Math.min(frames + 1, LONGEST);
  return { mean: mean + (gain - mean) / count, frames: count };
};
