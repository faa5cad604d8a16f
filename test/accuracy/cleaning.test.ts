import { expect, it } from 'vitest';
import { calibrationOf } from '../../bench/accuracy/cleaning/calibration-section.js';
import { gestureVelocities } from '../../bench/accuracy/cleaning/gesture-velocity.js';
import { separation } from '../../bench/accuracy/cleaning/presence.js';
import { missingCaptures } from '../../bench/accuracy/cleaning/report.js';
import { amplitudeScatter, phaseScatter } from '../../bench/accuracy/cleaning/static-pair.js';
import { blockOf, layoutOf } from '../operators/frames.js';
import { testContext } from '../support/context.js';

/** A channel of two antennas; each frame has its own random phase and gain. */
const frames = (count: number, jitter: number) =>
  blockOf(
    layoutOf({ rx: 2, subcarriers: Int16Array.of(-6, -4, -1, 1, 4, 6) }),
    Array.from({ length: count }, (_, i) => {
      const [turn, gain] = [i * i, 1 + 0.3 * Math.sin(i * 7)];
      return {
        values: Array.from({ length: 12 }, (_unused, k) => {
          const amplitude = gain * (10 + k + jitter * Math.sin(i / 3 + k));
          return [amplitude * Math.cos(turn + 0.02 * k), amplitude * Math.sin(turn + 0.02 * k)];
        }).flat(),
      };
    }),
  );

it('shows phases steadied by cleaning, and gains that it removes', () => {
  const still = [frames(400, 0)];
  const phase = Object.fromEntries(phaseScatter(still).map(({ method, value }) => [method, value]));
  expect(phase['none']).toBeGreaterThan(0.8);
  for (const method of ['phase-sanitize, spotfi', 'csi-ratio', 'conjugate-multiply'])
    expect(phase[method]).toBeLessThan(0.01);
  const amplitude = Object.fromEntries(amplitudeScatter(still).map(({ method, value }) => [method, value]));
  expect(amplitude['none']).toBeGreaterThan(0.15);
  expect(amplitude['normalize-gain, mean']).toBeLessThan(0.001);
});

it('shows movement hidden by a jittering gain', () => {
  const found = separation([frames(400, 0.01)], [frames(400, 1)]);
  const of = (chain: string) => found.find((row) => row.chain === chain)!;
  expect(of('none').times).toBeLessThan(1.2);
  expect(of('normalize-gain mean').times).toBeGreaterThan(5);
  expect(of('normalize-gain mean').auc).toBe(1);
});

it('shows which recordings a calibration fits, and how links are judged by their own thresholds', () => {
  const { context } = testContext();
  const recorded = (jitter: number, noise: number) =>
    blockOf(
      layoutOf(),
      Array.from({ length: 600 }, (_, i) => ({
        values: Array.from({ length: 12 }, (_unused, k) =>
          k % 2 === 1 ? 0 : 10 + k + jitter * Math.sin(i / 6 + k / 8) + noise * (context.random() - 0.5),
        ),
      })),
    );
  const [still, moving] = [recorded(0, 0.3), recorded(3, 0.3)];
  const sessions = [
    { baseline: still, movement: moving },
    { baseline: still, movement: moving },
  ] as const;
  const { fits, judged } = calibrationOf([['still', [still]]], { chip: sessions });
  expect(fits[0]!.drift).toBeLessThan(0.05);
  expect(judged.map(({ link, still: [over] }) => [link, over])).toEqual([
    ['chip, single setting', 0],
    ['chip, its own', 0],
  ]);
  for (const { moving: seconds } of judged) expect(seconds[0]).toBe(seconds[1]);
});

it('names missing recordings', () => {
  expect(missingCaptures('/no/such/folder')).toBe('/no/such/folder/captures/widar-multilink');
});

it("finds a gesture that turns back in Widar's geometry, and distinguishes its mirror image", () => {
  const receivers = [
    ...[
      [0.455, -0.455],
      [1.365, -0.455],
      [2, 0],
    ],
    ...[
      [-0.455, 0.455],
      [-0.455, 1.365],
      [0, 2],
    ],
  ] as const;
  const [torso, packets, wave] = [[1.365, 0.455] as const, 800, 299_792_458 / 5.825e9];
  const towards = ([x, y]: readonly number[]) => {
    const length = Math.hypot(x! - torso[0], y! - torso[1]);
    return [(x! - torso[0]) / length, (y! - torso[1]) / length] as const;
  };
  // 0.8 m/s along x of the room, and back.
  const links = receivers.map((receiver) => {
    const shortening = towards([0, 0])[0] + towards(receiver)[0];
    const values = (i: number) => {
      const path = 0.8 * 0.001 * Math.min(i, packets - i) * shortening;
      const moving = (2 * Math.PI * path) / wave;
      return [10 + 2 * Math.cos(moving), 2 * Math.sin(moving), 12, 1];
    };
    const layout = layoutOf({ rx: 2, subcarriers: Int16Array.of(4) });
    return [
      blockOf(
        layout,
        Array.from({ length: packets }, (_, i) => ({ time: 5e6 + i * 1000, values: values(i) })),
      ),
    ];
  });
  // Widar's axes: x of the room is its y.
  const reference = new Float64Array(400 * 8);
  const bin = (velocity: number) => Math.round(velocity / 0.2) + 9;
  for (let i = 0; i < 8; i++) reference[400 * i + bin(0) + 20 * bin(i < 4 ? 0.8 : -0.8)] = 1;
  const { looks, fit, mirrored, alike, atOtherTimes } = gestureVelocities(links, reference).at(-1)!;
  expect(looks).toBe(4);
  expect(fit).toBeGreaterThan(0.5);
  expect(mirrored).toBeLessThan(0.5);
  expect(alike).toBeGreaterThan(atOtherTimes + 0.2);
});
