/**
 * The time that a node may read. Operators decide by event time alone; clocks are for latency figures and
 * live sources.
 */
export interface Clock {
  /** Microseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds. */
  elapsed(): number;
  /** Calls `then` once `ms` of this clock have passed, unless the returned function is called first. Default: the system's timers. */
  timer?(ms: number, then: () => void): () => void;
}

/** The system's clock can be set (NTP). A difference above this is applied immediately, milliseconds. */
const STEP_MS = 5;

let anchorWall = Date.now();
let anchorElapsed = performance.now();

/** Wall time in microseconds, finer than `Date.now`, which it follows to within 5 ms. */
export const systemClock: Clock = {
  now() {
    const elapsed = performance.now();
    const wall = Date.now();
    if (Math.abs(anchorWall + elapsed - anchorElapsed - wall) > STEP_MS) {
      anchorWall = wall;
      anchorElapsed = elapsed;
    }
    return Math.round((anchorWall + elapsed - anchorElapsed) * 1000);
  },
  elapsed: () => performance.now(),
};
