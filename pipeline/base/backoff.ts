import type { Clock } from './clock.js';

/**
 * Milliseconds before attempt `attempt` (from 1): doubles from `first` to `longest`, half of it random, so
 * that clients do not all retry together.
 */
export function backoff(attempt: number, first: number, longest: number, random: () => number): number {
  const full = Math.min(longest, first * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * random();
}

/** Resolves after `ms` of the clock, or immediately when the signal aborts. */
export function pause(ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = startTimer(clock, ms, done);
    signal.addEventListener('abort', done);
  });
}

/** Calls `then` after `ms` of the clock. The returned function cancels the call. */
export function startTimer(clock: Clock, ms: number, then: () => void): () => void {
  if (clock.timer) return clock.timer(ms, then);
  const timer = setTimeout(then, ms);
  return () => {
    clearTimeout(timer);
  };
}
