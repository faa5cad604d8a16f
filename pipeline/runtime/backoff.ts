/** Milliseconds before try `attempt` (from 1): doubling from `first` to `longest`, half of it by chance, so that many do not try at once. */
export function backoff(attempt: number, first: number, longest: number, random: () => number): number {
  const full = Math.min(longest, first * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * random();
}

/** Resolves after `ms`, or at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
