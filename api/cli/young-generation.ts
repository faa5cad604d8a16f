import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** V8 keeps two such halves of the young generation of each thread; by default, they grow to 16 MB each. */
const HALF_MB = 4;
const GROWN_BYTES = 2 * HALF_MB * 2 ** 20;
/** V8 starts with halves of 1 MB, and multiplies them by this. */
const ONCE = `--semi-space-growth-factor=${HALF_MB}`;
const NEVER = '--semi-space-growth-factor=1';
/** Ten times as many as Node 20, 22 and 24 take. */
const MOST_STEPS = 200;

/**
 * Keeps the young generation of V8's heap at 4 MB, and that of threads that start later as small as it is after their
 * start. Frames and windows are buffers outside of the heap. V8 collects its whole heap once 8 MB of them are waiting, unless the young
 * generation, which costs a twentieth of that, is full before (docs/decisions/0160-a-small-young-generation.md).
 *
 * Node reads `--max-semi-space-size` only when it starts, so this thread's heap grows once here, by 3 ms of garbage,
 * and then never again. Does nothing if the user has chosen a size.
 */
export function limitYoungGeneration(
  options = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''],
): void {
  if (options.some((option) => /semi[-_]space[-_]size/.test(option))) return;
  setFlagsFromString(ONCE);
  growOnce();
  setFlagsFromString(NEVER);
  // The heap of each new thread has set the factor of all threads to 2 again.
  process.on('worker', (worker) => {
    worker.once('online', () => {
      setFlagsFromString(NEVER);
    });
  });
}

/** V8 grows what has too many survivors. */
function growOnce(): void {
  const survivors: unknown[] = [];
  for (let step = 0; step < MOST_STEPS && youngBytes() < GROWN_BYTES; step++)
    for (let number = 0; number < 1000; number++) survivors.push([number]);
}

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
