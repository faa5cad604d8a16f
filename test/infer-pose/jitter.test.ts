import { describe, expect, it } from 'vitest';
import { jitterShare } from '../../operators/infer-pose/inputs/jitter.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';

const [POINTS, BANDS] = [100, 13];
const random = new Random(3);
const normal = () => random.normal();

/** @param common fading of each point, in all bands @param own standard deviation of each band's noise */
function shareOf(common: (t: number) => number, own: number): number {
  const level = new Float64Array(POINTS);
  const course = Float64Array.from({ length: POINTS * BANDS });
  for (let t = 0; t < POINTS; t++) {
    const together = common(t);
    for (let band = 0; band < BANDS; band++) {
      course[t * BANDS + band] = together + own * normal();
      level[t]! += course[t * BANDS + band]! / BANDS;
    }
  }
  return jitterShare(course, level);
}

/** Fading at this frequency, at 50 points per second. */
const fading = (hertz: number) => (t: number) => 0.1 * Math.sin((2 * Math.PI * hertz * t) / 50);

describe('the share of the common level that is jitter of the gain', () => {
  it('is nearly all of it if each packet has a random gain', () => {
    for (let i = 0; i < 20; i++) expect(shareOf(() => 0.06 * normal(), 0.02)).toBeGreaterThan(0.6);
  });

  it('is nothing if each band has independent noise', () => {
    for (let i = 0; i < 20; i++) expect(shareOf(() => 0, 0.05)).toBeLessThan(0.05);
  });

  it.each([0.3, 1, 3, 6, 10])('is nothing if movement fades all bands at %d Hz', (hertz) => {
    expect(shareOf(fading(hertz), 0.01)).toBeLessThan(0.05);
  });

  it('is small if movement is stronger than the jitter', () => {
    expect(shareOf((t) => fading(3)(t) + 0.02 * normal(), 0.005)).toBeLessThan(0.2);
  });

  it('is nothing for a silent link, or an evenly rising level', () => {
    expect(shareOf(() => 0, 0)).toBe(0);
    expect(shareOf((t) => t, 0)).toBeLessThan(0.05);
  });
});
