import { describe, expect, it } from 'vitest';
import { countsOf, noBelief, update, type Belief } from '../../operators/infer-pose/context.js';
import type { Sight } from '../../operators/infer-pose/estimate.js';

const HOP_US = 200_000;

interface Told {
  readonly counts: readonly number[];
  readonly moving?: number;
  readonly root?: readonly [number, number];
  readonly postures?: readonly number[];
  readonly scale?: number;
}

const sightOf = ({
  counts,
  moving = 0,
  root = [2, 2],
  postures = [0.8, 0.1, 0.1],
  scale = 1,
}: Told): Sight => ({
  counts,
  cells: new Float32Array(64),
  alone: {
    root,
    scale,
    heading: [1, 0],
    postures,
    moving,
    joints: new Float32Array(51),
    jointScales: new Float32Array(17),
  },
  several: [],
});

/** Shows a belief windows for so many seconds, five a second. */
function show(belief: Belief, seconds: number, told: Told, error = 0.5): Belief {
  const from = belief.time === -Infinity ? 0 : belief.time;
  for (let i = 1; i <= seconds * 5; i++) update(belief, sightOf(told), from + i * HOP_US, () => error);
  return belief;
}

const EMPTY = { counts: [0.9, 0.08, 0.01, 0.005, 0.005] };
const WALKS = { counts: [0.01, 0.95, 0.03, 0.005, 0.005], moving: 0.97 };
/** What a network says of somebody who rests and is hardly seen. */
const FAINT = { counts: [0.3, 0.68, 0.01, 0.005, 0.005], moving: 0.01 };
const somebody = (belief: Belief): number => 1 - countsOf(belief)[0]!;

describe('what windows say together', () => {
  it('is that nobody is there soon after everything says so', () => {
    const belief = show(show(noBelief(), 10, { ...WALKS }), 30, EMPTY);
    expect(somebody(belief)).toBeLessThan(0.1);
  });

  it('is that somebody is there within two seconds of walking in', () => {
    const belief = show(show(noBelief(), 60, EMPTY), 2, WALKS);
    expect(somebody(belief)).toBeGreaterThan(0.9);
  });

  it('keeps a person who rests and is hardly seen', () => {
    const belief = show(show(noBelief(), 10, WALKS), 60, FAINT);
    expect(somebody(belief)).toBeGreaterThan(0.8);
  });

  it('does not believe one window against all others', () => {
    const belief = show(show(noBelief(), 60, EMPTY), 0.2, {
      counts: [0.3, 0.6, 0.05, 0.03, 0.02],
      moving: 0.1,
    });
    expect(somebody(belief)).toBeLessThan(0.5);
  });

  it('holds a person who rests where the walk ended, with an error that grows slowly', () => {
    const belief = show(noBelief(), 10, { ...WALKS, root: [4, 1] }, 0.4);
    const stopped = belief.place!.variance;
    show(belief, 30, { ...FAINT, root: [2, 2] }, 1.3);
    expect(Math.hypot(belief.place!.x - 4, belief.place!.y - 1)).toBeLessThan(0.6);
    expect(belief.place!.variance).toBeLessThan(4 * stopped);
  });

  it('follows a walker without lag', () => {
    const belief = show(noBelief(), 5, { ...WALKS, root: [1, 1] }, 0.4);
    show(belief, 0.4, { ...WALKS, root: [2, 1] }, 0.4);
    expect(belief.place!.x).toBeGreaterThan(1.7);
  });

  it('keeps a posture until there is evidence of another', () => {
    const belief = show(noBelief(), 10, WALKS);
    show(belief, 8, { ...FAINT, postures: [0.05, 0.15, 0.8] });
    expect(belief.postures[2]).toBeGreaterThan(0.8);
    // Then windows that say as much as the mean of all: nothing.
    show(belief, 30, { ...FAINT, postures: [0.76, 0.16, 0.08] });
    expect(belief.postures[2]).toBeGreaterThan(0.4);
    show(belief, 5, { ...WALKS, postures: [0.99, 0.005, 0.005] });
    expect(belief.postures[0]).toBeGreaterThan(0.9);
  });

  it('counts several people only where windows go on saying so, and then holds no place of one', () => {
    const two = { counts: [0.01, 0.3, 0.6, 0.07, 0.02], moving: 0.9 };
    const belief = show(noBelief(), 10, WALKS);
    show(belief, 0.4, two);
    expect(countsOf(belief)[1]).toBeGreaterThan(0.5);
    show(belief, 40, two);
    expect(countsOf(belief)[2]).toBeGreaterThan(0.8);
    expect(belief.place).toBeNull();
  });

  it('adds up to one, also after a long hole', () => {
    const belief = show(noBelief(), 10, WALKS);
    update(belief, sightOf(EMPTY), belief.time + 3_600_000_000, () => 0.5);
    expect(countsOf(belief).reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 9);
    expect(belief.postures.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 9);
  });
});
