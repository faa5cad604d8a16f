/** A test file, as vitest passes it. */
interface File {
  /** Its absolute path. */
  readonly moduleId: string;
}

/**
 * Files of few lines that run for longest, since what they test is elsewhere. Without durations of an earlier run,
 * vitest sorts files by size: a first run ended with these, one alone, while the other processors were idle.
 */
export const SHORT_AND_SLOW = ['test/kit/registry.test.ts', 'test/contract/duckdb.test.ts'];

const isShortAndSlow = ({ moduleId }: File): boolean =>
  SHORT_AND_SLOW.some((path) => moduleId.endsWith(`/${path}`));

/** These tests mostly wait: for processes, pages, offline servers, floods to pass. */
const WAITING = /\/test\/(e2e|cli|client|faults)\/|\/(ws|webhooks|load-shedding|lateness)\.test/;

/**
 * The order of test files, given in vitest's. Waiting files that run together would leave the processors idle, so they
 * are spread among the others, and finish before them. Of the others, the short and slow ones start first.
 */
export function inOrder<T extends File>(files: readonly T[]): T[] {
  const waiting = files.filter(({ moduleId }) => WAITING.test(moduleId));
  const others = files.filter((file) => !waiting.includes(file));
  const working = [...others.filter(isShortAndSlow), ...others.filter((file) => !isShortAndSlow(file))];
  const between = Math.floor((0.8 * working.length) / Math.max(waiting.length, 1));
  const spread = waiting.flatMap((file, index) => [
    file,
    ...working.slice(index * between, (index + 1) * between),
  ]);
  return [...spread, ...working.slice(waiting.length * between)];
}
