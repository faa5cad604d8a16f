import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bodyVelocity } from '../../operators/body-velocity/body-velocity.js';
import { profileOf, trunkVelocity, velocities } from '../../operators/body-velocity/profile.js';
import { hertzPerMetre } from '../../operators/body-velocity/projection.js';
import { calibrate } from '../../operators/calibrate/calibrate.js';
import { Correction } from '../../operators/calibrate/correction.js';
import { Learner } from '../../operators/calibrate/learner.js';
import { DEVIATIONS, gaussianSpectrum } from '../../operators/shared/doppler-spectrum.js';
import { FrameWindow } from '../../operators/shared/frame-window.js';
import { median } from '../../operators/shared/median.js';
import { LinkTable, type CsiBlock, type Measure } from '../../pipeline/model/index.js';
import { testEnvironment } from '../../pipeline/testing/kit/context.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { expectRelative } from './close.js';
import { blockOf, layoutOf, outputs } from './frames.js';

/** What NumPy and SciPy computed from the definitions: references/make.py. */
const reference = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`references/${name}.json`, import.meta.url), 'utf8'));

type Pair = readonly [number, number];
type Place = [x: number, y: number, z: number];

describe('body-velocity equals NumPy and SciPy', () => {
  const known = reference('body-velocity') as {
    rate_hz: number;
    centre_mhz: number;
    body: Pair;
    velocity: Pair;
    ends: readonly (readonly [Place, Place])[];
    csi: readonly (readonly (readonly Pair[])[])[];
    hertz_per_metre: readonly Pair[];
    spectra: readonly (readonly number[])[];
    trunk: Pair;
    fit: number;
  };
  const frames = known.csi[0]!.length;
  const layout = layoutOf({ subcarriers: Int16Array.of(1, 2), centreMhz: known.centre_mhz });
  const links = known.ends.map(([transmitter, receiver], i) => ({
    ...{ id: `link-${i}`, sender: `node-${i}`, transmitter, receiver },
  }));
  const axes = links.map((link) =>
    hertzPerMetre(link, { x: known.body[0], y: known.body[1] }, known.centre_mhz),
  );

  it('in the frequencies that a velocity causes on each link', () => {
    // NumPy differentiates the length of the path.
    axes.forEach((axis, link) => {
      for (const i of [0, 1] as const) expect(axis[i]).toBeCloseTo(known.hertz_per_metre[link]![i], 5);
    });
  });

  const spectra = known.csi.map((link) => {
    const spectrum = gaussianSpectrum(frames);
    const window = new FrameWindow(layout, frames, 1e6);
    link.forEach((frame, i) => window.add(i, Float32Array.from(frame.flat()), 0));
    window.look(spectrum);
    const floor = median(spectrum.power);
    const above = spectrum.power.map((value) => Math.max(0, value - floor));
    const sum = above.reduce((a, b) => a + b, 0);
    return above.map((value) => value / sum);
  });

  it('in the spectra of links, to 1e-9', () => {
    spectra.forEach((spectrum, link) => {
      spectrum.forEach((value, k) => {
        expect(Math.abs(value - known.spectra[link]![k]!)).toBeLessThan(1e-9 * Math.max(...spectrum));
      });
    });
  });

  it('in the distribution of velocities: as good as that of an exact solver', () => {
    const grid = velocities(20, 2);
    const [step, sparsity] = [known.rate_hz / (2 * frames), 0.01];
    const width = (DEVIATIONS * known.rate_hz) / (frames * 2 * Math.SQRT2 * Math.PI);
    const seen = spectra.map((spectrum, link) => ({ spectrum, step, width, axis: axes[link]! }));
    const { shares, fit } = profileOf(seen, grid, sparsity)!;
    // FISTA stops after 150 steps.
    expect(fit).toBeCloseTo(known.fit, 3);
    for (const axis of [0, 1] as const)
      expect(trunkVelocity(shares, grid)[axis]).toBeCloseTo(known.trunk[axis], 2);
  });

  it('in the measures of the operator', () => {
    const room = { ...testEnvironment, size: { x: 4, y: 4, z: 2.6 }, links };
    const { context } = testContext({ environments: [room], links: new LinkTable([room]) });
    const period = 1e6 / known.rate_hz;
    const settings = { rate_hz: known.rate_hz, place: known.body, hop_ms: (frames * period) / 1000 };
    const operator = bodyVelocity.create(withDefaults(bodyVelocity, settings) as never, context);
    const hop = frames * period;
    const rows = Array.from({ length: frames + 1 }, (_, frame) =>
      links.map((_, link) => ({
        ...{ link, time: 5e9 * hop + frame * period },
        values: known.csi[link]![frame % frames]!.flat(),
      })),
    );
    const measures = outputs(operator, [blockOf(layout, rows.flat())]) as Measure[];
    const of = (name: string) => measures.filter((one) => one.name === name).map(({ value }) => value);
    expect(of('body_velocity_fit')).toEqual([expect.closeTo(known.fit, 3)]);
    expect(of('body_velocity_x_mps')).toEqual([expect.closeTo(known.trunk[0], 2)]);
    expect(of('body_velocity_y_mps')).toEqual([expect.closeTo(known.trunk[1], 2)]);
    // And the body moved so in the made-up room.
    expect(of('body_velocity_x_mps')[0]).toBeCloseTo(known.velocity[0], 1);
    expect(of('body_velocity_y_mps')[0]).toBeCloseTo(known.velocity[1], 1);
  });
});

describe('calibrate equals NumPy', () => {
  const known = reference('calibrate') as {
    csi: readonly (readonly (readonly (readonly Pair[])[])[])[];
    response: readonly (readonly (readonly number[])[])[];
    reference: number;
    phase: readonly (number | null)[];
    corrected_last: readonly (readonly (readonly Pair[])[])[];
  };
  const layout = layoutOf({ rx: 3, tx: 2, subcarriers: Int16Array.of(-3, -2, -1, 1, 2, 3) });
  const frames = known.csi.map((frame) => frame.flat(2).flat());
  const period = 50_000;
  const corrected = known.corrected_last.flat(2).flat();

  it('in phase offsets, frequency response and corrected frames, to 1e-9', () => {
    const learner = new Learner(layout, (frames.length - 1) * period);
    const learnt = frames.map((frame, i) => learner.add(Float32Array.from(frame), 0, i * period)).at(-1)!;
    expect(learnt.reference).toBe(known.reference);
    expectRelative(learnt.response, known.response.flat(3), 1e-9);
    expect(learnt.phase.map((one) => one === null)).toEqual(known.phase.map((one) => one === null));
    learnt.phase.forEach((one, i) => {
      if (one !== null) expect(Math.abs(one - known.phase[i]!)).toBeLessThan(1e-9);
    });
    const output = new Float64Array(corrected.length);
    new Correction(layout, learnt, ['phase', 'response']).apply(
      Float32Array.from(frames.at(-1)!),
      0,
      output,
      0,
    );
    expectRelative([...output], corrected, 1e-9);
  });

  it('in frames of the operator, to 1e-4', () => {
    const settings = { learn_s: ((frames.length - 1) * period) / 1e6 };
    const operator = calibrate.create(withDefaults(calibrate, settings) as never, testContext().context);
    const rows = [...frames, frames.at(-1)!].map((values, i) => ({ time: 1.7e15 + i * period, values }));
    const blocks = outputs(operator, [blockOf(layout, rows)]).filter(
      (one): one is CsiBlock => one.port === 'csi',
    );
    const last = blocks.at(-1)!;
    expectRelative([...last.values.subarray(-corrected.length)], corrected, 1e-4);
  });
});
