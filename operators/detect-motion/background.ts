export interface BackgroundState {
  readonly floor: number;
  readonly recent: readonly (readonly [motion: number, energy: number])[];
}

/** Motion in the quietest fifth of the time, and its learning rate: 0.5 in half an hour. */
const FLOOR_SHARE = 0.2;
const FLOOR_STEP = 0.0014;
/** Windows of even motion that come from a machine. */
const EVEN_WINDOWS = 30;

/**
 * Motion that is always there. A person's motion varies: what is even for half a minute comes from a machine, and
 * so does what is present in four fifths of half an hour.
 */
export class Background {
  readonly #even: number;
  #floor = 0;
  #recent: (readonly [motion: number, energy: number])[] = [];

  /** @param even spread of a machine's energy, log10 */
  constructor(even: number) {
    this.#even = even;
  }

  /**
   * Adds a window.
   * @returns its motion above the background, and the mean energy of even motion; null: it is not even
   */
  see(motion: number, energy: number, seconds: number): { above: number; even: number | null } {
    this.#recent = [...this.#recent.slice(1 - EVEN_WINDOWS), [motion, energy]];
    const even = this.#evenEnergy();
    if (even !== null) this.#floor = Math.max(this.#floor, Math.min(...this.#recent.map(([one]) => one)));
    const above = motion - this.#floor;
    const share = above < 0 ? FLOOR_SHARE - 1 : FLOOR_SHARE;
    this.#floor = Math.max(0, this.#floor + FLOOR_STEP * Math.min(seconds, 2) * share);
    return { above, even };
  }

  snapshot(): BackgroundState {
    return { floor: this.#floor, recent: [...this.#recent] };
  }

  restore({ floor, recent }: BackgroundState): void {
    this.#floor = floor;
    this.#recent = [...recent];
  }

  #evenEnergy(): number | null {
    if (this.#recent.length < EVEN_WINDOWS) return null;
    const energies = this.#recent.map(([, one]) => one);
    const mean = energies.reduce((sum, one) => sum + one, 0) / EVEN_WINDOWS;
    const variance = energies.reduce((sum, one) => sum + (one - mean) ** 2, 0) / EVEN_WINDOWS;
    return variance > this.#even ** 2 ? null : mean;
  }
}
