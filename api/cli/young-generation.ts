import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { nodeOptions } from './node-options.js';

/** V8 keeps two such halves, and uses one at a time. By default, they grow to 16 MB each, in Node 24 to 32. */
const HALF_MB = 4;
const YOUNG_BYTES = 2 * HALF_MB * 2 ** 20;
/** V8 starts with halves of 1 MB, and multiplies them by this. */
const ONCE = `--semi-space-growth-factor=${HALF_MB}`;
const NEVER = '--semi-space-growth-factor=1';
/** Twice as many as usual: on a machine with little memory, V8 keeps the young generation smaller by itself. */
const MOST_STEPS = 40;

/**
 * Keeps the young generation of V8's heap at two halves of 4 MB, and that of threads that start later as small as it is
 * after their start. Frames and windows are buffers outside of the heap. V8 collects its whole heap once 8 MB of them
 * are waiting, unless the young generation, which costs a twentieth of that, is full before
 * (docs/decisions/0160-a-small-young-generation.md).
 *
 * Node reads `--max-semi-space-size` only when it starts, so this thread's heap grows once here, by 3 ms of garbage,
 * and then never again. Does nothing if the user has chosen a size.
 */
export function limitYoungGeneration(): void {
  if (nodeOptions().some((option) => /semi[-_]space/.test(option))) return;
  setFlagsFromString(ONCE);
  growOnce();
  setFlagsFromString(NEVER);
  // The heap of each new thread has set the factor of all threads to 2 again. Not seen here: threads of threads.
  process.on('worker', (worker) => {
    worker.once('online', () => {
      setFlagsFromString(NEVER);
    });
  });
}

/** V8 grows what has too many survivors. */
function growOnce(): void {
  const survivors: unknown[] = [];
  for (let step = 0; step < MOST_STEPS && youngBytes() < YOUNG_BYTES; step++) {
    for (let number = 0; number < 1000; number++) survivors.push([number]);
  }
}

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
