/** Grid points of a window, and their step in microseconds: 2 s at 50 Hz. */
export const POINTS = 100;
export const STEP_US = 20_000;

/** Bands of equal width over the subcarriers. */
export const GROUPS = 13;
