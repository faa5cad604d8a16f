import { describe, expect, it } from 'vitest';
import { pilots } from '../../operators/select-subcarriers/pilots.js';
import { selectSubcarriers } from '../../operators/select-subcarriers/select-subcarriers.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { throughDisk } from '../../pipeline/testing/kit/run-operator.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { breaksNothing } from './bad-links.js';
import { blockOf, layoutOf, outputs } from './frames.js';

type Settings = Parameters<typeof selectSubcarriers.create>[0];
const make = (settings: Partial<Settings>) => {
  const { context, recorded } = testContext();
  const all = withDefaults(selectSubcarriers, { learn_frames: 10, ...settings }) as Settings;
  return { operator: selectSubcarriers.create(all, context), recorded };
};
const subcarriers = Int16Array.from({ length: 9 }, (_, i) => i - 4);
const layout = layoutOf({ rx: 2, subcarriers });
/** Amplitude and jitter of each of nine subcarriers, over frames; the second antenna has half of it. */
const frames = (levels: readonly number[], jitter: readonly number[], count: number) =>
  Array.from({ length: count }, (_, i) => ({
    values: [1, 0.5].flatMap((antenna) =>
      levels.flatMap((level, k) => [antenna * (level + jitter[k]! * (i % 2 === 0 ? 1 : -1)), 0]),
    ),
  }));
const kept = (settings: Partial<Settings>, levels: readonly number[], jitter: readonly number[]) => {
  const { operator } = make(settings);
  const [block] = outputs(operator, [blockOf(layout, frames(levels, jitter, 12))]) as [CsiBlock];
  expect(block.count).toBe(2);
  return Array.from(block.layout.subcarriers);
};

it('drops subcarriers that are zero on all antennas, and keeps the other values', () => {
  const { operator, recorded } = make({});
  const levels = [0, 1, 2, 3, 0, 5, 6, 7, 0];
  const [block] = outputs(operator, [blockOf(layout, frames(levels, new Array<number>(9).fill(0), 11))]) as [
    CsiBlock,
  ];
  expect(Array.from(block.layout.subcarriers)).toEqual([-3, -2, -1, 1, 2, 3]);
  expect(Array.from(block.values)).toEqual(
    [1, 2, 3, 5, 6, 7].flatMap((re) => [re, 0]).concat([0.5, 1, 1.5, 2.5, 3, 3.5].flatMap((re) => [re, 0])),
  );
  expect(recorded.dropped).toEqual({ learning: 10 });
});

it('keeps those that vary most relative to their mean', () => {
  expect(
    kept({ keep: 'variance', count: 2 }, [9, 9, 9, 9, 9, 9, 9, 90, 9], [0, 1, 0, 3, 0, 2, 0, 4, 0]),
  ).toEqual([-1, 1]);
});

it('keeps quiet and strong subcarriers by NBVI: none of the weakest quarter, no neighbours while others exist', () => {
  const levels = [1, 20, 20, 20, 20, 20, 20, 20, 1];
  const jitter = [0, 1, 1.1, 5, 5, 5, 2, 5, 0];
  expect(kept({ keep: 'nbvi', count: 2 }, levels, jitter)).toEqual([-3, 2]);
  expect(kept({ keep: 'nbvi', count: 3 }, levels, jitter)).toEqual([-3, -1, 2]);
  expect(kept({ keep: 'nbvi', count: 4 }, levels, jitter)).toEqual([-3, -2, -1, 2]);
});

it('drops pilots from the first frame if nothing else is to be learnt', () => {
  const wide = layoutOf({ subcarriers: Int16Array.of(-21, -20, 0, 7, 8), training: 'ht-ltf' });
  const { operator } = make({ drop_nulls: false, drop_pilots: true });
  const [block] = outputs(operator, [blockOf(wide, [{ values: new Float32Array(10) }])]) as [CsiBlock];
  expect(Array.from(block.layout.subcarriers)).toEqual([-20, 0, 8]);
});

it('a silent link keeps all of its subcarriers', () => {
  const zeros = new Array<number>(9).fill(0);
  expect(kept({}, zeros, zeros)).toEqual(Array.from(subcarriers));
});

it('keeps its choice across a restart', () => {
  const levels = [1, 20, 20, 20, 20, 20, 20, 20, 1];
  const { operator } = make({ keep: 'nbvi', count: 2 });
  outputs(operator, [blockOf(layout, frames(levels, [0, 1, 1.1, 5, 5, 5, 2, 5, 0], 10))]);
  const after = make({ keep: 'nbvi', count: 2 }).operator;
  after.restore!(throughDisk(operator.snapshot!()));
  const [block] = outputs(after, [blockOf(layout, frames(levels, levels, 1))]) as [CsiBlock];
  expect(Array.from(block.layout.subcarriers)).toEqual([-3, 2]);
});

describe('pilots', () => {
  it.each([
    ['lltf', 20, 4],
    ['ht-ltf', 40, 6],
    ['vht-ltf', 80, 8],
    ['vht-ltf', 160, 16],
    ['he-ltf', 20, 8],
    ['he-ltf', 40, 16],
    ['he-ltf', 80, 16],
    ['he-ltf', 160, 32],
    ['lltf', 40, 8],
  ] as const)('%s of %i MHz has %i', (training, bandwidthMhz, count) => {
    expect(pilots(layoutOf({ training, bandwidthMhz })).size).toBe(count);
  });
});

breaksNothing(selectSubcarriers, { learn_frames: 5, keep: 'variance', count: 2 }, false);
