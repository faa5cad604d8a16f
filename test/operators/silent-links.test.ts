import { expect, it } from 'vitest';
import { measureLinks } from '../../operators/measure-links/measure-links.js';
import { normalizeGain } from '../../operators/normalize-gain/normalize-gain.js';
import { leftOutOf } from '../../operators/shared/usable-links.js';
import { window } from '../../operators/window/window.js';
import type { NodeMetrics } from '../../pipeline/component/index.js';
import type { CsiBlock, Window } from '../../pipeline/model/index.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { blockOf, layoutOf, outputs, pieces, windowsOf } from './frames.js';

const START = 1_700_000_000_000_000;
const SECOND = 1_000_000;
const layout = layoutOf();
const SILENT = [{ link: 'link-2', fault: 'silent' }];

type Stretch = readonly [from: number, until: number];

function open() {
  const { context, recorded } = testContext();
  const config = withDefaults(window, { length_ms: 1000, hop_ms: 500, points: 50 });
  const usable = new Map<string, number>();
  const gauge: NodeMetrics['gauge'] = (name, value, labels) => {
    if (name === 'link_usable') usable.set(labels!['link']!, value);
  };
  const metrics = { ...context.metrics, gauge };
  return { node: window.create(config as never, { ...context, metrics }), recorded, usable };
}

/** Fifty frames a second of both links, in these stretches of seconds. */
function framesOf(...links: (readonly Stretch[])[]): CsiBlock {
  const frames = links.flatMap((stretches, link) =>
    stretches.flatMap(([from, until]) =>
      Array.from({ length: (until - from) * 50 }, (_, i) => ({
        ...{ link, time: START + from * SECOND + i * 20_000 },
        values: Array.from({ length: 12 }, (_, k) => 20 + ((i * 7 + k * 5) % 11)),
      })),
    ),
  );
  return blockOf(
    layout,
    frames.sort((a, b) => a.time - b.time),
  );
}

/** Seconds at the end of the first and the last window that leave the link out, each followed by a window that does not. */
function leftOut(windows: readonly Window[]): number[] {
  const ends = windows.map((one) => ({
    end: (one.start - START) / SECOND + 1,
    isOut: leftOutOf(one).some(({ link }) => link === 'link-2'),
  }));
  return ends.flatMap(({ end, isOut }, i) => (isOut === (ends[i - 1]?.isOut ?? false) ? [] : [end]));
}

it('a link that falls silent is left out from five seconds on, until it is back', () => {
  const { node, recorded, usable } = open();
  const given = windowsOf(node, pieces(framesOf([[0, 20]], [[0, 4]]), [50]));
  expect(leftOut(given)).toEqual([9]);
  expect(leftOutOf(given.at(-1)!)).toEqual(SILENT);
  expect(recorded.problem).toMatch(/^link link-2 is faulty and ignored: no usable frames of it arrive/);
  expect([...usable]).toEqual([['link-1', 1], ['link-2', 0]]); // prettier-ignore
  expect(node.describe!()).toMatchObject({
    links: { 'link-2': { snr_db: null, usable: false, fault: 'silent' } },
  });

  const later = windowsOf(node, pieces(framesOf([[20, 25]], [[21, 25]]), [50]));
  expect(leftOut([given.at(-1)!, ...later])).toEqual([given.length / 2 + 0.5, 21.5]);
  expect(recorded.problem).toBeNull();
  expect(usable.get('link-2')).toBe(1);
  expect(recorded.lines.map(({ message, fields }) => [message, fields])).toEqual([
    ['a link is faulty and ignored', expect.objectContaining({ link: 'link-2', fault: 'silent' })],
    ['a link is usable again', expect.objectContaining({ link: 'link-2' })],
  ]);
});

it('a link that has never sent is not: it may belong to another window node', () => {
  const { node, recorded } = open();
  expect(leftOut(windowsOf(node, pieces(framesOf([[0, 10]], []), [50])))).toEqual([]);
  node.watermark!(START + 60 * SECOND);
  expect(recorded.problem).toMatch(/^link link-1 is faulty and ignored: no usable frames/);

  const quiet = open();
  quiet.node.watermark!(START + 60 * SECOND);
  expect(quiet.recorded.problem).toBeNull();
});

it('a checkpoint of an earlier version blames no link before five seconds more', () => {
  const { node } = open();
  windowsOf(node, pieces(framesOf([[0, 8]], [[0, 4]]), [50]));
  const saved = node.snapshot!();
  const grids = saved.grids.map(({ environment, next, index, clock, closed, links }) => ({
    ...{ environment, next, index, clock, closed, links },
  }));
  const other = open().node;
  other.restore!({ ...saved, grids });
  expect(leftOut(windowsOf(other, pieces(framesOf([[8, 16]], []), [50])))).toEqual([13]);
});

it('a link that is absent from a window for less time is not', () => {
  const { node, recorded } = open();
  expect(leftOut(windowsOf(node, pieces(framesOf([[0, 12]], [[0, 2], [6, 12]]), [50])))).toEqual([]); // prettier-ignore
  expect(recorded.lines).toEqual([]);
});

it('after a pause of the whole room, each link has as long to send again', () => {
  const { node, recorded } = open();
  const late = windowsOf(node, pieces(framesOf([[0, 4], [60, 70]], [[0, 4], [62, 70]]), [50])); // prettier-ignore
  expect(leftOut(late)).toEqual([]);
  expect(recorded.lines).toEqual([]);
});

it('if all links are silent, time alone tells, and each is until it is back', () => {
  const { node, recorded } = open();
  windowsOf(node, [framesOf([[0, 4]], [[0, 4]])]);
  node.watermark!(START + 8 * SECOND);
  expect(recorded.problem).toBeNull();
  for (const second of [9, 10, 11]) expect(node.watermark!(START + second * SECOND).data).toEqual([]);
  expect(recorded.problem).toMatch(/^link link-1 is faulty and ignored \(and link-2\): no usable frames/);

  windowsOf(node, pieces(framesOf([[20, 22]], []), [50]));
  expect(recorded.problem).toMatch(/^link link-2 is faulty/);
  windowsOf(node, pieces(framesOf([[22, 24]], [[22, 24]]), [50]));
  expect(recorded.problem).toBeNull();
  expect(recorded.lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'info', 'info']);
});

it.each([20, 180, 420, 560, 700])(
  'a snapshot after %i frames and other blocks give the same windows',
  (cut) => {
    const frames = framesOf([[0, 14], [21, 30]], [[0, 3], [11, 12], [21, 22]]); // prettier-ignore
    const blocks = pieces(frames, [1]);
    const whole = windowsOf(open().node, pieces(frames, [37]));
    const { node } = open();
    const before = windowsOf(node, blocks.slice(0, cut));
    const other = open().node;
    other.restore!(structuredClone(node.snapshot!()));
    expect([...before, ...windowsOf(other, blocks.slice(cut))]).toEqual(whole);
    expect(leftOut(whole)).toEqual([8, 11.5, 27]);
  },
);

it('a link whose frames are zeros, which normalize-gain drops, is silent', () => {
  const { node, recorded } = open();
  const gain = normalizeGain.create(withDefaults(normalizeGain, {}) as never, testContext().context);
  const frames = framesOf([[0, 12]], [[0, 12]]);
  for (let i = 0; i < frames.count; i++)
    if (frames.link[i] === 1 && frames.time[i]! >= START + 4 * SECOND)
      frames.values.fill(0, i * 12, (i + 1) * 12);
  const scaled = outputs(gain, pieces(frames, [50])) as CsiBlock[];
  expect(leftOut(windowsOf(node, scaled))).toEqual([9]);
  expect(recorded.problem).toMatch(/^link link-2 /);
});

it('measure-links gives a rate of 0, from its frames and windows', () => {
  const frames = framesOf([[0, 20]], [[0, 4]]);
  const { context } = testContext();
  const node = measureLinks.create(withDefaults(measureLinks, {}) as never, context);
  for (const block of pieces(frames, [50])) void node.process(block, 'frames');
  for (const one of windowsOf(open().node, pieces(frames, [50]))) void node.process(one, 'windows');
  const rates = node.watermark!(Infinity).data.filter(
    ({ name, subject }) => name === 'link_rate_hz' && subject === 'link-2',
  );
  expect(rates.map(({ value }) => value)).toEqual([20, 0]);
});

it('measure-links counts its windows as unusable', () => {
  const given = windowsOf(open().node, pieces(framesOf([[0, 20]], [[0, 4]]), [50]));
  const { context } = testContext();
  const node = measureLinks.create(withDefaults(measureLinks, {}) as never, context);
  for (const one of given) void node.process(one, 'input');
  const usable = node.watermark!(Infinity).data.filter(
    ({ name, subject }) => name === 'link_usable' && subject === 'link-2',
  );
  expect(usable.map(({ value }) => value)).toEqual([0.7273, 0]);
});
