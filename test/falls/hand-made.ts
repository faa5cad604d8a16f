import { detectFalls } from '../../operators/detect-falls/detect-falls.js';
import type { Operator, Output } from '../../pipeline/component/index.js';
import { UNKNOWN_QUALITY, type SensedEvent, type Window } from '../../pipeline/model/index.js';
import { withDefaults } from '../kit/definition.js';
import { testContext, testEnvironment } from '../support/context.js';

/** Displacement of a signal at `seconds`, as a share of the amplitude. */
export type Shape = (seconds: number) => number;

export const SUBCARRIERS = 10;
const RATE_HZ = 20;
const FINE_HZ = 50;
export const START = 1_700_000_000_000_000;

/** Bursts of about a second around each of these times. */
export const bursts =
  (...at: readonly number[]): Shape =>
  (t) =>
    at.reduce((sum, centre) => sum + 0.5 * Math.exp(-(((t - centre) / 0.4) ** 2)), 0);

/**
 * Amplitudes [sample, subcarrier] at 20 Hz: a channel with a little noise that moves by `shape`; `step` is
 * permanent.
 */
export function amplitudes(seconds: number, shape: Shape, step: Shape = () => 0): Float32Array {
  let state = 1;
  const noise = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 0.02 * (state / 2 ** 32 - 0.5);
  };
  return Float32Array.from({ length: seconds * RATE_HZ * SUBCARRIERS }, (_, i) => {
    const k = i % SUBCARRIERS;
    const t = Math.floor(i / SUBCARRIERS) / RATE_HZ;
    return 10 * (1 + noise() + shape(t) * Math.sin(17 * t + k / 4) + step(t) * Math.sin(k / 3));
  });
}

/** The same as windows of a second, one after the other, on the link `link-1`. */
export const windows = (seconds: number, shape: Shape): Window[] =>
  windowsOf(amplitudes(seconds, shape), RATE_HZ, RATE_HZ, RATE_HZ);

/**
 * Windows of two seconds at 50 Hz, one every 200 ms, as the shipped ones: interpolated between 20 frames a second that
 * come this share of their period after the points that both rates have in common.
 */
export function interpolated(seconds: number, shape: Shape, late: number): Window[] {
  const frames = amplitudes(seconds, (t) => shape(t + late / RATE_HZ));
  const points = Float32Array.from({ length: seconds * FINE_HZ * SUBCARRIERS }, (_, i) => {
    const at = Math.max(0, (Math.floor(i / SUBCARRIERS) * RATE_HZ) / FINE_HZ - late);
    const frame = Math.floor(at);
    const of = (one: number) => frames[one * SUBCARRIERS + (i % SUBCARRIERS)] ?? 10;
    return of(frame) + (at - frame) * (of(frame + 1) - of(frame));
  });
  return windowsOf(points, FINE_HZ, 2 * FINE_HZ, FINE_HZ / 5);
}

/** @param values [point, subcarrier], `rateHz` points a second */
function windowsOf(values: Float32Array, rateHz: number, points: number, hop: number): Window[] {
  const size = points * SUBCARRIERS;
  const count = Math.floor((values.length / SUBCARRIERS - points) / hop) + 1;
  return Array.from({ length: count }, (_, index) => {
    const complex = new Float32Array(2 * size);
    for (let i = 0; i < size; i++) complex[2 * i] = values[index * hop * SUBCARRIERS + i]!;
    return {
      port: 'window',
      environment: testEnvironment.id,
      index,
      start: START + (index * hop * 1e6) / rateHz,
      step: 1e6 / rateHz,
      points,
      links: [
        {
          id: 'link-1',
          layout: 'hand-made',
          rx: 1,
          tx: 1,
          subcarriers: Int16Array.from({ length: SUBCARRIERS }, (_, k) => k),
          centreMhz: 2437,
          values: complex,
          gaps: new Uint8Array(points),
          frames: points,
          rssi: -40,
          quality: UNKNOWN_QUALITY,
        },
      ],
      provenance: { origin: 'live' },
    };
  });
}

/** A detector in a room with one link, or with both of the test's. */
export function makeDetector(fields: object = {}, links: 1 | 2 = 1): Operator {
  const room = { ...testEnvironment, links: testEnvironment.links.slice(0, links) };
  return detectFalls.create(
    withDefaults(detectFalls, fields) as never,
    testContext({ environments: [room] }).context,
  );
}

/** Events of a detector for these records. */
export const eventsOf = (
  detector: Operator,
  records: readonly Parameters<Operator['process']>[0][],
): SensedEvent[] =>
  records.flatMap((record) => (detector.process(record, 'input') as Output<SensedEvent>).data);
