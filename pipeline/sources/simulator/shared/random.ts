/**
 * Seeded random numbers: sfc32 (Chris Doty-Humphrey's Small Fast Counting generator of PractRand, 128 bits of
 * state), with its state filled by splitmix32 from a seed and a stream number. It uses only 32-bit integer
 * steps, so every machine draws the same numbers.
 */
export class Random {
  #a = 0;
  #b = 0;
  #c = 0;
  #counter = 1;
  #spare = NaN;

  /** Streams of one seed are independent: `new Random(seed, link)`. */
  constructor(seed: number, ...stream: readonly number[]) {
    this.reseed(mix(seed, stream));
  }

  /** Restarts as an independent generator for `seed`. */
  reseed(seed: number): this {
    let state = seed | 0;
    const splitmix = (): number => {
      state = (state + 0x9e3779b9) | 0;
      let z = state ^ (state >>> 16);
      z = Math.imul(z, 0x21f0aaad);
      z ^= z >>> 15;
      z = Math.imul(z, 0x735a2d97);
      return z ^ (z >>> 15);
    };
    this.#a = splitmix();
    this.#b = splitmix();
    this.#c = splitmix();
    this.#counter = 1;
    this.#spare = NaN;
    for (let i = 0; i < 12; i++) this.integer();
    return this;
  }

  /** 32 random bits, unsigned. */
  integer(): number {
    const t = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + t) | 0;
    return t >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    return this.integer() / 4294967296;
  }

  uniform(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** Mean 0, standard deviation 1 (Marsaglia's polar method). */
  normal(): number {
    if (!Number.isNaN(this.#spare)) {
      const spare = this.#spare;
      this.#spare = NaN;
      return spare;
    }
    for (;;) {
      const u = 2 * this.next() - 1;
      const v = 2 * this.next() - 1;
      const s = u * u + v * v;
      if (s >= 1 || s === 0) continue;
      const scale = Math.sqrt((-2 * Math.log(s)) / s);
      this.#spare = v * scale;
      return u * scale;
    }
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** An integer in [0, count). */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  sign(): 1 | -1 {
    return this.next() < 0.5 ? -1 : 1;
  }

  /** An index, drawn in proportion to the weights. */
  weighted(weights: readonly number[]): number {
    let rest = this.next() * weights.reduce((sum, weight) => sum + weight, 0);
    for (let i = 0; i < weights.length; i++) {
      rest -= weights[i]!;
      if (rest < 0) return i;
    }
    return weights.length - 1;
  }
}

/** Derives a 32-bit seed from a seed (up to 53 bits) and stream numbers. */
export function mix(seed: number, stream: readonly number[]): number {
  let hash = (seed >>> 0) ^ Math.imul(Math.floor(seed / 4294967296) | 0, 0x85ebca6b);
  for (const part of stream) {
    hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
    hash = (hash + Math.imul(part | 0, 0x9e3779b1) + 0x6d2b79f5) | 0;
    hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  }
  return hash ^ (hash >>> 16);
}
