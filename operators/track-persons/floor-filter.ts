/** Position and velocity on the floor: a Kalman filter of nearly constant velocity. */
export interface FloorState {
  readonly x: number;
  readonly y: number;
  readonly vx: number;
  readonly vy: number;
  /** Covariance of position and velocity along one axis: noise is the same in all directions, so both axes share it. */
  readonly pp: number;
  readonly pv: number;
  readonly vv: number;
}

/** Standard deviation along one axis of the speed of a person of whom nothing is known, m/s. */
const START_SPEED = 0.7;

/** Mean length of a normal error on the plane over its deviation along one axis: sqrt(pi / 2). */
const MEAN_TO_SIGMA = Math.sqrt(Math.PI / 2);

/** Variance along one axis of a position whose mean error is `metres`. */
export const axisVariance = (metres: number): number => (metres / MEAN_TO_SIGMA) ** 2;

export const born = (x: number, y: number, variance: number): FloorState => ({
  x,
  y,
  vx: 0,
  vy: 0,
  pp: variance,
  pv: 0,
  vv: START_SPEED ** 2,
});

/**
 * `dt` seconds later, with accelerations of white noise.
 * @param acceleration power spectral density's root, m/s^1.5
 */
export function predict(state: FloorState, dt: number, acceleration: number): FloorState {
  const q = acceleration ** 2;
  return {
    x: state.x + state.vx * dt,
    y: state.y + state.vy * dt,
    vx: state.vx,
    vy: state.vy,
    pp: state.pp + 2 * dt * state.pv + dt * dt * state.vv + (q * dt ** 3) / 3,
    pv: state.pv + dt * state.vv + (q * dt ** 2) / 2,
    vv: state.vv + q * dt,
  };
}

/** Metres per root second by which a still person shifts on the spot. */
const SHIFTING = 0.1;

/** `dt` seconds later, of a person who keeps still. */
export const rest = (state: FloorState, dt: number): FloorState => ({
  ...state,
  vx: 0,
  vy: 0,
  pp: state.pp + SHIFTING ** 2 * dt,
  pv: 0,
  vv: 0,
});

/** May walk again, in any direction. */
export const wake = (state: FloorState): FloorState => ({ ...state, pv: 0, vv: START_SPEED ** 2 });

export function update(state: FloorState, x: number, y: number, variance: number): FloorState {
  const total = state.pp + variance;
  const gain = total > 0 ? state.pp / total : 0;
  const speedGain = total > 0 ? state.pv / total : 0;
  const [dx, dy] = [x - state.x, y - state.y];
  return {
    x: state.x + gain * dx,
    y: state.y + gain * dy,
    vx: state.vx + speedGain * dx,
    vy: state.vy + speedGain * dy,
    pp: (1 - gain) * state.pp,
    pv: (1 - gain) * state.pv,
    vv: state.vv - speedGain * state.pv,
  };
}
