/**
 * Senders that belong to no link: counted, and listed up to a bound, first come, first listed; one that
 * has been silent for a minute of event time makes room. Whatever strangers do, this takes the same memory.
 */
export class Strangers {
  readonly #listed = new Map<string, Stranger>();
  readonly #seen = new Uint32Array(SEEN_BITS / 32);
  #seenBits = 0;
  #swept = -Infinity;
  #frames = 0;

  /** Counts a frame of `name` (`node-7`) from `address` at `time`, microseconds. */
  see(name: string, address: string, reason: string, time: number): void {
    this.#frames++;
    const key = `${name}@${address}`;
    const known = this.#listed.get(key);
    if (known) {
      known.frames++;
      known.last = time;
      return;
    }
    this.#mark(key);
    if (this.#listed.size >= MAX_LISTED) this.#sweep(time);
    if (this.#listed.size < MAX_LISTED) this.#listed.set(key, { reason, frames: 1, first: time, last: time });
  }

  /** Frames of strangers since the start. */
  get frames(): number {
    return this.#frames;
  }

  /** How many different senders there were: exact while few, an estimate within 1 % at ten thousand. */
  get senders(): number {
    // Linear counting: Whang, Vander-Zanden, Taylor, ACM TODS 15(2), 1990.
    const empty = SEEN_BITS - this.#seenBits;
    return Math.round(-SEEN_BITS * Math.log(Math.max(empty, 1) / SEEN_BITS));
  }

  describe(): readonly Readonly<Record<string, unknown>>[] {
    return [...this.#listed].map(([sender, { reason, frames, first, last }]) => ({
      sender,
      reason,
      frames,
      first: new Date(first / 1000).toISOString(),
      last: new Date(last / 1000).toISOString(),
    }));
  }

  #mark(key: string): void {
    // FNV-1a, 32 bits.
    let hash = 0x811c9dc5;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
    hash ^= hash >>> 15;
    const bit = (Math.imul(hash, 0x2c1b3c6d) >>> 12) % SEEN_BITS;
    const mask = 1 << (bit & 31);
    if ((this.#seen[bit >> 5]! & mask) !== 0) return;
    this.#seen[bit >> 5]! |= mask;
    this.#seenBits++;
  }

  #sweep(time: number): void {
    if (time - this.#swept < 1_000_000) return;
    this.#swept = time;
    for (const [key, { last }] of this.#listed) if (time - last > FORGET_US) this.#listed.delete(key);
  }
}

export const MAX_LISTED = 256;
const SEEN_BITS = 65_536;
const FORGET_US = 60_000_000;

interface Stranger {
  readonly reason: string;
  frames: number;
  readonly first: number;
  last: number;
}
