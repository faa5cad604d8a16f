import { LOUD_LEVEL, motionOf, PROFILE, type LinkMotion } from '../shared/link-motion.js';
import { LevelMemory, type LevelMemoryState } from './level-memory.js';
import { CHANGE, ramp } from './ramp.js';
import { Stirring, type StirringState } from './stirring.js';

export interface MemorySettings {
  /** Motion from which somebody is moving. */
  readonly threshold: number;
  /** The same for the energy above the quiet level, log10. */
  readonly energyThreshold: number;
}

/** Measurements of a link in its empty room; undefined: not measured. */
export interface QuietLink {
  /** Motion from which somebody is moving. */
  readonly threshold?: number;
  /** Energy of change, log10. */
  readonly level?: number;
}

export interface LinkMemoryState {
  readonly time: number;
  readonly level: number;
  readonly floor: number;
  readonly usual: number;
  readonly seen: number;
  readonly stirring: StirringState;
  /** Checkpoints of 0.5.0 have no `level` in it. */
  readonly recent: readonly Recent[];
  readonly empty: Float64Array;
  readonly spread: number;
  readonly learnt: number;
  /** Missing in checkpoints of 0.1.0. */
  readonly quiet?: QuietLink;
  /** Missing in checkpoints of 0.5.0. */
  readonly levels?: LevelMemoryState;
}

/** What one window showed; `level`: energy of its change, log10. */
type Recent = readonly [motion: number, energy: number, level?: number];

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

/** Seconds in which the quiet level follows a fall. */
const FALL_SECONDS = 2;
/** Rise of the quiet level, log10 per second: 1 dB per minute. */
const RISE = 0.1 / 60;
/** Motion of a link in the quietest fifth of the time, and its learning rate: 0.5 in half an hour. */
const FLOOR_SHARE = 0.2;
const FLOOR_STEP = 0.0014;
/** Changes this similar in neighbouring carriers come from the channel; below, they are noise or interference. */
const SMOOTH = 0.1;
/** Windows over which the autocorrelation is averaged. */
const USUAL = 5;
/** Largest share of stirring in an empty room, and the share from which somebody is stirring. */
const CALM = 0.35;
const STIRS = 0.55;
/** Motion this even for this many seconds comes from a machine: spread of its energy, log10. */
const EVEN_SECONDS = 30;
const EVEN = 0.1;
/** The same for the energy of the level, a single number for each frame, where its change is strong. */
const EVEN_LEVEL = 0.2;
/** Seconds over which the empty room is learnt, and after which it counts as learnt. */
const MEMORY = 600;
const MIN_LEARNT = 60;
/** The smallest deviation distinguishable from rounding: 0.03 dB. */
const MIN_SPREAD = 0.0035;

/** State of one link in a room: its quiet level, background motion, and its view of the empty room. */
export class LinkMemory {
  readonly #settings: MemorySettings;
  #time = -Infinity;
  #level = 0;
  #floor = 0;
  /** Mean autocorrelation of the last windows, and their number. */
  #usual = 0;
  #seen = 0;
  readonly #stirring = new Stirring();
  readonly #levels = new LevelMemory();
  #recent: Recent[] = [];
  #empty = new Float64Array(PROFILE);
  #spread = 0;
  #learnt = 0;
  #quiet: QuietLink = {};

  constructor(settings: MemorySettings) {
    this.#settings = settings;
  }

  see(time: number, sample: LinkMotion): Evidence {
    const seconds = Math.min(60, Math.max(0, (time - this.#time) / 1e6));
    const excess = this.#excess(sample.energy, seconds);
    this.#time = time;
    this.#seen = Math.min(USUAL, this.#seen + 1);
    this.#usual += (sample.correlation - this.#usual) / this.#seen;
    const level = this.#levels.see(sample.level, this.#settings.energyThreshold);
    const motion = Math.max(motionOf(sample, this.#usual, this.#seen), level.motion);
    this.#findMachine(motion, sample);
    const activity = Math.max(
      this.#movement(motion),
      this.#change(excess, sample.smoothness),
      level.activity,
    );
    const quiet = motion < this.#floor;
    this.#floor += FLOOR_STEP * Math.min(seconds, 2) * (quiet ? FLOOR_SHARE - 1 : FLOOR_SHARE);
    this.#floor = Math.max(0, this.#floor);
    const share = this.#stirring.see(time, sample.profile);
    const stirring = Math.min(1, Math.max(0, (share - CALM) / (STIRS - CALM)));
    const { unsettled } = level;
    return { motion, excess, activity, stirring, shift: this.#shift(sample.profile), unsettled };
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
      time: this.#time,
      level: this.#level,
      floor: this.#floor,
      usual: this.#usual,
      seen: this.#seen,
      stirring: this.#stirring.snapshot(),
      recent: this.#recent.slice(),
      empty: this.#empty.slice(),
      spread: this.#spread,
      learnt: this.#learnt,
      quiet: this.#quiet,
      levels: this.#levels.snapshot(),
    };
  }

  static restore(settings: MemorySettings, state: LinkMemoryState): LinkMemory {
    const memory = new LinkMemory(settings);
    memory.#time = state.time;
    memory.#level = state.level;
    memory.#floor = state.floor;
    memory.#usual = state.usual;
    memory.#seen = state.seen;
    memory.#stirring.restore(state.stirring);
    memory.#recent = [...state.recent];
    memory.#empty = state.empty.slice();
    memory.#spread = state.spread;
    memory.#learnt = state.learnt;
    memory.#quiet = state.quiet ?? {};
    if (state.levels) memory.#levels.restore(state.levels);
    return memory;
  }

  /** Energy above the quiet level, at least 0; the level learns from it, and starts at the measured value. */
  #excess(energy: number, seconds: number): number {
    this.#level =
      this.#time === -Infinity
        ? Math.min(energy, this.#quiet.level ?? Infinity)
        : energy < this.#level
          ? energy + (this.#level - energy) * Math.exp(-seconds / FALL_SECONDS)
          : Math.min(energy, this.#level + RISE * seconds);
    return Math.max(0, energy - this.#level);
  }

  /** A person's motion varies. Motion that is even for half a minute is background. */
  #findMachine(motion: number, { energy, level }: LinkMotion): void {
    this.#recent = [...this.#recent.slice(1 - EVEN_SECONDS), [motion, energy, level.energy]];
    if (this.#recent.length < EVEN_SECONDS) return;
    const energies = spreadOf(this.#recent.map(([, one]) => one));
    const loud = this.#recent.map(([, , one = LOUD_LEVEL]) => Math.max(LOUD_LEVEL, one));
    const levels = spreadOf(loud);
    if (energies.deviation > EVEN || levels.deviation > EVEN_LEVEL) return;
    const least = Math.min(...this.#recent.map(([one]) => one));
    this.#floor = Math.max(this.#floor, least);
    this.#level = Math.max(this.#level, energies.mean);
    if (Math.min(...loud) > LOUD_LEVEL) this.#levels.raise(levels.mean);
  }

  #movement(motion: number): number {
    const threshold = this.#quiet.threshold ?? this.#settings.threshold;
    return ramp((motion - this.#floor) / threshold, 0.5, 1, 2.5);
  }

  #change(excess: number, smoothness: number): number {
    return smoothness > SMOOTH ? ramp(excess / this.#settings.energyThreshold, ...CHANGE) : -1;
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

const spreadOf = (values: readonly number[]): { readonly mean: number; readonly deviation: number } => {
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  const variance = values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
};
