import { detectFalls } from '../../operators/detect-falls/detect-falls.js';
import type { Operator, Output } from '../../pipeline/component/index.js';
import { UNKNOWN_QUALITY, type SensedEvent, type Window } from '../../pipeline/model/index.js';
import { withDefaults } from '../kit/definition.js';
import { testContext, testEnvironment } from '../support/context.js';

/** Displacement of a signal at `seconds`, as a share of the amplitude. */
export type Shape = (seconds: number) => number;

export const SUBCARRIERS = 10;
const RATE_HZ = 20;
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
export function windows(seconds: number, shape: Shape): Window[] {
  const values = amplitudes(seconds, shape);
  return Array.from({ length: seconds }, (_, index) => {
    const from = index * RATE_HZ * SUBCARRIERS;
    const complex = new Float32Array(2 * RATE_HZ * SUBCARRIERS);
    for (let i = 0; i < RATE_HZ * SUBCARRIERS; i++) complex[2 * i] = values[from + i]!;
    return {
      port: 'window',
      environment: testEnvironment.id,
      index,
      start: START + index * 1_000_000,
      step: 1e6 / RATE_HZ,
      points: RATE_HZ,
      links: [
        {
          id: 'link-1',
          layout: 'hand-made',
          rx: 1,
          tx: 1,
          subcarriers: Int16Array.from({ length: SUBCARRIERS }, (_, k) => k),
          centreMhz: 2437,
          values: complex,
          gaps: new Uint8Array(RATE_HZ),
          frames: RATE_HZ,
          rssi: -40,
          quality: UNKNOWN_QUALITY,
        },
      ],
      provenance: { origin: 'live' },
    };
  });
}

export const makeDetector = (fields: object = {}): Operator =>
  detectFalls.create(withDefaults(detectFalls, fields) as never, testContext().context);

/** Events of a detector for these records. */
export const eventsOf = (
  detector: Operator,
  records: readonly Parameters<Operator['process']>[0][],
): SensedEvent[] =>
  records.flatMap((record) => (detector.process(record, 'input') as Output<SensedEvent>).data);
