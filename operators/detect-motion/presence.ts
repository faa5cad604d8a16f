import { LinkMemory, type Evidence, type LinkMemoryState, type QuietLink } from './link-memory.js';
import type { Thresholds } from './activity.js';
import type { LinkMotion } from '../shared/link-motion.js';

export interface PresenceSettings extends Thresholds {
  /** Quiet time until nobody is present, without evidence to the contrary, microseconds. */
  readonly hold: number;
}

export interface PresenceState {
  readonly time: number;
  readonly odds: number;
  readonly present: boolean | null;
  readonly quiet: number;
  readonly links: readonly (readonly [link: string, LinkMemoryState])[];
}

/** Log odds of presence at which presence, and absence, is reported; bounded by the limits. */
const PRESENT = 3;
const ABSENT = -2;
const MAX_ODDS = 4;
const MIN_ODDS = -3;
/** Gain per second of clear movement: three seconds suffice in a room without history. */
const GAIN = 1.5;
/** Faster if the room looks empty again; slower if a person who keeps still may have changed its look. */
const BACK = 2;
const CHANGED = 1 / 15;
/** The same if somebody stirs who keeps still. It ends eventually, because clocks and drifts can look similar. */
const STIRRED = 1 / 5;
/**
 * The same if levels change strongly that were never seen at rest: while nothing is known about the room, somebody
 * may walk there whom nothing else shows.
 */
const UNSETTLED = 1 / 5;
/** Shifts, in usual deviations of the empty room. */
const LOOKS_EMPTY = 2;
const LOOKS_CHANGED = 4;
/** Seconds of quiet in an empty room before learning starts, and how many of them a second of activity costs. */
const SETTLED = 10;
const DISTURBED = 5;
/** After this long without a measurement, nothing is known. */
const FORGOTTEN = 60;

/**
 * Whether somebody is in one room: the evidence of its links, added up as log odds. A moving person is
 * detected immediately. A person who keeps still stirs now and then, far more often than an empty room seems
 * to, and changes the links' view of the room, whose empty state is learnt while nobody is there.
 */
export class RoomPresence {
  readonly #settings: PresenceSettings;
  readonly #links = new Map<string, LinkMemory>();
  #time = -Infinity;
  #odds = 0;
  #present: boolean | null = null;
  /** Seconds for which it has been empty and quiet. */
  #quiet = 0;

  constructor(settings: PresenceSettings) {
    this.#settings = settings;
  }

  /** Null: unknown. */
  get present(): boolean | null {
    return this.#present;
  }

  get probability(): number {
    return 1 / (1 + Math.exp(-this.#odds));
  }

  /** Observations of the links at `time`, in their order. */
  see(time: number, samples: readonly (readonly [link: string, LinkMotion])[]): readonly Evidence[] {
    const elapsed = (time - this.#time) / 1e6;
    const isNew = !(elapsed <= FORGOTTEN);
    if (isNew) this.#forget();
    const seconds = isNew ? 1 : Math.max(0, elapsed);
    this.#time = time;
    const evidence = samples.map(([link, sample]) => this.#memory(link).see(time, sample));
    if (evidence.length > 0) this.#weigh(evidence, seconds);
    this.#learn(samples, evidence, seconds);
    return evidence;
  }

  /** New measurements of a link in its empty room. */
  calibrate(link: string, quiet: QuietLink): void {
    this.#memory(link).calibrate(quiet);
  }

  snapshot(): PresenceState {
    return {
      time: this.#time,
      odds: this.#odds,
      present: this.#present,
      quiet: this.#quiet,
      links: Array.from(this.#links, ([link, memory]) => [link, memory.snapshot()] as const),
    };
  }

  restore({ time, odds, present, quiet, links }: PresenceState): void {
    this.#time = time;
    this.#odds = odds;
    this.#present = present;
    this.#quiet = quiet;
    this.#links.clear();
    for (const [link, state] of links) this.#links.set(link, LinkMemory.restore(this.#settings, state));
  }

  #forget(): void {
    this.#odds = 0;
    this.#present = null;
    this.#quiet = 0;
  }

  #memory(link: string): LinkMemory {
    const known = this.#links.get(link);
    if (known) return known;
    const fresh = new LinkMemory(this.#settings);
    this.#links.set(link, fresh);
    return fresh;
  }

  #weigh(evidence: readonly Evidence[], seconds: number): void {
    const activity = agreed(evidence.map((one) => one.activity));
    const change = activity > 0 ? GAIN * activity : activity * this.#decay(evidence);
    this.#odds = Math.min(MAX_ODDS, Math.max(this.#least(evidence), this.#odds + change * seconds));
    if (this.#odds > PRESENT) this.#present = true;
    else if (this.#odds <= ABSENT) this.#present = this.#maySomebodyStir(evidence) ? null : false;
    if (this.#present !== false) this.#quiet = 0;
    else if (activity < 0) this.#quiet += seconds;
    else this.#quiet = Math.max(0, Math.min(SETTLED, this.#quiet) - DISTURBED * seconds);
  }

  /**
   * The room is certainly empty only if its empty state is learnt and it looks like that: somebody may have
   * kept still from the start.
   */
  #least(evidence: readonly Evidence[]): number {
    return evidence.every(({ shift }) => shift !== null && shift < LOOKS_CHANGED) ? MIN_ODDS : ABSENT;
  }

  /** Somebody may lie there: nothing moves, but something sways, and the sway of the empty room is not learnt. */
  #maySomebodyStir(evidence: readonly Evidence[]): boolean {
    return (
      this.#present !== false && evidence.some(({ stirring, shift }) => shift === null && stirring > 0.5)
    );
  }

  /** Log odds lost in a quiet second. */
  #decay(evidence: readonly Evidence[]): number {
    const usual = (MAX_ODDS - ABSENT) / Math.max(this.#settings.hold / 1e6, 0.001);
    const shift = Math.max(...evidence.map((one) => one.shift ?? -Infinity));
    if (shift > LOOKS_CHANGED && this.#present) return CHANGED * usual;
    if (shift >= 0 && shift < LOOKS_EMPTY) return BACK * usual;
    if (this.#present === null && isUnsettled(evidence)) return UNSETTLED * usual;
    const stirring = Math.max(...evidence.map((one) => one.stirring));
    return usual * (1 - (1 - STIRRED) * stirring);
  }

  #learn(
    samples: readonly (readonly [link: string, LinkMotion])[],
    evidence: readonly Evidence[],
    seconds: number,
  ): void {
    if (this.#quiet < SETTLED) return;
    samples.forEach(([link, { profile }], i) => {
      const memory = this.#memory(link);
      // It was declared empty although it looks different: this is its new empty state.
      if ((evidence[i]!.shift ?? 0) > LOOKS_CHANGED) memory.forget();
      memory.learn(profile, seconds);
    });
  }
}

/** Half of the links change their level, and were never seen at rest or evenly loud. */
const isUnsettled = (evidence: readonly Evidence[]): boolean =>
  2 * evidence.filter(({ unsettled }) => unsettled).length >= evidence.length;

/**
 * Evidence of one link against another counts half: somebody may be near it alone, but it may also be a burst
 * of interference.
 */
const ALONE = 0.5;

/** Two links; or one if it is the only one, or if its evidence is strong. */
function agreed(activities: readonly number[]): number {
  const [first = 0, second = first] = [...activities].sort((a, b) => b - a);
  return Math.max((first + second) / 2, first - ALONE);
}
