/**
 * Position and velocity on the floor: a Kalman filter of a walker whose velocity is an Ornstein-Uhlenbeck
 * process. The error of a network with a memory stays the same for many seconds, which no filter can detect,
 * so only the part that is new in each pose frame counts as noise here.
 */
export interface FloorState {
  readonly x: Axis;
  readonly y: Axis;
  readonly cov: Covariance;
}

export interface Axis {
  readonly place: number;
  readonly speed: number;
}

/** Covariance of position and speed along one axis: noise is the same in all directions, so both axes share it. */
export interface Covariance {
  readonly pp: number;
  readonly ps: number;
  readonly ss: number;
}

export interface Motion {
  /** Standard deviation of the speed along one axis, metres per second. */
  readonly speed: number;
  /** Correlation time of a velocity, seconds. */
  readonly persistence: number;
}

/** Reported position: standard deviation along one axis, metres. */
export interface Measurement {
  readonly x: number;
  readonly y: number;
  readonly sigma: number;
}

/** Share of an error's standard deviation that is new in each pose frame. */
const FRESH = 0.3;
const fresh = (sigma: number): number => (FRESH * sigma) ** 2;

export const born = ({ x, y, sigma }: Measurement, speed: number): FloorState => ({
  x: { place: x, speed: 0 },
  y: { place: y, speed: 0 },
  cov: { pp: fresh(sigma), ps: 0, ss: speed * speed },
});

/** Advances by `dt` seconds. */
export function predict({ x, y, cov }: FloorState, dt: number, { speed, persistence }: Motion): FloorState {
  const keep = Math.exp(-dt / persistence);
  const way = persistence * (1 - keep);
  const v = speed * speed;
  const move = (axis: Axis): Axis => ({ place: axis.place + way * axis.speed, speed: keep * axis.speed });
  return {
    x: move(x),
    y: move(y),
    cov: {
      pp:
        cov.pp +
        2 * way * cov.ps +
        way * way * cov.ss +
        v * persistence ** 2 * Math.max(0, (2 * dt) / persistence - 3 + 4 * keep - keep * keep),
      ps: keep * (cov.ps + way * cov.ss) + v * persistence * (1 - keep) ** 2,
      ss: keep * keep * cov.ss + v * (1 - keep * keep),
    },
  };
}

/** Deviations of an innovation above which its weight decreases. */
const FAR = 2;

export function update({ x, y, cov }: FloorState, measured: Measurement): FloorState {
  const variance = cov.pp + fresh(measured.sigma);
  const [dx, dy] = [measured.x - x.place, measured.y - y.place];
  // Outliers have less weight (Huber 1964): a single wrong pose frame moves nobody across the room.
  const far = Math.hypot(dx, dy) / Math.sqrt(variance);
  const weight = Math.min(1, FAR / Math.max(far, 1e-9));
  const [ofPlace, ofSpeed] = [(weight * cov.pp) / variance, (weight * cov.ps) / variance];
  const move = (axis: Axis, by: number): Axis => ({
    place: axis.place + ofPlace * by,
    speed: axis.speed + ofSpeed * by,
  });
  return {
    x: move(x, dx),
    y: move(y, dy),
    cov: {
      pp: Math.max(1e-6, cov.pp - ofPlace * cov.pp),
      ps: cov.ps - ofPlace * cov.ps,
      ss: Math.max(0, cov.ss - ofSpeed * cov.ps),
    },
  };
}
