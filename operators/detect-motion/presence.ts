export interface PresenceSettings {
  /** Motion from which somebody is present. */
  readonly threshold: number;
  /** The same of the energy above the quiet level, log10. */
  readonly energyThreshold: number;
  /** Quiet time until nobody is, microseconds. */
  readonly hold: number;
}

export interface PresenceState {
  readonly present: boolean;
  readonly lastMotion: number;
  readonly levels: readonly (readonly [link: string, QuietLevel])[];
}

interface QuietLevel {
  readonly time: number;
  readonly level: number;
}

/** Seconds in which the quiet level follows a fall. */
const FALL_SECONDS = 2;
/** Its rise, log10 a second: 1 dB a minute. */
const RISE = 0.1 / 60;

/** Presence in one room, with hysteresis, and the quiet level of each of its links, learnt from the past alone. */
export class Presence {
  readonly #settings: PresenceSettings;
  readonly #levels = new Map<string, QuietLevel>();
  #present = false;
  /** Event time at which it was last not quiet, microseconds. */
  #lastMotion = 0;

  constructor(settings: PresenceSettings) {
    this.#settings = settings;
  }

  /** How far `energy` (log10) lies above the link's quiet level, 0 at least; the level learns from it. */
  excess(link: string, time: number, energy: number): number {
    const known = this.#levels.get(link);
    const seconds = known ? Math.max(0, time - known.time) / 1e6 : 0;
    const level = !known
      ? energy
      : energy < known.level
        ? energy + (known.level - energy) * Math.exp(-seconds / FALL_SECONDS)
        : Math.min(energy, known.level + RISE * seconds);
    this.#levels.set(link, { time, level });
    return Math.max(0, energy - level);
  }

  decide(time: number, motion: number, excess: number): boolean {
    const { threshold, energyThreshold, hold } = this.#settings;
    const needed = this.#present ? 0.5 : 1;
    const moving = motion > threshold * needed || excess > energyThreshold * needed;
    if (moving) this.#lastMotion = time;
    this.#present = moving || (this.#present && time - this.#lastMotion < hold);
    return this.#present;
  }

  snapshot(): PresenceState {
    return { present: this.#present, lastMotion: this.#lastMotion, levels: [...this.#levels] };
  }

  restore({ present, lastMotion, levels }: PresenceState): void {
    this.#present = present;
    this.#lastMotion = lastMotion;
    this.#levels.clear();
    for (const [link, level] of levels) this.#levels.set(link, level);
  }
}
