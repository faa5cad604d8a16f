import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectMotion, linkMotion } from '../../operators/detect-motion/detect-motion.js';
import { window } from '../../operators/window/window.js';
import { csiLayout, type Measure, type Window } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { readNpz } from '../../bench/accuracy/npz.js';
import { sharedFile } from '../support/shared.js';
import { blockOf, outputs, windowsOf } from './frames.js';

const START = 1_700_000_000_000_000;
const config = { interval_ms: 1000, threshold: 0.17, energy_threshold_db: 10, hold_ms: 3000 };
const grid = {
  length_ms: 1000,
  hop_ms: 100,
  points: 50,
  training: ['lltf' as const],
  idle_ms: 500,
  max_gap_periods: 3,
};
const operator = (changes: Partial<typeof config> = {}) =>
  detectMotion.create({ ...config, ...changes }, testContext().context);

/** Windows of one link, 16 subcarriers at 100 frames/s: `amplitude` of a subcarrier at a second, with noise. */
function windows(
  seconds: number,
  amplitude: (k: number, t: number) => number,
  gain: (frame: number) => number = () => 1,
): Window[] {
  const { context } = testContext();
  const layout = csiLayout({
    rx: 1,
    tx: 1,
    subcarriers: Array.from({ length: 16 }, (_, k) => k + 1),
    bandwidthMhz: 20,
    centreMhz: 2437,
    training: 'lltf',
  });
  const frames = Array.from({ length: seconds * 100 + 1 }, (_, i) => ({
    time: START + i * 10_000,
    values: Array.from({ length: 32 }, (_, j) =>
      j % 2 === 1 ? 0 : gain(i) * (amplitude(j / 2, i / 100) + (context.random() - 0.5) * 0.4),
    ),
  }));
  return windowsOf(window.create(grid, context), [blockOf(layout, frames)]);
}

const still = (k: number) => 10 + Math.sin(k);
const moving = (k: number, t: number) => 10 + Math.sin(k) + 2 * Math.sin(2 * Math.PI * 3 * t + k);
const named = (measures: readonly Measure[], name: string, subject: string | null = null) =>
  measures.filter((measure) => measure.name === name && measure.subject === subject);
const measure = (node: ReturnType<typeof operator>, input: readonly Window[]) =>
  outputs(node, input) as Measure[];

describe('detect-motion', () => {
  it('measures once per interval, at the end of windows', () => {
    const given = named(measure(operator(), windows(5, still)), 'motion');
    expect(given.map(({ time }) => (time - START) / 1000)).toEqual([1000, 2000, 3000, 4000, 5000]);
  });

  it('tells movement from noise, whatever the gain does', () => {
    const agc = (i: number) => (i % 7 === 0 ? 2 : 1);
    const quiet = measure(operator(), windows(5, still, agc));
    const loud = measure(operator(), windows(5, moving, agc));
    expect(Math.max(...named(quiet, 'motion').map(({ value }) => value))).toBeLessThan(0.17);
    expect(Math.min(...named(loud, 'motion').map(({ value }) => value))).toBeGreaterThan(0.5);
    expect(named(quiet, 'presence').every(({ value }) => value === 0)).toBe(true);
    expect(named(loud, 'presence').every(({ value }) => value === 1)).toBe(true);
  });

  it('holds presence until all has been quiet for long enough', () => {
    const given = measure(
      operator(),
      windows(12, (k, t) => (t > 3 && t < 5 ? moving(k, t) : still(k))),
    );
    // Moving in the windows that end at 4 and 5 s, then held for 3 s.
    const presence = named(given, 'presence').map(({ value }) => value);
    expect(presence).toEqual([0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
  });

  it('measures energy above the quiet level that it has learnt', () => {
    const given = measure(
      operator(),
      windows(10, (k, t) => (t > 6 ? moving(k, t) : still(k))),
    );
    const energy = named(given, 'motion_energy_db', 'link-1').map(({ value }) => value);
    expect(Math.max(...energy.slice(0, 5))).toBeLessThan(3);
    expect(energy.at(-1)).toBeGreaterThan(15);
  });

  it('says nothing of a link that has only zeros', () => {
    const given = measure(
      operator(),
      windows(
        2,
        () => 0,
        () => 0,
      ),
    );
    expect(given).toEqual([]);
  });

  it('goes on from a snapshot as if it had never stopped, and never changes its input', () => {
    const input = windows(8, (k, t) => (t > 3 && t < 5 ? moving(k, t) : still(k)));
    const copy = structuredClone(input);
    const whole = measure(operator(), input);
    fc.assert(
      fc.property(fc.nat(input.length), (cut) => {
        const one = operator();
        const first = measure(one, input.slice(0, cut));
        const other = operator();
        other.restore!(structuredClone(one.snapshot!()));
        expect([...first, ...measure(other, input.slice(cut))]).toEqual(whole);
      }),
      { numRuns: 20 },
    );
    expect(input).toEqual(copy);
  });
});

/** Share of pairs in which the positive lies above the negative. */
function auc(negatives: readonly number[], positives: readonly number[]): number {
  let wins = 0;
  for (const positive of positives)
    for (const negative of negatives) wins += positive > negative ? 1 : positive === negative ? 0.5 : 0;
  return wins / negatives.length / positives.length;
}

const folder = sharedFile('labelled/esp32-presence');

describe.skipIf(folder === undefined)('on recordings of three ESP32 chips', () => {
  const values: Record<'baseline' | 'movement', number[]> = { baseline: [], movement: [] };
  let right = 0;
  for (const name of folder === undefined ? [] : readdirSync(folder)) {
    const arrays = readNpz(readFileSync(join(folder!, name)));
    const { shape, values: csi } = arrays.get('csi_data')!;
    const duration = Number(arrays.get('duration_ms')!.values[0]);
    const layout = csiLayout({
      rx: 1,
      tx: 1,
      subcarriers: Array.from({ length: 64 }, (_, k) => k - 32),
      bandwidthMhz: 20,
      centreMhz: 2437,
      training: 'lltf',
    });
    const frames = Array.from({ length: shape[0]! }, (_, i) => ({
      time: START + Math.round((i * duration * 1000) / shape[0]!),
      values: (csi as Float64Array).subarray(i * 128, (i + 1) * 128),
    }));
    const node = window.create({ ...grid, hop_ms: 1000 }, testContext().context);
    const cut = windowsOf(node, [blockOf(layout, frames)]);
    const kind = name.startsWith('baseline') ? 'baseline' : 'movement';
    for (const each of cut) {
      const { motion } = linkMotion(each.links[0]!, each);
      values[kind].push(motion);
      if (motion > 0.17 === (kind === 'movement')) right++;
    }
  }

  it('separates seconds of movement from those of empty rooms: AUC of 0.95 at least, 0.966 reached', () => {
    expect([values.baseline.length, values.movement.length]).toEqual([56, 62]);
    expect(auc(values.baseline, values.movement)).toBeGreaterThan(0.95);
  });

  it('is right by its default threshold in 95 of 100 seconds at least, 97 reached', () => {
    expect(right / (values.baseline.length + values.movement.length)).toBeGreaterThan(0.95);
  });
});
