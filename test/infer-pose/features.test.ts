import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAP } from '../../operators/infer-pose/inputs/doppler-map.js';
import {
  CALIBRATED,
  changeOf,
  COURSE,
  LINK_FEATURES,
  linkFeatures,
  logAmplitudes,
  profileOf,
} from '../../operators/infer-pose/inputs/features.js';
import { GROUPS, POINTS } from '../../operators/infer-pose/inputs/grid.js';

const lltf = Int16Array.from({ length: 52 }, (_, i) => (i < 26 ? i - 26 : i - 25));

const layout = (subcarriers: Int16Array, rx = 1) => ({
  layout: 'lltf/x',
  rx,
  tx: 1,
  subcarriers,
  centreMhz: 2437,
});

/** Amplitude 2, except for `factor` from subcarrier `from` to `to`. */
function frame(subcarriers: Int16Array, amplitude: (k: number) => number, rx = 1): Float32Array {
  const values = new Float32Array(rx * subcarriers.length * 2);
  subcarriers.forEach((_, k) => {
    values[2 * k] = 0.6 * amplitude(k);
    values[2 * k + 1] = -0.8 * amplitude(k);
  });
  return values;
}

describe('log-amplitudes', () => {
  it('puts 52 subcarriers into 13 bands of four, by power', () => {
    const values = frame(lltf, (k) => (k < 4 ? [1, 1, 7, 7][k]! : 2));
    const bands = logAmplitudes({ ...layout(lltf), values });
    expect(bands).toHaveLength(GROUPS);
    expect(bands[0]).toBeCloseTo(Math.log(5), 5);
    for (let g = 1; g < GROUPS; g++) expect(bands[g]).toBeCloseTo(Math.log(2), 5);
  });

  it('excludes subcarriers without a value from their band', () => {
    const values = frame(lltf, (k) => (k === 5 ? 0 : 2));
    expect(logAmplitudes({ ...layout(lltf), values })[1]).toBeCloseTo(Math.log(2), 5);
  });

  it('takes the middle 16 MHz of a wider channel', () => {
    const wide = Int16Array.from({ length: 114 }, (_, i) => (i < 57 ? i - 58 : i - 55));
    const values = frame(wide, (k) => (Math.abs(wide[k]!) <= 26 ? 3 : 1000));
    for (const band of logAmplitudes({ ...layout(wide), values })) expect(band).toBeCloseTo(Math.log(3), 4);
  });

  it('uses the first antenna', () => {
    const values = frame(lltf, () => 2, 3);
    values.fill(50, 104);
    for (const band of logAmplitudes({ ...layout(lltf, 3), values }))
      expect(band).toBeCloseTo(Math.log(2), 5);
  });

  it('names the layout that has too few subcarriers', () => {
    const few = lltf.slice(0, 12);
    expect(() => logAmplitudes({ ...layout(few), values: new Float32Array(24) })).toThrow(/lltf\/x has 12/);
  });
});

describe('features of a link', () => {
  const compute = (
    amplitude: Float32Array,
    profile: Float32Array | null = null,
    { gapShare = 0, reducedDb = 0 } = {},
  ) => {
    const out = new Float32Array(LINK_FEATURES);
    linkFeatures(amplitude, 0, { profile, gapShare, frameRate: 1, centreMhz: 2437, reducedDb }, out, 0);
    return out;
  };
  const constant = (value: number) => new Float32Array(POINTS * GROUPS).fill(value);

  it('have no dynamic part if nothing moves', () => {
    const out = compute(constant(3));
    expect(out.subarray(0, COURSE).every((value) => Math.abs(value) < 1e-5)).toBe(true);
  });

  it("give the empty room's difference and flag with a profile, zeros without", () => {
    const profile = new Float32Array(GROUPS).fill(2.8);
    const at = CALIBRATED.start;
    const held = compute(constant(3), profile);
    expect([...held.subarray(at, at + GROUPS + 1)].every((value) => Math.abs(value - 0.6) < 1e-4)).toBe(true);
    expect(held[at + GROUPS + 1]).toBe(1);
    expect(
      compute(constant(3))
        .subarray(at, at + CALIBRATED.length)
        .every((value) => value === 0),
    ).toBe(true);
  });

  it('find the frequency of a fading at its place in the Doppler map', () => {
    const amplitude = constant(1).map(
      (value, i) => value + 0.3 * Math.sin((2 * Math.PI * 5 * Math.floor(i / GROUPS)) / 50),
    );
    const map = compute(amplitude).subarray(COURSE, COURSE + MAP);
    const middle = Array.from({ length: 40 }, (_, f) => map[5 * f + 2]!);
    expect(middle.indexOf(Math.max(...middle))).toBe(9); // 5 Hz in steps of 0.5 Hz from 0.5 Hz
  });

  it('include the share of gaps, and a common gain does not change the dynamic part', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -2, max: 2, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (gain, gaps) => {
          const amplitude = constant(1).map((value, i) => value + 0.2 * Math.cos(i * 0.37));
          const plain = compute(amplitude, null, { gapShare: gaps });
          const louder = compute(
            amplitude.map((value) => value + gain),
            null,
            { gapShare: gaps },
          );
          expect(plain[LINK_FEATURES - 3]).toBeCloseTo(gaps, 5);
          for (let i = 0; i < COURSE; i += 97) expect(louder[i]).toBeCloseTo(plain[i]!, 3);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('show a tenth of the changes in a room whose echo is 20 dB stronger', () => {
    const ripple = (size: number) =>
      constant(1).map((value, i) => value + Math.log(1 + size * Math.cos(Math.floor(i / GROUPS) * 0.37)));
    const profile = new Float32Array(GROUPS).fill(0.9);
    const usual = compute(
      ripple(0.02),
      profile.map((value) => value + 0.09),
    );
    const strong = compute(ripple(0.2), profile, { reducedDb: 20 });
    // The map is left out: it shows the harmonics of a logarithm.
    for (let i = 0; i < LINK_FEATURES; i += i === COURSE - 1 ? MAP + 1 : 1)
      expect(strong[i]).toBeCloseTo(usual[i]!, 1);
  });

  it('tell how strongly a channel changes: by its power, not by bands in which it fades', () => {
    const wave = (i: number) => 0.1 * Math.sin(2 * Math.PI * 0.06 * Math.floor(i / GROUPS));
    const inBand = (level: number) =>
      constant(1).map((value, i) => (i % GROUPS === 4 ? level + wave(i) : value));
    const all = changeOf(constant(1).map((value, i) => value + wave(i)));
    expect(all).toBeCloseTo(0.1 ** 2 / 2, 5);
    expect(changeOf(inBand(1))).toBeCloseTo(all / GROUPS, 5);
    expect(changeOf(inBand(1 - Math.log(10)))).toBeLessThan(all / GROUPS / 90);
  });

  it('are finite for a silent link', () => {
    expect(compute(constant(Math.log(1e-6))).every(Number.isFinite)).toBe(true);
    const gap = constant(1).map((value, i) => (i < GROUPS ? Math.log(1e-6) : value));
    expect(compute(gap, null, { reducedDb: 15 }).every(Number.isFinite)).toBe(true);
  });

  it('average an empty room over its points', () => {
    const amplitude = Float32Array.from({ length: 2 * GROUPS }, (_, i) => (i < GROUPS ? 1 : 2));
    expect([...profileOf(amplitude)]).toEqual(new Array(GROUPS).fill(1.5));
  });
});
