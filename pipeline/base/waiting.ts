/** Yields for 2 ms, so that other pending work can run. */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));

/** Waits for all, `ms` at most. Returns the indices of those still pending; rejects with the first rejection. */
export async function withinTime(works: readonly Promise<void>[], ms: number): Promise<readonly number[]> {
  const late = new Set(works.keys());
  const all = Promise.all(
    works.map(async (work, index) => {
      await work;
      late.delete(index);
    }),
  );
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([all, limit]);
  } finally {
    clearTimeout(timer);
  }
  return [...late];
}

/** Whether work settles within a time limit (and before the signal); rejects if the work does. */
export async function settles(work: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<boolean> {
  // The caller reports the timeout; a later failure of the work is ignored.
  work.catch(() => undefined);
  let late: () => void = () => undefined;
  const limit = new Promise<false>((resolve) => {
    late = () => {
      resolve(false);
    };
  });
  const timer = setTimeout(late, ms);
  signal?.addEventListener('abort', late);
  try {
    return await Promise.race([work.then(() => true), limit]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', late);
  }
}

/** Resolves when the signal aborts, or immediately if it already has. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });

/** For `catch`: ends a wait that was aborted. @throws any other error */
export function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}
