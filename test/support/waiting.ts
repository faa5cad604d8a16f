import { readFileSync } from 'node:fs';
import { TestRunner, vi } from 'vitest';

/** In a hook: shorter than the limit of vitest.config.ts, so that the error names what did not happen. */
const IN_A_HOOK_MS = 80_000;

/** Remaining time of the running test, minus the time that an error needs to be reported. */
function leftMs(): number {
  const test = TestRunner.getCurrentTest();
  if (!test?.result?.startTime) return IN_A_HOOK_MS;
  return Math.max(0, test.result.startTime + test.timeout - 500 - Date.now());
}

/**
 * Waits until `done` is true, for as long as the test may take. @throws Error that names what did not happen.
 */
export async function until(what: string, done: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + leftMs();
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/**
 * Asks another process, which reports no event to wait for, until its answer fits.
 *
 * @throws Error that names what did not happen, with the last answer
 */
export async function answered<T>(
  what: string,
  ask: () => Promise<T>,
  fits: (answer: T) => boolean,
  { limitMs = leftMs(), everyMs = 100 } = {},
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (fits(answer)) return answer;
    if (performance.now() > deadline)
      throw new Error(`waited in vain for: ${what}; the last answer is ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Waits until `check` no longer throws, for as long as the test may take. @throws its last error. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: leftMs(), interval: 10 });

/**
 * How long the main thread of a process was ready to run while the machine was busy with other programs, in
 * milliseconds; 0 if the system does not report it. Subtract it from a duration to get that of a quiet
 * machine.
 */
export function starvedMs(pid = process.pid): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** Starts a stopwatch that pauses while the machine is busy with other programs. It returns milliseconds. */
export function stopwatch(pid = process.pid): () => number {
  const [began, starved] = [performance.now(), starvedMs(pid)];
  return () => performance.now() - began - (starvedMs(pid) - starved);
}
