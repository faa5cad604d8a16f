import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Recall } from '../../operators/infer-pose/memory/memory.js';
import {
  confirmByMovement,
  countsByMovement,
  strongestMotion,
  type Movement,
} from '../../operators/infer-pose/memory/movement.js';
import { Newcomers } from '../../operators/infer-pose/memory/newcomers.js';
import { seeded } from '../../pipeline/base/random.js';
import type { Window } from '../../pipeline/model/index.js';
import { simulatedWindow } from '../../bench/shared/simulated-window.js';

const SECOND = 1e6;
const START = 1_700_000_000 * SECOND;

const still = (time: number, motion: number, walking = 0) => ({ time, motion, walking });

/** The standing after windows of these motions, 0.2 s apart. */
const after = (motions: readonly number[], first?: Movement): Movement =>
  motions.reduce<Movement>(
    (standing, motion) => confirmByMovement(standing, still(standing.time + 0.2 * SECOND, motion), false),
    first ?? { time: START, evidence: 0, confirmed: false },
  );
const times = (count: number, motion: number): number[] => Array.from({ length: count }, () => motion);

describe('over one or two links, people', () => {
  it('count once something has moved for a moment, not for one burst of interference', () => {
    expect(after(times(1, 0.6)).confirmed).toBe(false);
    expect(after(times(2, 0.6)).confirmed).toBe(true);
  });

  it('count when the networks see a walker, however weak the motion', () => {
    const walks = (count: number) =>
      times(count, 0).reduce<Movement>(
        (standing) => confirmByMovement(standing, still(standing.time + 0.2 * SECOND, 0.01, 0.9), false),
        after([0]),
      );
    expect([walks(1).confirmed, walks(2).confirmed]).toEqual([false, true]);
  });

  it('never count while nothing moves', () => {
    expect(after(times(1000, 0.02)).confirmed).toBe(false);
    expect(after(times(1000, NaN)).confirmed).toBe(false);
  });

  it('count until nothing has moved for a minute, and as long as something moves now and then', () => {
    const shown = after(times(2, 0.6));
    expect(after(times(5 * 55, 0), shown).confirmed).toBe(true);
    expect(after(times(5 * 65, 0), shown).confirmed).toBe(false);
    const restless = Array.from({ length: 20 }, () => [...times(5 * 40, 0), ...times(2, 0.3)]).flat();
    expect(after(restless, shown).confirmed).toBe(true);
  });

  it('need new movement after a break; a late window changes nothing', () => {
    const shown = after(times(2, 0.6));
    expect(confirmByMovement(shown, still(shown.time + 11 * SECOND, 0), false).confirmed).toBe(false);
    expect(confirmByMovement(shown, still(shown.time - SECOND, 0), false)).toBe(shown);
  });

  it('are as likely as not, at most, until then', () => {
    const unknown = after([0]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (nobody) => {
        const counts = countsByMovement([nobody, 1 - nobody, 0, 0, 0], unknown);
        expect(counts.reduce((sum, count) => sum + count)).toBeCloseTo(1);
        expect(1 - counts[0]!).toBeLessThanOrEqual(0.5);
      }),
    );
  });
});

/** A window of links whose carriers swing slowly together by these shares of their amplitude, in weak noise. */
function swinging(swings: readonly number[]): Window {
  const { window } = simulatedWindow(3, { links: swings.length, persons: 0 });
  const random = seeded(7);
  const links = window.links.map((link, i) => {
    const columns = link.values.length / window.points / 2;
    const values = link.values.map((_, at) => {
      if (at % 2 === 1) return 0;
      const [point, column] = [Math.floor(at / 2 / columns), (at / 2) % columns];
      return 1 + swings[i]! * Math.sin(point / 8 + column / 4) + 0.01 * (random() - 0.5);
    });
    return { ...link, values };
  });
  return { ...window, links };
}

it('measures the motion of the strongest link', () => {
  expect(strongestMotion(swinging([0, 0]))).toBeLessThan(0.03);
  expect(strongestMotion(swinging([0, 0.1]))).toBeGreaterThan(0.3);
  const { links, ...window } = swinging([0.1]);
  const lost = links.map((link) => ({ ...link, gaps: link.gaps.map(() => 1) }));
  expect(strongestMotion({ ...window, links: lost })).toBeNaN();
});

describe('newcomers', () => {
  const LAW = [0, 0, 0, 0, 0, 2, -1];
  const recalled = {
    counts: [0.02, 0.98, 0, 0, 0],
    alone: { scale: 0.6, moving: 0.02, postures: [0, 0.3, 0.7] },
  } as unknown as Recall;
  const moment = (links: number, seconds: number, motion = 0) => ({
    environment: 'room',
    time: START + seconds * SECOND,
    links,
    motion,
  });
  const somebody = (counts: readonly number[]) => 1 - counts[0]!;

  it('over one link need movement, and over three none', () => {
    expect(somebody(new Newcomers().counts(LAW, recalled, moment(1, 0)))).toBeCloseTo(0.49);
    expect(somebody(new Newcomers().counts(LAW, recalled, moment(3, 0)))).toBeCloseTo(0.98);
  });

  it('stay for a minute, though still, when all but one of the links that saw them fail', () => {
    const newcomers = new Newcomers();
    expect(somebody(newcomers.counts(LAW, recalled, moment(4, 0)))).toBeCloseTo(0.98);
    const seen = new Map<number, number>();
    for (let second = 1; second <= 62; second++)
      seen.set(second, somebody(newcomers.counts(LAW, recalled, moment(1, second))));
    expect([seen.get(1), seen.get(55), seen.get(62)].map((value) => value! > 0.9)).toEqual([
      true,
      true,
      false,
    ]);
    const restored = new Newcomers();
    restored.restore('room', newcomers.snapshot('room'));
    expect(restored.snapshot('room')).toEqual(newcomers.snapshot('room'));
  });

  it('are kept while they keep still, in this window only', () => {
    const newcomers = new Newcomers();
    const seen = { time: START, seen: START, evidence: 3, confirmed: true, shown: true };
    newcomers.restore('room', { confirmation: seen });
    const faint = { ...recalled, counts: [0.4, 0.6, 0, 0, 0] };
    expect(somebody(newcomers.counts(LAW, faint, moment(4, 0.4)))).toBeCloseTo(0.6);
    expect(newcomers.keeps(moment(4, 0.4))).toBe(true);
    expect(newcomers.keeps(moment(4, 0.8))).toBe(false);
    newcomers.counts(LAW, recalled, moment(4, 0.8));
    expect(newcomers.keeps(moment(4, 0.8))).toBe(false);
  });

  it('all count with a model that has no law', () => {
    expect(new Newcomers().counts(null, recalled, moment(1, 0))).toBe(recalled.counts);
  });
});
