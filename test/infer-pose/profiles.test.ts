import { describe, expect, it } from 'vitest';
import { ProfileLearner } from '../../operators/infer-pose/windows/profiles.js';
import { simulatedWindow } from '../../bench/shared/simulated-window.js';

describe('an empty-room profile', () => {
  it('is the mean log-amplitude of each band over the points that have a frame', () => {
    const { window } = simulatedWindow(1, { links: 2, persons: 0 });
    const [link] = window.links;
    const values = link!.values.map((_, i) =>
      i < link!.values.length / 2 ? Math.SQRT1_2 : Math.E * Math.SQRT1_2,
    );
    const learner = new ProfileLearner();
    learner.add({ ...window, links: [{ ...link!, values, gaps: new Uint8Array(100) }] });
    for (const band of learner.profiles()[link!.id]!) expect(band).toBeCloseTo(0.5, 4);
  });

  it('excludes gaps, and links that are mostly gaps', () => {
    const { window } = simulatedWindow(1, { links: 2, persons: 0 });
    const learner = new ProfileLearner();
    const [a, b] = window.links;
    const half = Uint8Array.from({ length: 100 }, (_, t) => Number(t >= 60));
    const loud = a!.values.map((value, i) => (i >= 60 * 26 ? 1000 : value));
    learner.add({
      ...window,
      links: [
        { ...a!, values: loud, gaps: half },
        { ...b!, gaps: new Uint8Array(100).fill(1) },
      ],
    });
    const profiles = learner.profiles();
    expect(Object.keys(profiles)).toEqual([a!.id]);
    expect(Math.max(...profiles[a!.id]!)).toBeLessThan(5);
  });

  it('of two windows is that of both together', () => {
    const { window } = simulatedWindow(2, { links: 1, persons: 0 });
    const once = new ProfileLearner();
    once.add(window);
    const twice = new ProfileLearner();
    twice.add(window);
    twice.add(window);
    expect(twice.profiles()).toEqual(once.profiles());
  });
});
