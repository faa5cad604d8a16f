import { exitBy, onSignals } from '../../pipeline/base/signals.js';

/**
 * Runs work that cannot be stopped halfway: Ctrl-C and SIGTERM end the process, with 128 and the number of the signal.
 * Its temporary folders are removed (pipeline/base/temporary-folders.ts). A second signal ends it immediately.
 * @param beforeEnd is called at the signal; it must not fail
 */
export async function endedBySignals<T>(
  work: () => Promise<T>,
  beforeEnd: () => Promise<void> | void = () => undefined,
): Promise<T> {
  const release = onSignals((signal) => {
    release();
    void Promise.resolve(beforeEnd()).then(() => exitBy(signal));
  });
  try {
    return await work();
  } finally {
    release();
  }
}
