/** A change of the level from one frame to the next that may be a step of the gain, dB. */
const JUMP_DB = 1;
/** Change of the level without a jump that RSSI cannot miss, dB: it is rounded to whole decibels. */
const UNMISSABLE_DB = 3;
/** Frames over which a gain is averaged at most: five minutes at 50 frames per second. */
const LONGEST = 15_000;

/** State of an {@link UnmeasuredRssi}, as plain data. */
export interface UnmeasuredRssiState {
  /** The only value so far, dBm; NaN before the first frame, and once there was another one. */
  readonly only: number;
  readonly isMeasured: boolean;
  readonly isFound: boolean;
  /** Mean gain, dB, over a number of frames. */
  readonly gain: number;
  readonly frames: number;
}

/**
 * Notices a link whose RSSI is not measured: all of its packets have the same one, although their level changes
 * smoothly by more than RSSI can miss. Gain control changes a level in jumps, unless it follows the received power,
 * and then RSSI changes.
 */
export class UnmeasuredRssi {
  #only = NaN;
  #isMeasured = false;
  #isFound = false;
  #gain = 0;
  #frames = 0;
  /** Level of the last frame, and the lowest and highest one since the last jump, dB. */
  #level = NaN;
  #lowest = Infinity;
  #highest = -Infinity;

  get isFound(): boolean {
    return this.#isFound;
  }

  /** Adds a frame of a link. @param level mean power of the frame's values, dB @param rssi dBm */
  see(level: number, rssi: number): void {
    if (this.#isMeasured) return;
    if (this.#frames === 0) this.#only = rssi;
    if (rssi !== this.#only) {
      this.#isMeasured = true;
      this.#isFound = false;
      return;
    }
    this.#frames = Math.min(this.#frames + 1, LONGEST);
    this.#gain += (level - rssi - this.#gain) / this.#frames;
    if (!this.#isFound) this.#follow(level);
  }

  #follow(level: number): void {
    // Also after the first frame, because comparisons with NaN are false.
    if (!(Math.abs(level - this.#level) < JUMP_DB)) [this.#lowest, this.#highest] = [level, level];
    this.#level = level;
    this.#lowest = Math.min(this.#lowest, level);
    this.#highest = Math.max(this.#highest, level);
    this.#isFound = this.#highest - this.#lowest > UNMISSABLE_DB;
  }

  /** The mean gain so far, dB: what frames of such a link can be scaled by. */
  get gain(): number {
    return this.#gain;
  }

  snapshot(): UnmeasuredRssiState {
    return {
      only: this.#only,
      isMeasured: this.#isMeasured,
      isFound: this.#isFound,
      gain: this.#gain,
      frames: this.#frames,
    };
  }

  restore({ only, isMeasured, isFound, gain, frames }: UnmeasuredRssiState): void {
    this.#only = only;
    this.#isMeasured = isMeasured;
    this.#isFound = isFound;
    this.#gain = gain;
    this.#frames = frames;
  }
}
