/**
 * Removal of the phase that a receiver adds to each packet: an offset (carrier frequency and its phase) and a
 * slope over subcarriers (sampling and detection time). The remaining phase depends on the channel.
 */

/**
 * Adds multiples of 2 pi so that neighbours differ by at most pi, like numpy.unwrap; in place, `count` values
 * from `start`.
 */
export function unwrap(phase: Float64Array, start: number, count: number): void {
  let turns = 0;
  let previous = phase[start]!;
  for (let i = start + 1; i < start + count; i++) {
    const wrapped = phase[i]!;
    const step = wrapped - previous;
    if (step > Math.PI) turns -= 2 * Math.PI;
    else if (step < -Math.PI) turns += 2 * Math.PI;
    previous = wrapped;
    phase[i] = wrapped + turns;
  }
}

export interface Line {
  readonly slope: number;
  readonly offset: number;
}

/**
 * The line through the first and the last phase, with the mean phase as its offset: `calib` of csiread, after
 * Sen et al., You are facing the Mona Lisa (MobiSys 2012). Fast; depends on the two outermost subcarriers.
 * @param phase unwrapped, radians @param index subcarrier index of each
 */
export function endpointLine(phase: Float64Array, index: Float64Array, start: number, count: number): Line {
  const last = start + count - 1;
  let sum = 0;
  for (let i = start; i <= last; i++) sum += phase[i]!;
  return { slope: (phase[last]! - phase[start]!) / (index[last]! - index[start]!), offset: sum / count };
}

/** The least-squares line through `count` phases from `start`; level if all belong to one subcarrier. */
export function leastSquaresLine(
  phase: Float64Array,
  index: Float64Array,
  start: number,
  count: number,
): Line {
  let sumIndex = 0;
  let sumPhase = 0;
  for (let i = start; i < start + count; i++) {
    sumIndex += index[i]!;
    sumPhase += phase[i]!;
  }
  const meanIndex = sumIndex / count;
  const meanPhase = sumPhase / count;
  let covariance = 0;
  let variance = 0;
  for (let i = start; i < start + count; i++) {
    const distance = index[i]! - meanIndex;
    covariance += distance * (phase[i]! - meanPhase);
    variance += distance * distance;
  }
  const slope = variance > 0 ? covariance / variance : 0;
  return { slope, offset: meanPhase - slope * meanIndex };
}
