import { mean } from '../shared/mean.js';

export interface BackgroundState {
  readonly floor: number;
  readonly recent: readonly (readonly [motion: number, energy: number])[];
}

/** Motion in the quietest fifth of the time, and its learning rate: 0.5 in half an hour. */
const FLOOR_SHARE = 0.2;
const FLOOR_STEP = 0.0014;
/** Windows of even motion that come from a machine: half a minute, with one a second. */
const EVEN_WINDOWS = 30;

/** Energy of windows of even motion, log10. */
interface Even {
  readonly mean: number;
  readonly least: number;
}

/**
 * Motion that is always there. A person's motion varies: what is even for many windows comes from a machine, and
 * what is present in four fifths of half an hour counts as background, too.
 */
export class Background {
  readonly #spread: number;
  #floor = 0;
  #recent: (readonly [motion: number, energy: number])[] = [];

  /** @param spread of a machine's energy, log10 */
  constructor(spread: number) {
    this.#spread = spread;
  }

  /**
   * Adds a window.
   * @returns its motion above the background, and the energy of even motion; null: it is not even
   */
  see(motion: number, energy: number, seconds: number): { above: number; even: Even | null } {
    this.#recent = [...this.#recent.slice(1 - EVEN_WINDOWS), [motion, energy]];
    const even = this.#even();
    if (even !== null) this.#floor = Math.max(this.#floor, Math.min(...this.#recent.map(([one]) => one)));
    const above = motion - this.#floor;
    const share = above < 0 ? FLOOR_SHARE - 1 : FLOOR_SHARE;
    this.#floor = Math.max(0, this.#floor + FLOOR_STEP * Math.min(seconds, 2) * share);
    return { above, even };
  }

  /** Windows before now say nothing about evenness. */
  interrupt(): void {
    this.#recent = [];
  }

  snapshot(): BackgroundState {
    return { floor: this.#floor, recent: [...this.#recent] };
  }

  restore({ floor, recent }: BackgroundState): void {
    this.#floor = floor;
    this.#recent = [...recent];
  }

  #even(): Even | null {
    if (this.#recent.length < EVEN_WINDOWS) return null;
    const energies = this.#recent.map(([, one]) => one);
    const usual = mean(energies);
    const variance = mean(energies.map((one) => (one - usual) ** 2));
    return variance > this.#spread ** 2 ? null : { mean: usual, least: Math.min(...energies) };
  }
}
