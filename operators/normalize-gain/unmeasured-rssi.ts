/** A change of the level from one frame to the next that may be a step of the gain, dB. */
const JUMP_DB = 1;
/** Change of the level without a jump that RSSI cannot miss, dB: it is rounded to whole decibels. */
const UNMISSABLE_DB = 3;
/**
 * RSSI that has changed so often is measured. A sender that does not measure it may begin with another value, as after
 * its restart.
 */
const MEASURED = 3;
/** Frames over which a gain is averaged: five minutes at 50 frames per second. Later ones replace earlier ones. */
const LONGEST = 15_000;

/** State of an {@link UnmeasuredRssi}, as plain data. */
export interface UnmeasuredRssiState {
  /** The value of the newest frames, dBm; NaN before the first one. */
  readonly last: number;
  /** How often it has changed. */
  readonly changes: number;
  /** The value by which the gain is computed, dBm. */
  readonly reference: number;
  readonly isFound: boolean;
  /** Mean gain, dB, over a number of frames. */
  readonly gain: number;
  readonly frames: number;
}

/**
 * Notices a link whose RSSI is not measured: it stays the same although the level of the frames changes smoothly by more
 * than RSSI can miss. Gain control changes a level in jumps, unless it follows the received power, and then RSSI changes.
 */
export class UnmeasuredRssi {
  #last = NaN;
  #changes = 0;
  #reference = NaN;
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
    if (this.#changes >= MEASURED) return;
    if (rssi !== this.#last) this.#beginWith(rssi);
    this.#frames = Math.min(this.#frames + 1, LONGEST);
    this.#gain += (level - this.#reference - this.#gain) / this.#frames;
    if (!this.#isFound) this.#follow(level);
  }

  #beginWith(rssi: number): void {
    if (!Number.isNaN(this.#last)) this.#changes++;
    this.#last = rssi;
    if (this.#changes >= MEASURED) this.#isFound = false;
    // A link that was found keeps its unit.
    if (this.#isFound) return;
    this.#reference = rssi;
    this.#frames = 0;
    this.#level = NaN;
  }

  #follow(level: number): void {
    // Also after the first frame, because comparisons with NaN are false.
    if (!(Math.abs(level - this.#level) < JUMP_DB)) [this.#lowest, this.#highest] = [level, level];
    this.#level = level;
    this.#lowest = Math.min(this.#lowest, level);
    this.#highest = Math.max(this.#highest, level);
    this.#isFound = this.#highest - this.#lowest > UNMISSABLE_DB;
  }

  /** The mean gain, dB: what frames of such a link can be scaled by. */
  get gain(): number {
    return this.#gain;
  }

  snapshot(): UnmeasuredRssiState {
    return {
      last: this.#last,
      changes: this.#changes,
      reference: this.#reference,
      isFound: this.#isFound,
      gain: this.#gain,
      frames: this.#frames,
    };
  }

  restore({ last, changes, reference, isFound, gain, frames }: UnmeasuredRssiState): void {
    this.#last = last;
    this.#changes = changes;
    this.#reference = reference;
    this.#isFound = isFound;
    this.#gain = gain;
    this.#frames = frames;
  }
}
