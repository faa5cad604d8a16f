import type { LevelChange } from '../shared/level-motion.js';
import { mean } from '../shared/mean.js';
import { energyActivity, motionActivity, ramp, RISE, type Thresholds } from './activity.js';
import { Background, type BackgroundState } from './background.js';

export interface LevelMemoryState {
  readonly time: number;
  readonly covariance: number;
  readonly variance: number;
  readonly seen: number;
  readonly energies: readonly number[];
  readonly rest: number | null;
  readonly background: BackgroundState;
  readonly evidence: LevelEvidence;
}

/** What the level of a link shows. */
export interface LevelEvidence {
  /** 0 to 1, including background motion. */
  readonly motion: number;
  /** -1: quiet; 0: undecided; 1: somebody is moving. */
  readonly activity: number;
  /** It changes strongly, and rest is unknown: by movement, or by a gain that is not taken out. */
  readonly unsettled: boolean;
}

const NOTHING: LevelEvidence = { motion: 0, activity: -1, unsettled: false };
/** Windows closer than this tell nothing new, microseconds. */
const SPACING = 750_000;
/** After this long without a window, what was seen before says nothing about now, microseconds. */
const FORGOTTEN = 60_000_000;
/** Windows over which covariance and variance are averaged. */
const USUAL = 5;
/** Margin for chance in the autocorrelation, in its standard deviations. */
const CHANCE = 2;
/** Autocorrelation that cleaning over a few frames gives the noise of RSSI, by which gains are corrected. */
const CLEANED = 0.1;
/** Energy of a strong change: -28 dB; gains and temperature cause weaker ones. What is within 1 dB of it is undecided. */
const LOUD = -2.8;
const ABOUT = 0.1;
/** The level rests if so many windows in a row have weak changes whose energy differs by 6 dB at most. */
const RESTING = 10;
const ALIKE = 0.6;
/** Spread of the energy of a machine, log10: the level is one number for each frame, so its energy varies by chance. */
const EVEN = 0.2;

/**
 * State of a link's level. A gain that changes with each packet and is not taken out well changes it as strongly as
 * somebody who walks, but rests less: only links that were seen at rest, or evenly loud, tell movement by its
 * strength. The others tell it by its persistence.
 */
export class LevelMemory {
  readonly #settings: Thresholds;
  readonly #background = new Background(EVEN);
  #time = -Infinity;
  #covariance = 0;
  #variance = 0;
  #seen = 0;
  #energies: number[] = [];
  /** Energy of change at rest, or by a machine, log10; null: neither was seen. */
  #rest: number | null = null;
  #evidence = NOTHING;

  constructor(settings: Thresholds) {
    this.#settings = settings;
  }

  see(time: number, change: LevelChange): LevelEvidence {
    const elapsed = time - this.#time;
    if (!Number.isFinite(change.energy + change.covariance)) return NOTHING;
    if (elapsed >= 0 && elapsed < SPACING) return this.#evidence;
    if (elapsed < 0 || elapsed > FORGOTTEN) this.#forget();
    const seconds = Math.min(FORGOTTEN, Math.abs(elapsed)) / 1e6;
    this.#time = time;
    const motion = this.#motion(change, seconds);
    const { above, even } = this.#background.see(motion, Math.max(LOUD, change.energy), seconds);
    this.#findRest(change.energy, even && even.least > LOUD ? even.mean : null, seconds);
    this.#evidence = {
      motion,
      activity: Math.max(motionActivity(above, this.#settings.threshold), this.#strength(change.energy)),
      unsettled: this.#rest === null && change.energy > LOUD,
    };
    return this.#evidence;
  }

  snapshot(): LevelMemoryState {
    return {
      time: this.#time,
      covariance: this.#covariance,
      variance: this.#variance,
      seen: this.#seen,
      energies: [...this.#energies],
      rest: this.#rest,
      background: this.#background.snapshot(),
      evidence: this.#evidence,
    };
  }

  restore(state: LevelMemoryState): void {
    this.#time = state.time;
    this.#covariance = state.covariance;
    this.#variance = state.variance;
    this.#seen = state.seen;
    this.#energies = [...state.energies];
    this.#rest = state.rest;
    this.#background.restore(state.background);
    this.#evidence = state.evidence;
  }

  #forget(): void {
    this.#seen = 0;
    this.#energies = [];
    this.#background.interrupt();
  }

  /** What persists of a strong change: its autocorrelation over the last windows, beyond chance. */
  #motion({ covariance, variance, energy, chance, duration }: LevelChange, seconds: number): number {
    this.#seen = Math.min(USUAL, this.#seen + 1);
    this.#covariance += (covariance - this.#covariance) / this.#seen;
    this.#variance += (variance - this.#variance) / this.#seen;
    if (!(this.#variance > 0)) return 0;
    const windows = 1 + (this.#seen - 1) * Math.min(1, seconds / duration);
    const correlation = this.#covariance / this.#variance;
    const lasting = Math.min(1, correlation - (CHANCE * chance) / Math.sqrt(windows) - CLEANED);
    if (!(lasting > 0)) return 0;
    return (lasting * (1 + loudness(energy + Math.log10(lasting)))) / 2;
  }

  #findRest(energy: number, machine: number | null, seconds: number): void {
    this.#energies = [...this.#energies.slice(1 - RESTING), energy];
    const [least, most] = [Math.min(...this.#energies), Math.max(...this.#energies)];
    const usual = mean(this.#energies);
    const isWeak = this.#energies.length === RESTING && most < LOUD;
    if (isWeak && most - least < ALIKE) this.#rest = usual;
    else if (this.#rest === null) this.#rest = machine;
    // Weak changes that are not alike tell no rest, but that it is not above them.
    else if (isWeak) this.#rest = Math.min(this.#rest, usual);
    else this.#rest = Math.max(this.#rest, machine ?? Math.min(energy, this.#rest + RISE * seconds));
  }

  /** Activity by the strength of the change, however fast. */
  #strength(energy: number): number {
    if (this.#rest === null) return -1;
    const above = energyActivity(energy - this.#rest, this.#settings.energyThreshold);
    return Math.min(above, loudness(energy));
  }
}

/** -1: weak; 0: as strong as {@link LOUD}; 1: strong. */
const loudness = (energy: number): number => ramp(energy - LOUD, -ABOUT, 0, ABOUT);
