import type { Row } from './records.js';

/** Phases without jumps of a whole turn, from the first one on. */
export function unwrapped(phases: Row): Row {
  let turns = 0;
  let last: number | null = null;
  return phases.map((phase) => {
    if (phase === null) return null;
    const step = last === null ? 0 : phase - last;
    last = phase;
    if (step > Math.PI) turns--;
    else if (step < -Math.PI) turns++;
    return phase + 2 * Math.PI * turns;
  });
}

/**
 * Unwrapped phases without their straight line over the subcarriers: offset and slope come from the clocks of
 * sender and receiver, and change with every frame.
 */
export function straightened(phases: Row, indices: readonly number[]): Row {
  const known = unwrapped(phases).flatMap((phase, k) =>
    phase === null ? [] : [[indices[k]!, phase] as const],
  );
  const mean = (part: 0 | 1): number => known.reduce((sum, point) => sum + point[part], 0) / known.length;
  const [middle, level] = [mean(0), mean(1)];
  const spread = known.reduce((sum, [index]) => sum + (index - middle) ** 2, 0);
  const slope =
    spread === 0
      ? 0
      : known.reduce((sum, [index, phase]) => sum + (index - middle) * (phase - level), 0) / spread;
  return unwrapped(phases).map((phase, k) =>
    phase === null ? null : phase - level - slope * (indices[k]! - middle),
  );
}
