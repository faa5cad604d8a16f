import { describe, expect, it } from 'vitest';
import { denoise } from '../../operators/denoise/denoise.js';
import { estimateVitals } from '../../operators/estimate-vitals/estimate-vitals.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { window } from '../../operators/window/window.js';
import type { AnyOperator, Operator, Output, SourceOutput } from '../../pipeline/component/index.js';
import {
  UNKNOWN_QUALITY,
  type CsiBlock,
  type Data,
  type Measure,
  type Window,
} from '../../pipeline/model/index.js';
import { simulator } from '../../pipeline/sources/simulator/source.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { outputs, windowsOf } from './frames.js';

const START = 1_700_000_000_000_000;
const SUBCARRIERS = 12;
const RATE = 20;

const make = (component: AnyOperator, config: object = {}): Operator =>
  component.create(withDefaults(component, config) as never, testContext().context);

/**
 * Windows of one second of two links at 20 points per second: each subcarrier changes by `shape` (shares of
 * it) in its own way, with noise.
 */
function windows(
  seconds: number,
  shape: (t: number, k: number) => number,
  gain: (t: number) => number = () => 1,
) {
  const { random } = testContext().context;
  const link = (id: string, second: number): Window['links'][number] => ({
    ...{ id, layout: 'hand-made', rx: 1, tx: 1, centreMhz: 2437, frames: RATE, rssi: -40 },
    quality: UNKNOWN_QUALITY,
    subcarriers: Int16Array.from({ length: SUBCARRIERS }, (_, k) => k),
    gaps: new Uint8Array(RATE),
    values: Float32Array.from({ length: 2 * RATE * SUBCARRIERS }, (_, i) => {
      const k = (i >> 1) % SUBCARRIERS;
      const t = second + Math.floor(i / 2 / SUBCARRIERS) / RATE;
      return i % 2 === 1 ? 0 : 10 * gain(t) * (1 + shape(t, k) + 0.02 * (random() - 0.5));
    }),
  });
  return Array.from({ length: seconds }, (_, second): Window => ({
    ...{ port: 'window', environment: 'test-room', index: second, points: RATE, step: 1e6 / RATE },
    start: START + second * 1_000_000,
    links: [link('link-1', second), link('link-2', second)],
    provenance: { origin: 'simulated' },
  }));
}

const breath = (bpm: number) => (t: number, k: number) =>
  0.01 * Math.cos(k) * Math.sin((2 * Math.PI * bpm * t) / 60);
const valuesOf = (data: readonly Data[], name: string): number[] =>
  (data as Measure[]).filter((one) => one.name === name).map(({ value }) => value);
const rates = (data: readonly Data[]) => valuesOf(data, 'breathing_rate_bpm');

describe('estimate-vitals', () => {
  it.each([9.5, 12.5, 16, 22, 29])('finds %d breaths a minute, whatever the gain does', (bpm) => {
    const agc = (t: number) => (Math.floor(t / 3) % 2 === 0 ? 1 : 1.3);
    const given = outputs(make(estimateVitals), windows(46, breath(bpm), agc));
    expect(rates(given)).toHaveLength(4);
    for (const rate of rates(given)) expect(Math.abs(rate - bpm)).toBeLessThan(0.4);
    for (const quality of valuesOf(given, 'breathing_quality')) expect(quality).toBeGreaterThan(0.6);
  });

  it('gives no rate of fewer than four breaths, until the period is longer', () => {
    const slow = windows(62, breath(6.5));
    expect(outputs(make(estimateVitals), slow)).toEqual([]);
    const longer = rates(outputs(make(estimateVitals, { length_ms: 45_000 }), slow));
    expect(longer.length).toBeGreaterThan(0);
    for (const rate of longer) expect(Math.abs(rate - 6.5)).toBeLessThan(0.4);
  });

  it('finds a breath below the noise of each subcarrier', () => {
    const weak = (t: number, k: number) => 0.13 * breath(13)(t, k);
    const given = outputs(make(estimateVitals), windows(60, weak));
    expect(rates(given).length).toBeGreaterThanOrEqual(5);
    for (const rate of rates(given)) expect(Math.abs(rate - 13)).toBeLessThan(0.6);
  });

  it('is unsure of both when there are two rhythms', () => {
    const both = (t: number, k: number) => breath(11)(t, k) + 0.95 * breath(26)(t, k);
    for (const quality of valuesOf(
      outputs(make(estimateVitals, { min_quality: 0 }), windows(60, both)),
      'breathing_quality',
    ))
      expect(quality).toBeLessThan(0.35);
  });

  it('emits both measures of the room at the end of its window', () => {
    const given = outputs(make(estimateVitals), windows(32, breath(15))) as Measure[];
    expect(given).toMatchObject([
      { name: 'breathing_rate_bpm', subject: null, time: START + 30_000_000 },
      { name: 'breathing_quality', subject: null, time: START + 30_000_000 },
    ]);
  });

  it.each([
    ['noise alone', () => 0],
    ['a slow drift', (t: number, k: number) => 0.02 * Math.cos(k) * Math.sin((2 * Math.PI * t) / 80)],
    ['a rhythm a little too slow for breathing', breath(5.8)],
    ['a rhythm a little too fast for breathing', breath(30.3)],
    [
      'a rhythm that is too fast',
      (t: number, k: number) => 0.01 * Math.cos(k) * Math.sin(2 * Math.PI * 0.9 * t),
    ],
  ])('reports nothing for %s', (_, shape) => {
    expect(outputs(make(estimateVitals), windows(60, shape))).toEqual([]);
  });

  it('reports nothing until nobody has moved for its whole window', () => {
    const moves = (t: number, k: number) =>
      breath(15)(t, k) + (t > 40 && t < 42 ? 0.1 * Math.sin(20 * t + k) : 0);
    const given = outputs(make(estimateVitals), windows(90, moves)) as Measure[];
    const times = given
      .filter(({ name }) => name === 'breathing_rate_bpm')
      .map(({ time }) => (time - START) / 1e6);
    expect(times).toEqual([30, 35, 40, 75, 80, 85]);
  });

  it('restarts when a link changes its layout, and after a gap of its window', () => {
    const all = windows(100, breath(15));
    const other = all.map((one) => (one.index < 33 ? one : relaid(one)));
    const times = (input: readonly Window[]) =>
      (outputs(make(estimateVitals), input) as Measure[])
        .filter(({ name }) => name === 'breathing_rate_bpm')
        .map(({ time }) => (time - START) / 1e6);
    expect(times(other.slice(0, 72))).toEqual([30, 65, 70]);
    expect(times([...all.slice(0, 33), ...all.slice(65)])).toEqual([30, 95]);
  });

  it('rejects windows with too few points, with a fix', () => {
    const [one] = windows(1, breath(15));
    const { failed } = make(estimateVitals).process({ ...one!, step: 250_000 }, 'windows') as Output<Data>;
    expect(failed).toMatchObject([{ code: 'vitals.grid.coarse' }]);
    expect(failed![0]!.reason).toContain('raise `points`');
  });
});

const relaid = (one: Window): Window => ({
  ...one,
  links: one.links.map((link) => ({ ...link, layout: 'other' })),
});

/** Measures of the shipped chain in a simulated room with two links. */
async function simulated(seconds: number, seed: number, people: readonly object[]): Promise<Data[]> {
  const { context } = testContext();
  const blocks: CsiBlock[] = [];
  const output = {
    signal: new AbortController().signal,
    offer: ({ data = [] }: { data?: readonly Data[] }) => {
      blocks.push(...(data as CsiBlock[]));
      return true;
    },
  } as unknown as SourceOutput;
  const config = { speed: 0, start_time: '2026-01-01T00:00:00Z', duration_s: seconds, seed, people };
  await simulator.create(withDefaults(simulator, config) as never, context).open(null, output);
  const clean = outputs(make(phaseSanitize), outputs(make(denoise), blocks)) as CsiBlock[];
  const cut = windowsOf(make(window, { length_ms: 2000, hop_ms: 200, points: 100 }), clean);
  return outputs(make(estimateVitals), cut);
}

describe('estimate-vitals in simulated rooms', () => {
  it.each([
    [2, 'sit', 11],
    [5, 'stand', 21],
  ] as const)(
    "finds a still person's breath, to a breath a minute (seed %i: %s at %i)",
    async (seed, activity, bpm) => {
      const given = await simulated(50, seed, [{ breathing_bpm: bpm, script: [{ activity, seconds: 100 }] }]);
      expect(rates(given).length).toBeGreaterThan(0);
      for (const rate of rates(given)) expect(Math.abs(rate - bpm)).toBeLessThan(1);
    },
  );

  it('reports nothing for an empty room, or a walking person', async () => {
    expect(await simulated(45, 3, [])).toEqual([]);
    expect(await simulated(45, 3, [{ script: [{ activity: 'walk', seconds: 100 }] }])).toEqual([]);
  });
});
