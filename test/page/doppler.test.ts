import { expect, test } from 'vitest';
import { dopplerOf } from '../../api/web/page/signal/doppler.js';
import { straightened, unwrapped } from '../../api/web/page/signal/phases.js';

const SUBCARRIERS = [-2, -1, 1, 2];

/** Frames of a static path and one reflection that moves, whose amplitudes beat at `hertz`. */
const frames = (count: number, rate: number, hertz: number) =>
  Array.from({ length: count }, (_, index) => {
    const seconds = index / rate;
    const amplitudes = SUBCARRIERS.map((k) => 10 + Math.cos(2 * Math.PI * hertz * seconds + k));
    return {
      time: new Date(1000 * seconds).toISOString(),
      indices: SUBCARRIERS,
      amplitudes: [[amplitudes]],
      phases: [[SUBCARRIERS.map(() => 0)]],
    };
  });

test.each([5, 12.5, 20])('a reflection that beats at %s Hz is brightest there, all the time', (hertz) => {
  const doppler = dopplerOf(frames(100, 50, hertz), 0, 0)!;
  expect(doppler.columns.length).toBeGreaterThan(30);
  for (const column of doppler.columns) {
    const brightest = column.indexOf(Math.max(...column.map((value) => value!)));
    const step = (doppler.high - doppler.low) / (column.length - 1);
    expect(Math.abs(doppler.low + brightest * step - hertz)).toBeLessThan(step);
  }
});

test('too few frames, too rare ones and ones of a single time have no spectrum', () => {
  expect(dopplerOf(frames(20, 50, 5), 0, 0)).toBeNull();
  expect(dopplerOf(frames(100, 10, 2), 0, 0)).toBeNull();
  expect(dopplerOf(frames(100, Infinity, 2), 0, 0)).toBeNull();
});

test('frames of which no subcarrier is known throughout have no spectrum', () => {
  const known = frames(100, 50, 5);
  const holes = known.map((one, index) => ({
    ...one,
    amplitudes: [[SUBCARRIERS.map((_, k) => (k === index % SUBCARRIERS.length ? null : 10))]],
  }));
  expect(dopplerOf(holes, 0, 0)).toBeNull();
});

test('a link on which nothing moves is dark', () => {
  const still = frames(64, 50, 0);
  for (const column of dopplerOf(still, 0, 0)!.columns) expect(new Set(column)).toEqual(new Set([-40]));
});

test('phases lose their jumps, and the line that comes from the clocks', () => {
  const own = [0.3, -0.2, -0.2, 0.3, null];
  const indices = [-2, -1, 1, 2, 3];
  const wrapped = own.map(
    (phase, k) =>
      phase && Math.atan2(Math.sin(phase + 0.8 * indices[k]! + 1), Math.cos(phase + 0.8 * indices[k]! + 1)),
  );
  const found = straightened(wrapped, indices);
  expect(found.map((phase) => phase && Number(phase.toFixed(6)))).toEqual([0.25, -0.25, -0.25, 0.25, null]);
  expect(unwrapped([3, -3, null, 3])).toEqual([3, -3 + 2 * Math.PI, null, 3]);
});
