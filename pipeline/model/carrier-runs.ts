/** Shortest run with a step; two carriers in a row of step 1 are a run, too. */
const MIN_STEPPED = 3;

/** Ascending carriers as runs: `-26..-1,1..26`, with a step `-28..-2 step 2,-1..27 step 2,28`. */
export function carrierRuns(carriers: ArrayLike<number>): string {
  const parts: string[] = [];
  for (let start = 0, end = 0; start < carriers.length; start = end + 1) {
    const step = start + 1 < carriers.length ? carriers[start + 1]! - carriers[start]! : 1;
    end = start;
    while (end + 1 < carriers.length && carriers[end + 1] === carriers[end]! + step) end++;
    if (step > 1 && end - start + 1 < MIN_STEPPED) end = start;
    const run = `${carriers[start]!}..${carriers[end]!}`;
    parts.push(start === end ? `${carriers[start]!}` : step === 1 ? run : `${run} step ${step}`);
  }
  return parts.join(',');
}

/** The inverse of {@link carrierRuns}; null if the text is something else. */
export function carriersIn(runs: string): readonly number[] | null {
  const carriers: number[] = [];
  for (const part of runs.split(',')) {
    const match = /^(-?\d{1,5})(?:\.\.(-?\d{1,5})(?: step (\d{1,5}))?)?$/.exec(part);
    if (!match) return null;
    const [from, step] = [Number(match[1]), Number(match[3] ?? 1)];
    const to = match[2] === undefined ? from : Number(match[2]);
    if (step < 1) return null;
    for (let carrier = from; carrier <= to; carrier += step) carriers.push(carrier);
  }
  return carriers;
}
