import type { Values } from './frame-mapper.js';

/**
 * Amplitude linear between `a` (weight 0) and `b` from `at` (weight 1), phase along the shorter way; for
 * opposite phases, that of the nearer one.
 */
export function blend(
  a: Values,
  b: Values,
  at: number,
  weight: number,
  output: Values,
  offset: number,
): void {
  const rest = 1 - weight;
  for (let i = 0; i < a.length; i += 2) {
    const ax = a[i]!;
    const ay = a[i + 1]!;
    const bx = b[at + i]!;
    const by = b[at + i + 1]!;
    const x = rest * ax + weight * bx;
    const y = rest * ay + weight * by;
    const amplitude = rest * Math.sqrt(ax * ax + ay * ay) + weight * Math.sqrt(bx * bx + by * by);
    const length = Math.sqrt(x * x + y * y);
    if (length > 0) {
      output[offset + i] = (x * amplitude) / length;
      output[offset + i + 1] = (y * amplitude) / length;
    } else {
      const [u, v] = weight < 0.5 ? [ax, ay] : [bx, by];
      const scale = amplitude > 0 ? amplitude / Math.sqrt(u * u + v * v) : 0;
      output[offset + i] = u * scale;
      output[offset + i + 1] = v * scale;
    }
  }
}
