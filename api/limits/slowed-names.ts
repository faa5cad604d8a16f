/** What a try of a password waits where its name is under attack. */
export const SLOW_MS = 4_000;
/** Tries of one name that wait at a time; more are refused at once. */
const MOST_WAITING = 4;
/** Pairs of name and address that are remembered. */
const MOST_KNOWN = 10_000;

/**
 * Slows down who tries passwords of one name from many addresses, rather than locking the name: with four tries that
 * wait four seconds each, one a second gets through. Addresses that somebody has logged in from, by that name and
 * since this process began, are not slowed.
 */
export class SlowedNames {
  readonly ms: number;
  readonly #waiting = new Map<string, number>();
  /** The one used longest ago first. */
  readonly #known = new Set<string>();

  constructor(ms: number) {
    this.ms = ms;
  }

  isKnown(name: string, address: string): boolean {
    return this.#known.has(pairOf(name, address));
  }

  know(name: string, address: string): void {
    const pair = pairOf(name, address);
    this.#known.delete(pair);
    this.#known.add(pair);
    for (const oldest of this.#known) {
      if (this.#known.size <= MOST_KNOWN) break;
      this.#known.delete(oldest);
    }
  }

  /** Resolves with true once the try may be made; false where too many wait already. */
  async wait(name: string): Promise<boolean> {
    const waiting = this.#waiting.get(name) ?? 0;
    if (waiting >= MOST_WAITING) return false;
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

const pairOf = (name: string, address: string): string => `${address} ${name}`;
