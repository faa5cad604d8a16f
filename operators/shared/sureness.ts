import type { Person } from '../../pipeline/model/index.js';

/** How sure a number of people is, 0 to 1: mean confidence of who is counted; where nobody is, what the others leave to certainty. Times what was received. */
export function sureness(
  counted: readonly Person[],
  others: readonly Person[],
  signalQuality: number,
): number {
  const sure =
    counted.length > 0
      ? counted.reduce((sum, { confidence }) => sum + confidence, 0) / counted.length
      : 1 - Math.max(0, ...others.map(({ confidence }) => confidence));
  return Math.min(1, Math.max(0, sure * signalQuality || 0));
}
