/** Delay of a password attempt for a name under attack. */
export const SLOW_MS = 4_000;
/** Attempts of one name that wait at a time; more are rejected immediately. */
const MAX_WAITING = 4;

/**
 * Slows down password attempts for one name from many addresses: with four waiting attempts of four seconds
 * each, one per second gets through. An attacker who permanently occupies all four slots locks out callers
 * from new addresses while the attack lasts: the two are indistinguishable until the password is right.
 */
export class SlowedNames {
  readonly ms: number;
  readonly #waiting = new Map<string, number>();

  constructor(ms: number) {
    this.ms = ms;
  }

  /** Resolves with true once the attempt may proceed; false if too many wait already. */
  async wait(name: string): Promise<boolean> {
    const waiting = this.#waiting.get(name) ?? 0;
    if (waiting >= MAX_WAITING) return false;
    this.#waiting.set(name, waiting + 1);
    await new Promise<void>((resolve) => {
      setTimeout(resolve, this.ms).unref();
    });
    const left = this.#waiting.get(name)! - 1;
    if (left === 0) this.#waiting.delete(name);
    else this.#waiting.set(name, left);
    return true;
  }
}
