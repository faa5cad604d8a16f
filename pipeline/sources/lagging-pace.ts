import type { Context } from '../component/index.js';

/**
 * Says when a source falls behind the pace that its `speed` asks for. Nothing else shows it: the times of a recording or
 * of a simulation are not compared with the clock.
 */
export class LaggingPace {
  readonly #log: Context['log'];
  readonly #speed: number;
  #reached: number | null = null;
  #isBehind = false;

  /** @param speed multiple of real time, above 0 */
  constructor({ log }: Pick<Context, 'log'>, speed: number) {
    this.#log = log;
    this.#speed = speed;
  }

  /** @param played milliseconds of event time since the start; the next record was due then. @param elapsed real milliseconds */
  see(played: number, elapsed: number): void {
    this.#reached = played > 0 && elapsed > 0 ? Math.min(this.#speed, played / elapsed) : null;
    const behind = elapsed - played / this.#speed;
    if (this.#isBehind ? behind >= ON_TIME_MS : behind < BEHIND_MS) return;
    this.#isBehind = !this.#isBehind;
    if (this.#isBehind)
      this.#log.warn('this machine, or a sink, is too slow for the speed of the source', {
        speed: this.#speed,
        reached: this.reached,
        behind_s: Math.round(behind / 1000),
      });
    else this.#log.info('the source has its speed again', { speed: this.#speed });
  }

  /** The average speed since the start, two decimals; null: not known yet. */
  get reached(): number | null {
    return this.#reached === null ? null : Math.round(this.#reached * 100) / 100;
  }
}

/** Real milliseconds. A start, with a network to load, takes a second or two. */
const BEHIND_MS = 5_000;
const ON_TIME_MS = 1_000;
