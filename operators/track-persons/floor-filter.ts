/**
 * Place and velocity on the floor, and what the places told have in common that is wrong: a Kalman filter with coloured noise
 * (Bryson and Henrikson 1968). Errors of a network stay alike for seconds, so ten places in a row tell little more than one.
 */
export interface FloorState {
  readonly x: Axis;
  readonly y: Axis;
  readonly cov: Covariance;
}

export interface Axis {
  readonly place: number;
  readonly speed: number;
  /** Common error, in standard deviations of what is told. */
  readonly bias: number;
}

/** Of place, speed and bias along one axis: noise is the same in all directions, so both axes share it. */
export interface Covariance {
  readonly pp: number;
  readonly ps: number;
  readonly pb: number;
  readonly ss: number;
  readonly sb: number;
  readonly bb: number;
}

export interface Motion {
  /** Standard deviation of the speed along one axis, metres a second. */
  readonly speed: number;
  /** Seconds for which a velocity lasts. */
  readonly persistence: number;
  /** Seconds for which errors stay alike. */
  readonly memory: number;
}

/** A place as it is told: standard deviation along one axis, metres. */
export interface Measurement {
  readonly x: number;
  readonly y: number;
  readonly sigma: number;
}

/** Share of a measurement's variance that is new in each frame. */

const WHITE = 0.1;
const common = (sigma: number): number => sigma * Math.sqrt(1 - WHITE);
const white = (sigma: number): number => WHITE * sigma * sigma;

/** Somebody new: all of the first measurement's error is the bias. */
export function born({ x, y, sigma }: Measurement, speed: number): FloorState {
  const s = common(sigma);
  return {
    x: { place: x, speed: 0, bias: 0 },
    y: { place: y, speed: 0, bias: 0 },
    cov: { pp: sigma * sigma, ps: 0, pb: -s, ss: speed * speed, sb: 0, bb: 1 },
  };
}

/** `dt` seconds later, of a walker: velocity is an Ornstein-Uhlenbeck process. */
export function predict({ x, y, cov }: FloorState, dt: number, motion: Motion): FloorState {
  const { speed, persistence } = motion;
  const keep = Math.exp(-dt / persistence);
  const way = persistence * (1 - keep);
  const stay = Math.exp(-dt / motion.memory);
  const v = speed * speed;
  const move = (axis: Axis): Axis => ({
    place: axis.place + way * axis.speed,
    speed: keep * axis.speed,
    bias: stay * axis.bias,
  });
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
      pb: stay * (cov.pb + way * cov.sb),
      ss: keep * keep * cov.ss + v * (1 - keep * keep),
      sb: keep * stay * cov.sb,
      bb: stay * stay * cov.bb + 1 - stay * stay,
    },
  };
}

/** Metres per root second by which a still person shifts on the spot. */
const SHIFTING = 0.1;

/** `dt` seconds later, of somebody who keeps still. */
export function rest({ x, y, cov }: FloorState, dt: number, memory: number): FloorState {
  const stay = Math.exp(-dt / memory);
  const keep = ({ place, bias }: Axis): Axis => ({ place, speed: 0, bias: stay * bias });
  return {
    x: keep(x),
    y: keep(y),
    cov: {
      ...cov,
      pp: cov.pp + SHIFTING ** 2 * dt,
      pb: stay * cov.pb,
      ps: 0,
      ss: 0,
      sb: 0,
      bb: stay * stay * cov.bb + 1 - stay * stay,
    },
  };
}

/** Walks off or comes to a stop: the velocity is open again, or none, and errors have nothing in common with those before. */
export function turned({ x, y, cov }: FloorState, speed: number): FloorState {
  const anew = ({ place }: Axis): Axis => ({ place, speed: 0, bias: 0 });
  return { x: anew(x), y: anew(y), cov: { pp: cov.pp, ps: 0, pb: 0, ss: speed * speed, sb: 0, bb: 1 } };
}

/** Where the next measurement is expected, and its variance along one axis. */
export function expected(
  { x, y, cov }: FloorState,
  sigma: number,
): { x: number; y: number; variance: number } {
  const s = common(sigma);
  const variance = cov.pp + 2 * s * cov.pb + s * s * cov.bb + white(sigma);
  return { x: x.place + s * x.bias, y: y.place + s * y.bias, variance };
}

export function update(state: FloorState, told: Measurement): FloorState {
  const { x, y, variance } = expected(state, told.sigma);
  const s = common(told.sigma);
  const { pp, ps, pb, ss, sb, bb } = state.cov;
  return corrected(state, [pp + s * pb, ps + s * sb, pb + s * bb], variance, told.x - x, told.y - y, {
    ...{ pp, ps, pb, ss, sb, bb },
  });
}

/**
 * Told as one with others: the measurement is of the mean of their places.
 * @param middle the mean of the places expected @param variance of that mean, along one axis @param count how many they are
 */
export function updateMean(
  state: FloorState,
  told: Measurement,
  middle: { readonly x: number; readonly y: number; readonly variance: number },
  count: number,
): FloorState {
  const { pp, ps, pb } = state.cov;
  const total = middle.variance + MERGED_REPEATS * told.sigma * told.sigma;
  const share = [pp / count, ps / count, pb / count] as const;
  return corrected(state, share, total, told.x - middle.x, told.y - middle.y, state.cov);
}

/** Frames of one merged measurement that tell no more than one: its error lasts, and no bias is kept of it. */
const MERGED_REPEATS = 10;

/** Deviations of an innovation above which it weighs less. */
const FAR = 2;

/** @param share covariance of place, speed and bias with the measurement */
function corrected(
  { x, y }: FloorState,
  share: readonly [number, number, number],
  variance: number,
  dx: number,
  dy: number,
  { pp, ps, pb, ss, sb, bb }: Covariance,
): FloorState {
  // What lies far outside weighs less (Huber 1964): a single wrong frame moves nobody across the room.
  const far = Math.hypot(dx, dy) / Math.sqrt(Math.max(variance, 1e-9));
  const weight = Math.min(1, FAR / Math.max(far, 1e-9));
  const gain = share.map((value) => (weight * value) / Math.max(variance, 1e-9)) as [number, number, number];
  const move = (axis: Axis, by: number): Axis => ({
    place: axis.place + gain[0] * by,
    speed: axis.speed + gain[1] * by,
    bias: axis.bias + gain[2] * by,
  });
  return {
    x: move(x, dx),
    y: move(y, dy),
    cov: {
      pp: Math.max(1e-6, pp - gain[0] * share[0]),
      ps: ps - gain[0] * share[1],
      pb: pb - gain[0] * share[2],
      ss: Math.max(0, ss - gain[1] * share[1]),
      sb: sb - gain[1] * share[2],
      bb: Math.max(1e-6, bb - gain[2] * share[2]),
    },
  };
}
