/** Time as a node may read it. Operators decide by event time alone; clocks serve latency figures and live sources. */
export interface Clock {
  /** Microseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds. */
  elapsed(): number;
  /** Calls `then` once `ms` of this clock have passed, unless the function that it gives is called before. Left out: the system's timers. */
  timer?(ms: number, then: () => void): () => void;
}

/** The system may set its clock (NTP): a difference above this is followed at once, milliseconds. */
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
