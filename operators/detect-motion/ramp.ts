/** Energy above the quiet level, in thresholds, up to which a link is quiet, undecided, and clearly moving. */
export const CHANGE = [0.3, 0.6, 1] as const;

/** -1 up to `low`, 0 at `middle`, 1 from `high` on. */
export function ramp(value: number, low: number, middle: number, high: number): number {
  const relative = value < middle ? (value - middle) / (middle - low) : (value - middle) / (high - middle);
  return Math.min(1, Math.max(-1, relative));
}
