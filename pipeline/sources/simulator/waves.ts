/** Radio constants and the two functions that the channel calls millions of times, as tables. */

export const SPEED_OF_LIGHT = 299_792_458;

/** Entries per turn. Linear interpolation between them has an error of at most 3e-7. */
const TURN = 4096;

/** [cos, sin] of a turn in steps of 1/4096, with one additional entry. */
export const phasors: Float64Array = (() => {
  const table = new Float64Array(2 * (TURN + 1));
  for (let i = 0; i <= TURN; i++) {
    table[2 * i] = Math.cos((2 * Math.PI * i) / TURN);
    table[2 * i + 1] = Math.sin((2 * Math.PI * i) / TURN);
  }
  return table;
})();

export const PHASORS_PER_TURN = TURN;

/** Largest argument in the Fresnel table; beyond it an edge has no effect. */
export const FRESNEL_REACH = 8;
/** Entries of the table per unit of the argument. */
const FRESNEL_STEPS = 512;

/**
 * F(x) = integral from 0 to x of exp(-j pi t^2 / 2) dt for x >= 0 as [re, im]. The ripple about its limit (1
 * - j) / 2 is damped by exp(-(x/4)^2): a body's edge is round, and its scatterers already account for
 * sideways scattering.
 */
const fresnel: Float64Array = (() => {
  const count = FRESNEL_REACH * FRESNEL_STEPS;
  const table = new Float64Array(2 * (count + 2));
  const h = 1 / FRESNEL_STEPS;
  let re = 0;
  let im = 0;
  const phase = (x: number) => (Math.PI * x * x) / 2;
  for (let i = 0; i <= count + 1; i++) {
    const x = i * h;
    const damping = Math.exp(-((x / 4) ** 2));
    table[2 * i] = 0.5 + (re - 0.5) * damping;
    table[2 * i + 1] = -0.5 + (im + 0.5) * damping;
    // Simpson's rule over [x, x + h].
    re += (h / 6) * (Math.cos(phase(x)) + 4 * Math.cos(phase(x + h / 2)) + Math.cos(phase(x + h)));
    im -= (h / 6) * (Math.sin(phase(x)) + 4 * Math.sin(phase(x + h / 2)) + Math.sin(phase(x + h)));
  }
  return table;
})();

/** Adds `sign` * F(x) to out[0], out[1]; F is odd. */
export function addFresnel(x: number, sign: number, out: Float64Array): void {
  const magnitude = Math.abs(x);
  const direction = x < 0 ? -sign : sign;
  if (magnitude >= FRESNEL_REACH) {
    out[0]! += 0.5 * direction;
    out[1]! -= 0.5 * direction;
    return;
  }
  const scaled = magnitude * FRESNEL_STEPS;
  const index = scaled | 0;
  const rest = scaled - index;
  const at = 2 * index;
  out[0]! += direction * (fresnel[at]! + rest * (fresnel[at + 2]! - fresnel[at]!));
  out[1]! += direction * (fresnel[at + 1]! + rest * (fresnel[at + 3]! - fresnel[at + 1]!));
}
