/** A box by its centre, its area and its width divided by its height. */
export interface Shape {
  readonly x: number;
  readonly y: number;
  readonly area: number;
  readonly ratio: number;
}

/** A value and its change per step, with their covariance. */
export interface Axis {
  readonly value: number;
  readonly speed: number;
  readonly pp: number;
  readonly pv: number;
  readonly vv: number;
}

/**
 * SORT's Kalman filter (Bewley et al. 2016). Its state is [x, y, s, r, x', y', s'], and all of its matrices
 * are diagonal or couple a value only with its own change. So it is equivalent to four filters of one value
 * each; that of the ratio has no change.
 */
export interface BoxState {
  readonly x: Axis;
  readonly y: Axis;
  readonly area: Axis;
  readonly ratio: Axis;
}

/** Variances as published, for pixels and frames of a video as units. */
const START = 10;
const START_SPEED = 10_000;
const PROCESS = 1;
const SPEED_PROCESS = { place: 0.01, area: 0.0001 } as const;
const MEASURED = { place: 1, shape: 10 } as const;

export const beginBox = ({ x, y, area, ratio }: Shape): BoxState => ({
  x: begin(x, START_SPEED),
  y: begin(y, START_SPEED),
  area: begin(area, START_SPEED),
  ratio: begin(ratio, 0),
});

/** Advances by one frame of the video. An area that would vanish stays unchanged. */
export function predictBox({ x, y, area, ratio }: BoxState): BoxState {
  const shrinks = area.value + area.speed <= 0;
  return {
    x: predict(x, SPEED_PROCESS.place),
    y: predict(y, SPEED_PROCESS.place),
    area: predict(shrinks ? { ...area, speed: 0 } : area, SPEED_PROCESS.area),
    ratio: predict(ratio, 0),
  };
}

export const updateBox = (state: BoxState, { x, y, area, ratio }: Shape): BoxState => ({
  x: update(state.x, x, MEASURED.place),
  y: update(state.y, y, MEASURED.place),
  area: update(state.area, area, MEASURED.shape),
  ratio: update(state.ratio, ratio, MEASURED.shape),
});

export const shapeOf = ({ x, y, area, ratio }: BoxState): Shape => ({
  x: x.value,
  y: y.value,
  area: area.value,
  ratio: ratio.value,
});

const begin = (value: number, vv: number): Axis => ({ value, speed: 0, pp: START, pv: 0, vv });

const predict = ({ value, speed, pp, pv, vv }: Axis, drift: number): Axis => ({
  value: value + speed,
  speed,
  pp: pp + 2 * pv + vv + PROCESS,
  pv: pv + vv,
  vv: vv + drift,
});

function update({ value, speed, pp, pv, vv }: Axis, measured: number, noise: number): Axis {
  const gain = pp / (pp + noise);
  const speedGain = pv / (pp + noise);
  const wrong = measured - value;
  return {
    value: value + gain * wrong,
    speed: speed + speedGain * wrong,
    pp: (1 - gain) * pp,
    pv: (1 - gain) * pv,
    vv: vv - speedGain * pv,
  };
}
