/** A generator of numbers in [0, 1) from a seed and a name: splitmix32 over an FNV-1a hash of the name. */
export function seededRandom(seed: number, name: string): () => number {
  let state = seed >>> 0;
  for (let index = 0; index < name.length; index++) {
    state = Math.imul(state ^ name.charCodeAt(index), 16_777_619) >>> 0;
  }
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** Mulberry32 (T. Ettinger, 2017, public domain): numbers in [0, 1). Makes training runs repeatable. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Mean 0, standard deviation 1 (Box and Muller 1958). */
export const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * Mean 0, standard deviation 1, never beyond 3: the sum of three uniform draws is close enough to a normal
 * one, and fast.
 */
export const bell = (random: () => number): number => (random() + random() + random() - 1.5) * 2;
