/** From where something moves. */
export interface Thresholds {
  /** Motion of a link. */
  readonly threshold: number;
  /** Energy of change above the quiet level, log10. */
  readonly energyThreshold: number;
}

/** Rise of the energy at rest while there is more, log10 per second: 1 dB per minute. */
export const RISE = 0.1 / 60;

/** -1: quiet, up to half of the threshold; 0: at the threshold; 1: clear movement, from 2.5 times. */
export const motionActivity = (motion: number, threshold: number): number =>
  ramp(inUnitsOf(threshold, motion), 0.5, 1, 2.5);

/** -1: quiet, up to 0.3 times the threshold; 0: undecided, at 0.6 times; 1: clear movement, at the threshold. */
export const energyActivity = (excess: number, threshold: number): number =>
  ramp(inUnitsOf(threshold, excess), 0.3, 0.6, 1);

/** -1 up to `low`, 0 at `middle`, 1 from `high` on. */
export function ramp(value: number, low: number, middle: number, high: number): number {
  const relative = value < middle ? (value - middle) / (middle - low) : (value - middle) / (high - middle);
  return Math.min(1, Math.max(-1, relative));
}

/** With a threshold of 0, anything above 0 is beyond it. */
const inUnitsOf = (threshold: number, value: number): number =>
  threshold > 0 ? value / threshold : value > 0 ? Infinity : 0;
