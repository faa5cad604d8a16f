import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PoseFrame } from '../../pipeline/model/index.js';
import { testEnvironment } from '../support/context.js';
import { bursts, eventsOf, interpolated, makeDetector, START, windows } from './hand-made.js';

/** Every candidate is an event. */
const ANY = { threshold: -50, warm_up_ms: 0, cooldown_ms: 0 };
/** Selects the event of the burst at this second. */
const isAt = (seconds: number) => (event: { time: number }) =>
  Math.abs((event.time - START) / 1e6 - seconds) < 1;

describe('detect-falls', () => {
  it('reports nothing else about the past, whatever comes later', () => {
    const common = windows(30, bursts(20));
    const other = windows(60, (t) => bursts(20)(t) + (t > 30 ? 0.4 : 0)).slice(30);
    const quiet = windows(60, bursts(20)).slice(30);
    const [first, second] = [makeDetector(ANY), makeDetector(ANY)];
    const said = eventsOf(first, common);
    expect(said.length).toBeGreaterThan(0);
    expect(eventsOf(second, common)).toEqual(said);
    for (const [detector, rest] of [
      [first, quiet],
      [second, other],
    ] as const) {
      for (const event of eventsOf(detector, rest)) expect(event.time).toBeGreaterThan(said.at(-1)!.time);
    }
  });

  it('decides with the input up to 4 s after the peak', () => {
    const detector = makeDetector(ANY);
    const decided = windows(40, bursts(20)).findIndex((one) => eventsOf(detector, [one]).some(isAt(20)));
    expect(decided).toBeGreaterThan(20);
    expect(decided).toBeLessThanOrEqual(24);
  });

  it('scores a fall alike wherever the frames lie between the points of the windows', () => {
    const fast = (t: number) => bursts(20)(t) * Math.sin(40 * t);
    const spread = (links: 1 | 2) => {
      const scores = [0, 0.25, 0.5, 0.75].map((late) => {
        const fall = eventsOf(makeDetector(ANY, links), interpolated(40, fast, late)).find(isAt(20))!;
        return fall.metadata['score'] as number;
      });
      return Math.max(...scores) - Math.min(...scores);
    };
    expect(spread(1)).toBeLessThan(0.5);
    // One of two links, while the other is silent, is judged on one grid.
    expect(spread(2)).toBeGreaterThan(1);
  });

  it('reports one fall if one peak follows another within the cooldown', () => {
    const two = windows(60, bursts(20, 26));
    const times = (cooldown_ms: number) =>
      eventsOf(makeDetector({ threshold: 0, warm_up_ms: 0, cooldown_ms }), two).filter(
        (event) => isAt(20)(event) || isAt(26)(event),
      ).length;
    expect(times(0)).toBe(2);
    expect(times(10_000)).toBe(1);
    expect(times(4000)).toBe(2);
  });

  it('requires a higher score while noise floors are learnt, and reports it', () => {
    const cold = windows(40, bursts(20));
    const score = eventsOf(makeDetector(ANY), cold).find(isAt(20))!.metadata['score'] as number;
    const found = (fields: object, records = cold, at = 20) =>
      eventsOf(makeDetector({ threshold: score - 1, ...fields }), records).find(isAt(at))?.metadata;
    expect(found({})).toBeUndefined();
    expect(found({ threshold: score - 2.1 })).toMatchObject({ noise_floor: 'learning' });
    expect(found({ warm_up_ms: 0 })).toMatchObject({ noise_floor: 'learnt' });
    const warm = found({ threshold: -5 }, windows(100, bursts(80)), 80);
    expect(warm).toMatchObject({ noise_floor: 'learnt', threshold: -5 });
  });

  it('raises the threshold to a quantile of its own room after 200 candidates', () => {
    const seconds = 840;
    const often = windows(seconds, bursts(...Array.from({ length: seconds / 3.5 }, (_, i) => 3.5 * i + 2)));
    const plain = eventsOf(makeDetector(ANY), often);
    const raised = eventsOf(makeDetector({ ...ANY, room_quantile: 0.9 }), often);
    expect(raised.slice(0, 199)).toEqual(plain.slice(0, 199));
    const late = raised.slice(200);
    expect(late.length).toBeLessThan((plain.length - 200) / 2);
    for (const { metadata } of late) expect(metadata['threshold']).toBeGreaterThan(-50);
  });

  it('names the person and the place; nobody if two stood and neither lay down', () => {
    const records = (...persons: { id: number; posture: 'upright' | 'lying' }[]) =>
      windows(40, bursts(20)).flatMap((one) => [
        frame(
          one.start,
          persons.map(({ id, posture }) => ({ id, posture: one.start > START + 20e6 ? posture : 'upright' })),
        ),
        one,
      ]);
    const fall = (...persons: Parameters<typeof records>) =>
      eventsOf(makeDetector(ANY), records(...persons)).find(isAt(20));
    const one = { id: 4, posture: 'upright' } as const;
    const lying = { id: 5, posture: 'lying' } as const;
    expect(fall(one)).toMatchObject({ person: 4, location: { x: 4, y: 1, z: 0 } });
    expect(fall(one, lying)).toMatchObject({ person: 5, location: { x: 5, y: 1, z: 0 } });
    expect(fall(one, { ...one, id: 6 })).toMatchObject({ person: null, location: null });
    expect(fall()).toMatchObject({ person: null, location: null });
  });

  it('rejects windows on too coarse a grid, with the change to make', () => {
    const [one] = windows(1, bursts());
    const output = makeDetector().process({ ...one!, step: 100_000, points: 10 }, 'input');
    expect(output).toMatchObject({
      data: [],
      failed: [{ code: 'falls.grid.coarse', reason: expect.stringContaining('raise `points`') as string }],
    });
  });

  it('learns noise floors again from the state of a version that sampled at one time', () => {
    const fields = { threshold: -50, cooldown_ms: 0 };
    const next = windows(60, bursts(40)).map((one) => ({ ...one, start: one.start + 100e6 }));
    /** The fall after a state of 100 s, of a room with this many links: one of several is sampled at one time. */
    const after = (links: 1 | 2) => {
      const [earlier, later] = [makeDetector(fields, links), makeDetector(fields)];
      eventsOf(earlier, windows(100, bursts(20)));
      later.restore!(structuredClone(earlier.snapshot!()));
      return eventsOf(later, next).find(isAt(140))?.metadata;
    };
    expect(after(2)).toMatchObject({ links: 1, noise_floor: 'learning' });
    expect(after(1)).toMatchObject({ links: 1, noise_floor: 'learnt' });
  });

  it('continues from a snapshot at any point as if it had never stopped', () => {
    const all = windows(50, bursts(20, 32));
    const whole = eventsOf(makeDetector(ANY), all);
    expect(whole.length).toBeGreaterThan(1);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: all.length }), (cut) => {
        const before = makeDetector(ANY);
        const first = eventsOf(before, all.slice(0, cut));
        const after = makeDetector(ANY);
        after.restore!(structuredClone(before.snapshot!()));
        expect([...first, ...eventsOf(after, all.slice(cut))]).toEqual(whole);
      }),
      { numRuns: 20, seed: 1 },
    );
  });
});

function frame(time: number, persons: readonly { id: number; posture: 'upright' | 'lying' }[]): PoseFrame {
  return {
    port: 'pose',
    frameId: 0,
    environment: testEnvironment.id,
    time,
    windowEnd: time,
    processingMs: 1,
    persons: persons.map(({ id, posture }) => ({
      confidence: 1,
      position: { x: id, y: 1, z: 0 },
      positionError: 0.1,
      heading: null,
      headingConfidence: 0,
      posture,
      keypoints: [],
      articulated: false,
      track: { id, state: 'active', age: 10, since: START, velocity: { x: 0, y: 0 } },
    })),
    links: 1,
    signalQuality: 1,
    provenance: { origin: 'live' },
  };
}
