import { describe, expect, it } from 'vitest';
import { FRAME_RATE } from '../../bench/accuracy/crossings.js';
import { judge, nearestNeighbour, scenesOf, shipped } from '../../bench/accuracy/tracked.js';

/** A small part of docs/reports/tracking.md, on seeds used neither for tuning nor for reports. */
const SEED = 800_000;

describe('simulated people', () => {
  it('keep their numbers when two cross, far better than by nearest neighbour', { timeout: 60_000 }, () => {
    const scenes = scenesOf(SEED, 24, 'cross', 2);
    const [ours, plain] = [shipped(), nearestNeighbour].map((follow) => judge(follow, scenes, 'cross'));
    expect(ours!.idf1).toBeGreaterThan(plain!.idf1 + 0.05);
    expect(ours!.hota).toBeGreaterThan(plain!.hota);
    expect(ours!.switches).toBeLessThan(0.7 * plain!.switches);
    expect(ours!.count).toBeGreaterThan(0.88);
  });

  it('have errors as large as predicted, by fifths', { timeout: 60_000 }, () => {
    const { fifths } = judge(shipped(), scenesOf(SEED, 8, 'cross', 2), 'cross');
    for (const [reported, actual] of fifths) expect(Math.abs(reported / actual - 1)).toBeLessThan(0.2);
  });

  it('are gone half a minute after the last one has left', { timeout: 60_000 }, () => {
    for (const { truth, poseFrames } of scenesOf(SEED, 4, 'alone')) {
      const tracks = shipped()(poseFrames);
      let away = 0;
      const late = tracks.filter(
        (_, frame) => (away = truth[frame]!.length > 0 ? 0 : away + 1) > 30 * FRAME_RATE,
      );
      expect(late.length).toBeGreaterThan(100);
      expect(late.filter((persons) => persons.length > 0).length).toBeLessThanOrEqual(0.05 * late.length);
    }
  });
});
