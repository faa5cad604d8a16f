import { Type } from 'typebox';

/** Settings of operators that compute spectra of a link's newest frames. */
export const RATE = Type.Number({
  exclusiveMinimum: 0,
  maximum: 100_000,
  default: 100,
  description: 'Frame rate of each link, frames per second: the same as `rate_hz` of `resample`.',
});

export const windowFrames = (description: string) =>
  Type.Integer({ minimum: 8, maximum: 1024, default: 64, description });

/** @param what restarts: `window`, `spectrum` */
export const maxGap = (what: string) =>
  Type.Number({
    minimum: 1,
    default: 200,
    description: `A pause of a link after which its ${what} restarts, milliseconds.`,
  });
