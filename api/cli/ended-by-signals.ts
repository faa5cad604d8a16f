import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs work that cannot be stopped halfway: Ctrl-C and SIGTERM end the process, with 128 and the number of the signal.
 * Its temporary folders are removed (pipeline/base/temporary-folders.ts). A second signal ends it immediately.
 * @param beforeEnd is called at the signal; it must not fail
 */
export async function endedBySignals<T>(
  work: () => Promise<T>,
  beforeEnd: () => Promise<void> | void = () => undefined,
): Promise<T> {
  const release = endAtSignals(beforeEnd);
  try {
    return await work();
  } finally {
    release();
  }
}

/**
 * From now on, a signal ends the process as in {@link endedBySignals}.
 * @returns ends that
 */
export function endAtSignals(beforeEnd: () => Promise<void> | void = () => undefined): () => void {
  const end = async (signal: (typeof SIGNALS)[number]): Promise<void> => {
    release();
    await beforeEnd();
    process.exit(128 + constants.signals[signal]);
  };
  const listener = (signal: NodeJS.Signals) => void end(signal as (typeof SIGNALS)[number]);
  const release = () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return release;
}
