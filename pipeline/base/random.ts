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
