import type { SourceBatch, SourceOutput } from '../../pipeline/component/index.js';

/** Takes all that a source offers; `after` aborts it once so many records have come. */
export function collector(after = Infinity): {
  output: SourceOutput;
  batches: SourceBatch[];
  stop: () => void;
  records: () => number;
} {
  const controller = new AbortController();
  const batches: SourceBatch[] = [];
  const records = () => batches.reduce((sum, { raw }) => sum + (raw?.count ?? 0), 0);
  const output: SourceOutput = {
    signal: controller.signal,
    offer: (batch) => {
      batches.push(batch);
      if (records() >= after) controller.abort();
      return true;
    },
  };
  return {
    output,
    batches,
    stop: () => {
      controller.abort();
    },
    records,
  };
}

/** Waits until `done` says so, looking again after each turn of the event loop. */
export async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise<void>((resolve) => setImmediate(resolve));
}
