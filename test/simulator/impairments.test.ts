import { describe, expect, test } from 'vitest';
import {
  IMPAIRMENTS,
  NO_IMPAIRMENTS,
  Receiver,
  type ImpairmentOptions,
} from '../../pipeline/sources/simulator/impairments.js';
import { GROUPS, bandOf } from '../../pipeline/sources/simulator/index.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';

const BAND = bandOf(GROUPS);
const VALUES = 2 * GROUPS.length;
/** An empty room without a fringe: 1e-3 on every subcarrier. */
const EMPTY = Float64Array.from({ length: VALUES }, (_, i) => (i % 2 === 0 ? 1e-3 : 0));

/** `count` packets of an empty room. */
function packets(changes: Partial<ImpairmentOptions>, count: number): Float64Array[] {
  const receiver = new Receiver(new Random(1), new Random(9), { ...NO_IMPAIRMENTS, ...changes }, BAND, EMPTY);
  const random = new Random(2);
  const { gain } = receiver.plan(random, count, 50);
  return Array.from({ length: count }, (_, n) => {
    const out = new Float64Array(VALUES);
    receiver.receive(random, gain[n]!, EMPTY, 0, out, 0);
    return out;
  });
}

const angle = (packet: Float64Array, k: number) => Math.atan2(packet[2 * k + 1]!, packet[2 * k]!);
const wrap = (value: number) => Math.atan2(Math.sin(value), Math.cos(value));
const deviation = (values: readonly number[]) => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
};

describe('a receiver', () => {
  test('without a fault gives the channel at its own level, the same in each packet', () => {
    const [first, second] = packets({}, 2);
    expect(first).toEqual(second);
    expect(first![0]).toBeCloseTo(30, 9);
    expect(first![1]).toBeCloseTo(0, 9);
  });

  test('has the configured signal to noise', () => {
    const all = packets({ snrDb: [20, 20] }, 400);
    let noise = 0;
    for (const packet of all) packet.forEach((value, i) => (noise += (value - (i % 2 === 0 ? 30 : 0)) ** 2));
    const ratio = 10 * Math.log10((30 * 30) / (noise / (all.length * GROUPS.length)));
    expect(ratio).toBeGreaterThan(19.7);
    expect(ratio).toBeLessThan(20.3);
  });

  test('rotates the phase by 2 pi f tau over the band, tau new in each packet', () => {
    const last = GROUPS.length - 1;
    const span = BAND.offsets[last]! - BAND.offsets[0]!;
    const delays = packets({ delayNs: 8 }, 2000).map(
      (packet) => -wrap(angle(packet, last) - angle(packet, 0)) / (2 * Math.PI * span),
    );
    expect(deviation(delays) * 1e9).toBeGreaterThan(7.6);
    expect(deviation(delays) * 1e9).toBeLessThan(8.4);
  });

  test('starts each packet with a random phase', () => {
    const angles = packets({ randomPhase: true }, 400).map((packet) => angle(packet, 6));
    const [x, y] = [Math.cos, Math.sin].map((f) => angles.reduce((sum, a) => sum + f(a), 0) / angles.length);
    expect(Math.hypot(x!, y!)).toBeLessThan(0.15);
  });

  test('has its own response, constant over packets', () => {
    const [first, second] = packets({ response: [0.12, 0.2] }, 2);
    expect(first).toEqual(second);
    const amplitudes = GROUPS.map((_, k) => Math.hypot(first![2 * k]!, first![2 * k + 1]!) / 30);
    expect(deviation(amplitudes)).toBeGreaterThan(0.05);
    expect(deviation(amplitudes)).toBeLessThan(0.25);
  });

  test('changes its gain by at most a decibel, as often as configured', () => {
    const receiver = new Receiver(new Random(1), new Random(9), IMPAIRMENTS, BAND, EMPTY);
    const { gain } = receiver.plan(new Random(3), 50 * 600, 50);
    const steps = gain.filter((value, i) => i > 0 && value !== gain[i - 1]).length;
    expect(steps).toBeGreaterThan(0.4 * 600 * 0.8);
    expect(steps).toBeLessThan(0.4 * 600 * 1.2);
    const decibels = gain.map((value) => Math.abs(20 * Math.log10(value)));
    expect(Math.max(...decibels)).toBeLessThan(1.0001);
    expect(Math.max(...decibels)).toBeGreaterThan(0.9);
  });

  test('gives integer steps of its converter, within its range', () => {
    for (const packet of packets({ bits: 6, snrDb: [3, 3] }, 100)) {
      for (const value of packet) {
        expect(Number.isInteger(value)).toBe(true);
        expect(Math.abs(value)).toBeLessThanOrEqual(31);
      }
    }
  });

  test('measures the empty room up to an error of its level', () => {
    const levels = Array.from({ length: 300 }, (_, seed) => {
      const receiver = new Receiver(
        new Random(seed),
        new Random(9),
        { ...NO_IMPAIRMENTS, calibrationDb: 0.4 },
        BAND,
        EMPTY,
      );
      const out = new Float32Array(VALUES);
      receiver.calibrate(new Random(seed, 4), EMPTY, out, 0);
      for (let k = 1; k < GROUPS.length; k++) expect(out[2 * k]! / out[0]!).toBeCloseTo(1, 5);
      return 20 * Math.log10(out[0]! / 30);
    });
    expect(deviation(levels)).toBeGreaterThan(0.34);
    expect(deviation(levels)).toBeLessThan(0.46);
  });
});
