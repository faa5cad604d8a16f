import { motionOf, PROFILE, type LinkMotion } from '../shared/link-motion.js';
import { energyActivity, motionActivity, RISE, type Thresholds } from './activity.js';
import { Background, type BackgroundState } from './background.js';
import { LevelMemory, type LevelMemoryState } from './level-memory.js';
import { Stirring, type StirringState } from './stirring.js';

/** Measurements of a link in its empty room; undefined: not measured. */
export interface QuietLink {
  /** Motion from which somebody is moving. */
  readonly threshold?: number;
  /** Energy of change, log10. */
  readonly level?: number;
}

export interface LinkMemoryState extends BackgroundState {
  readonly time: number;
  readonly level: number;
  readonly usual: number;
  readonly seen: number;
  readonly stirring: StirringState;
  readonly empty: Float64Array;
  readonly spread: number;
  readonly learnt: number;
  /** Missing in checkpoints of 0.1.0. */
  readonly quiet?: QuietLink;
  /** Missing in checkpoints of 0.5.0. */
  readonly levels?: LevelMemoryState;
}

/** Observation of a link at one moment. */
export interface Evidence {
  /** 0 to 1, including background motion. */
  readonly motion: number;
  /** Energy of change above the quiet level, log10. */
  readonly excess: number;
  /** -1: quiet; 0: undecided; 1: somebody is moving. */
  readonly activity: number;
  /** 0 to 1: likelihood of small movements by a person who keeps still. */
  readonly stirring: number;
  /** Distance of the profile from that of the empty room, in its usual deviations; null: not learnt yet. */
  readonly shift: number | null;
  /** Its level changes strongly, by movement or by the receiver's gain: it is not known which. */
  readonly unsettled: boolean;
}

/** Seconds in which the energy at rest follows a fall. */
const FALL_SECONDS = 2;
/** Changes this similar in neighbouring carriers come from the channel; below, they are noise or interference. */
const SMOOTH = 0.1;
/** Windows over which the autocorrelation is averaged. */
const USUAL = 5;
/** Largest share of stirring in an empty room, and the share from which somebody is stirring. */
const CALM = 0.35;
const STIRS = 0.55;
/** Spread of the energy of a machine, log10. */
const EVEN = 0.1;
/** Seconds over which the empty room is learnt, and after which it counts as learnt. */
const MEMORY = 600;
const MIN_LEARNT = 60;
/** The smallest deviation distinguishable from rounding: 0.03 dB. */
const MIN_SPREAD = 0.0035;

/** State of one link in a room: its quiet level, background motion, and its view of the empty room. */
export class LinkMemory {
  readonly #settings: Thresholds;
  #time = -Infinity;
  /** Energy of change at rest, log10. */
  #rest = 0;
  /** Mean autocorrelation of the last windows, and their number. */
  #usual = 0;
  #seen = 0;
  readonly #stirring = new Stirring();
  readonly #background = new Background(EVEN);
  readonly #levels: LevelMemory;
  #empty = new Float64Array(PROFILE);
  #spread = 0;
  #learnt = 0;
  #quiet: QuietLink = {};

  constructor(settings: Thresholds) {
    this.#settings = settings;
    this.#levels = new LevelMemory(settings);
  }

  see(time: number, sample: LinkMotion): Evidence {
    const seconds = Math.min(60, Math.max(0, (time - this.#time) / 1e6));
    const excess = this.#excess(sample.energy, seconds);
    this.#time = time;
    this.#seen = Math.min(USUAL, this.#seen + 1);
    this.#usual += (sample.correlation - this.#usual) / this.#seen;
    const motion = motionOf(sample, this.#usual, this.#seen);
    const { above, even } = this.#background.see(motion, sample.energy, seconds);
    if (even !== null) this.#rest = Math.max(this.#rest, even.mean);
    const level = this.#levels.see(time, sample.level);
    const { threshold, energyThreshold } = this.#settings;
    const activity = Math.max(
      motionActivity(above, this.#quiet.threshold ?? threshold),
      sample.smoothness > SMOOTH ? energyActivity(excess, energyThreshold) : -1,
      level.activity,
    );
    const share = this.#stirring.see(time, sample.profile);
    const stirring = Math.min(1, Math.max(0, (share - CALM) / (STIRS - CALM)));
    return {
      motion: Math.max(motion, level.motion),
      excess,
      activity,
      stirring,
      shift: this.#shift(sample.profile),
      unsettled: level.unsettled,
    };
  }

  /** New measurements of the still link. */
  calibrate(quiet: QuietLink): void {
    this.#quiet = { ...this.#quiet, ...quiet };
  }

  /** The room is empty and quiet: learn its look. */
  learn(profile: Float64Array, seconds: number): void {
    const distance = this.#distance(profile);
    const weight = seconds / Math.min(MEMORY, this.#learnt + seconds);
    const deviation = this.#learnt > 0 ? Math.min(distance, 4 * this.#deviation) : 0;
    this.#spread += weight * (deviation - this.#spread);
    for (let i = 0; i < PROFILE; i++) this.#empty[i]! += weight * (profile[i]! - this.#empty[i]!);
    this.#learnt += seconds;
  }

  /** The empty room looks different now: something was moved. */
  forget(): void {
    this.#learnt = 0;
  }

  snapshot(): LinkMemoryState {
    return {
      ...this.#background.snapshot(),
      time: this.#time,
      level: this.#rest,
      usual: this.#usual,
      seen: this.#seen,
      stirring: this.#stirring.snapshot(),
      empty: this.#empty.slice(),
      spread: this.#spread,
      learnt: this.#learnt,
      quiet: this.#quiet,
      levels: this.#levels.snapshot(),
    };
  }

  static restore(settings: Thresholds, state: LinkMemoryState): LinkMemory {
    const memory = new LinkMemory(settings);
    memory.#time = state.time;
    memory.#rest = state.level;
    memory.#usual = state.usual;
    memory.#seen = state.seen;
    memory.#stirring.restore(state.stirring);
    memory.#background.restore(state);
    memory.#empty = state.empty.slice();
    memory.#spread = state.spread;
    memory.#learnt = state.learnt;
    memory.#quiet = state.quiet ?? {};
    if (state.levels) memory.#levels.restore(state.levels);
    return memory;
  }

  /** Energy above that at rest, at least 0; rest learns from it, and starts at the measured value. */
  #excess(energy: number, seconds: number): number {
    this.#rest =
      this.#time === -Infinity
        ? Math.min(energy, this.#quiet.level ?? Infinity)
        : energy < this.#rest
          ? energy + (this.#rest - energy) * Math.exp(-seconds / FALL_SECONDS)
          : Math.min(energy, this.#rest + RISE * seconds);
    return Math.max(0, energy - this.#rest);
  }

  #shift(profile: Float64Array): number | null {
    return this.#learnt < MIN_LEARNT ? null : this.#distance(profile) / this.#deviation;
  }

  get #deviation(): number {
    return Math.max(MIN_SPREAD, this.#spread);
  }

  #distance(profile: Float64Array): number {
    let sum = 0;
    for (let i = 0; i < PROFILE; i++) sum += (profile[i]! - this.#empty[i]!) ** 2;
    return Math.sqrt(sum / PROFILE);
  }
}
