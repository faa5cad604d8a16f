/** Milliseconds that a call takes. */
export async function milliseconds(run: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await run();
  return performance.now() - before;
}

/** Milliseconds of calls; those of the second list alternate with those of the first, as their control. */
export async function timedInPairs(
  run: () => Promise<unknown>,
  rounds: number,
): Promise<readonly [first: number[], second: number[]]> {
  const [first, second]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    first.push(await milliseconds(run));
    second.push(await milliseconds(run));
  }
  return [first, second];
}

/** Median and longest of times in milliseconds. */
export function summary(times: readonly number[]): object {
  const sorted = times.toSorted((a, b) => a - b);
  const round = (value: number) => Math.round(value * 10) / 10;
  return { p50_ms: round(sorted[sorted.length >> 1]!), longest_ms: round(sorted.at(-1)!) };
}
