import { describe, expect, it } from 'vitest';
import { DropFinder } from '../../operators/detect-falls/drops.js';
import { POOLED_FEATURES } from '../../operators/detect-falls/pooled.js';
import { Room } from '../../operators/detect-falls/room.js';
import { readPooledWeights } from '../../operators/detect-falls/weights.js';
import type { Window } from '../../pipeline/model/index.js';
import { amplitudes, bursts, eventsOf, makeDetector, START, SUBCARRIERS, windows } from './hand-made.js';

/** Every candidate is an event. */
const ANY = { threshold: -50, warm_up_ms: 0, cooldown_ms: 0 };

/** Motion at 20 Hz, log10 of power: of this until the end of each, then the next. */
const course = (...pieces: readonly (readonly [number, number])[]): number[] =>
  pieces.flatMap(([seconds, level]) => Array<number>(seconds * 20).fill(level));

/** Sample and time of each drop that is told. */
function dropsIn(motion: readonly number[], finder = new DropFinder(40)): [number, number][] {
  const found: [number, number][] = [];
  motion.forEach((value, i) => {
    const drop = finder.follow(i + 1 + 8, value);
    if (drop !== null) found.push([drop, i]);
  });
  return found;
}

describe('sudden ends of motion', () => {
  it('are found where motion stops, also out of long motion, and told when what follows was seen', () => {
    const [[drop, told], ...others] = dropsIn(course([10, -2], [10, -3.5])) as [[number, number]];
    expect(others).toEqual([]);
    expect(Math.abs(drop - 200)).toBeLessThanOrEqual(10);
    expect(told).toBeGreaterThanOrEqual(drop + 32);
    expect(told).toBeLessThanOrEqual(drop + 40);
  });

  it('are not found where motion begins, goes on or is unknown', () => {
    expect(dropsIn(course([10, -3.5], [10, -2]))).toEqual([]);
    expect(dropsIn(course([20, -2]))).toEqual([]);
    const finder = new DropFinder(40);
    for (let i = 1; i <= 400; i++) expect(finder.follow(i, i < 200 ? -2 : null)).toBeNull();
  });

  it('are the same after a snapshot at any point', () => {
    const motion = course([8, -2], [6, -3.5], [6, -2.5], [6, -3.5]);
    const whole = dropsIn(motion);
    expect(whole).toHaveLength(2);
    for (const cut of [50, 165, 180, 190, 420]) {
      const [before, after] = [new DropFinder(40), new DropFinder(40)];
      const found: [number, number][] = [];
      motion.forEach((value, i) => {
        if (i === cut) after.restore(structuredClone(before.snapshot()));
        const drop = (i < cut ? before : after).follow(i + 9, value);
        if (drop !== null) found.push([drop, i]);
      });
      expect(found).toEqual(whole);
    }
  });
});

describe('detect-falls with several links', () => {
  it('judges them together, about eleven seconds after the end of the motion', () => {
    const detector = makeDetector(ANY);
    const records = onTwoLinks(windows(40, bursts(20)));
    const decided = records.findIndex((one) => eventsOf(detector, [one]).some(({ time }) => isAt(20, time)));
    expect(decided).toBeGreaterThan(30);
    expect(decided).toBeLessThanOrEqual(33);
  });

  it('says how many links saw it', () => {
    const events = eventsOf(makeDetector(ANY), onTwoLinks(windows(40, bursts(20))));
    expect(events.find(({ time }) => isAt(20, time))?.metadata).toMatchObject({ links: 2 });
  });

  it('judges the only one left as a room of one link', () => {
    const all = onTwoLinks(windows(60, bursts(45)));
    const records = all.map((one, i) => (i < 15 ? one : { ...one, links: one.links.slice(0, 1) }));
    const detector = makeDetector(ANY);
    const decided = records.findIndex((one) => eventsOf(detector, [one]).some(({ time }) => isAt(45, time)));
    expect(decided).toBeGreaterThan(45);
    expect(decided).toBeLessThanOrEqual(50);
  });
});

const isAt = (seconds: number, time: number): boolean => Math.abs((time - START) / 1e6 - seconds) < 1.5;

const onTwoLinks = (records: readonly Window[]): Window[] =>
  records.map((one) => ({ ...one, links: [one.links[0]!, { ...one.links[0]!, id: 'link-2' }] }));

describe('what several links pool', () => {
  it('has a finite value for each feature that the weights name', () => {
    const signal = amplitudes(40, bursts(20));
    const room = new Room();
    room.restart(0);
    const found = Array.from({ length: 40 * 20 }, (_, n) => {
      const at = n * SUBCARRIERS;
      const link = { antennas: 1, subcarriers: SUBCARRIERS, amplitudes: signal, at, gap: false };
      return room.push([
        { id: 'a', ...link },
        { id: 'b', ...link },
      ]).pooled;
    }).filter((one) => one !== null);
    expect(found.length).toBeGreaterThan(0);
    expect(readPooledWeights().features).toEqual(POOLED_FEATURES);
    for (const { features } of found) {
      expect(features).toHaveLength(POOLED_FEATURES.length);
      expect(features.every(Number.isFinite)).toBe(true);
    }
  });
});
