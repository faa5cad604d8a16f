/** What a try of a password waits where its name is under attack. */
export const SLOW_MS = 4_000;
/** Tries of one name that wait at a time; more are refused at once. */
const MAX_WAITING = 4;

/**
 * Slows down who tries passwords of one name from many addresses: with four tries that wait four seconds each, one a
 * second gets through. An attacker who takes all four places, again and again, locks out callers from an address
 * that is not known, as long as the attack lasts: the two look the same until the password is right.
 */
export class SlowedNames {
  readonly ms: number;
  readonly #waiting = new Map<string, number>();

  constructor(ms: number) {
    this.ms = ms;
  }

  /** Resolves with true once the try may be made; false where too many wait already. */
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
