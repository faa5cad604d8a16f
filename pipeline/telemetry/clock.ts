/** Time of the system: microseconds since 1970, and monotonic milliseconds. */
export interface SystemClock {
  now(): number;
  elapsed(): number;
}

/** The system may set its clock (NTP): a difference above this is followed at once, milliseconds. */
const STEP_MS = 5;

let anchorWall = Date.now();
let anchorElapsed = performance.now();

/** Wall time in microseconds, finer than `Date.now`, which it follows to within 5 ms. */
export const systemClock: SystemClock = {
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
