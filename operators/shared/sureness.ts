import type { Person } from '../../pipeline/model/index.js';

/**
 * Certainty of a number of people, 0 to 1: the mean confidence of the counted persons; with nobody, one minus
 * the highest confidence of the others. Multiplied by the share of received data.
 */
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
