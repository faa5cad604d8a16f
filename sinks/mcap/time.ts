/** Microseconds, with their fraction, as whole nanoseconds. */
export function nanoseconds(time: number): bigint {
  const whole = Math.floor(time);
  return BigInt(whole) * 1000n + BigInt(Math.round((time - whole) * 1000));
}

export const latest = (one: bigint, other: bigint): bigint => (one > other ? one : other);

export const earliest = (one: bigint, other: bigint): bigint => (one < other ? one : other);
