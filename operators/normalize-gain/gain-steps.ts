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

/** A segment that grows in place: frames are many, and none needs an object. */
class Run {
  mean = NaN;
  frames = 0;

  isNear(gain: number): boolean {
    return Math.abs(gain - this.mean) <= STEP_DB;
  }

  add(gain: number): void {
    if (this.frames === 0) this.mean = gain;
    this.frames = Math.min(this.frames + 1, LONGEST);
    this.mean += (gain - this.mean) / this.frames;
  }

  set({ mean, frames }: Segment): void {
    this.mean = mean;
    this.frames = frames;
  }

  clear(): void {
    this.set(NONE);
  }
}

const NONE: Segment = { mean: NaN, frames: 0 };

/**
 * The gain of a link, averaged between the steps of its gain control. One frame tells its gain only to half a
 * decibel, because RSSI is rounded; where the gain stays for some frames, the rounding averages out. A gain that changes
 * with each frame is taken as it is.
 */
export class GainSteps {
  readonly #segment = new Run();
  readonly #next = new Run();

  /** No gain was seen yet. */
  get isUnused(): boolean {
    return this.#segment.frames === 0;
  }

  /** The gain that holds, dB; NaN if none was seen yet. */
  get last(): number {
    return this.#segment.mean;
  }

  /** Adds the gain of a frame by its RSSI, dB; returns the gain to correct the frame by. */
  see(gain: number): number {
    if (this.#segment.isNear(gain)) {
      this.#next.clear();
      this.#segment.add(gain);
      return this.#segment.mean;
    }
    if (!this.#next.isNear(gain)) this.#next.clear();
    this.#next.add(gain);
    const { mean, frames } = this.#next;
    if (frames >= CONFIRMED || this.isUnused) {
      this.#segment.set(this.#next);
      this.#next.clear();
    }
    return mean;
  }

  snapshot(): GainStepsState {
    return { segment: copyOf(this.#segment), next: copyOf(this.#next) };
  }

  restore({ segment, next }: GainStepsState): void {
    this.#segment.set(segment);
    this.#next.set(next);
  }
}

const copyOf = ({ mean, frames }: Segment): Segment => ({ mean, frames });
