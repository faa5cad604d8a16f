import type { SourceBatch, SourceOutput } from '../../pipeline/component/index.js';

/** Accepts all output of a source; `after` aborts it after this many records. */
export function collector(after = Infinity): {
  output: SourceOutput;
  batches: SourceBatch[];
  stop: () => void;
  records: () => number;
  /** How often it has reported unread input. */
  unread: () => number;
} {
  const controller = new AbortController();
  const batches: SourceBatch[] = [];
  let unread = 0;
  const records = () => batches.reduce((sum, { raw }) => sum + (raw?.count ?? 0), 0);
  const output: SourceOutput = {
    signal: controller.signal,
    offer: (batch) => {
      batches.push(batch);
      if (records() >= after) controller.abort();
      return true;
    },
    unread: () => {
      unread++;
    },
  };
  return {
    output,
    batches,
    stop: () => {
      controller.abort();
    },
    records,
    unread: () => unread,
  };
}

/** Waits until `done` returns true, and checks after each turn of the event loop. */
export async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise<void>((resolve) => setImmediate(resolve));
}
