import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  confirm,
  confirmationInputs,
  confirmedCounts,
  type Confirmation,
  type ConfirmationLaw,
} from '../../operators/infer-pose/memory/confirmation.js';
import { modelFolder, readManifest } from '../../operators/infer-pose/model/weights.js';

type Seen = Parameters<typeof confirm>[2];

const estimate = {
  root: [2, 2],
  heading: [1, 0],
  joints: new Float32Array(51),
  jointScales: new Float32Array(17),
};
const seen = (somebody: number, alone: { scale: number; moving: number; postures: number[] }): Seen =>
  ({ counts: [1 - somebody, somebody, 0, 0, 0], alone: { ...estimate, ...alone } }) as unknown as Seen;
const WALKER = seen(0.9999, { scale: 0.3, moving: 0.99, postures: [1, 0, 0] });
const RESTING = seen(0.97, { scale: 0.6, moving: 0.02, postures: [0, 0.3, 0.7] });
const FAINT = seen(0.6, { scale: 0.7, moving: 0.02, postures: [0.3, 0.6, 0.1] });
const STIRRING = seen(0.6, { scale: 0.7, moving: 0.4, postures: [0.3, 0.6, 0.1] });
const NOBODY = seen(0.02, { scale: 0.9, moving: 0.1, postures: [0.4, 0.3, 0.3] });

/** Moving is evidence for a person, resting against. */
const LAW: ConfirmationLaw = [0, 0, 0, 0, 0, 2, -1];
const SECOND = 1e6;

/** The standing of a room that was empty, after windows at a spacing in seconds. */
function after(windows: readonly Seen[], spacing = 0.4): Confirmation {
  const empty: Confirmation = { time: 10 * SECOND, seen: 0, evidence: 0, confirmed: false };
  return windows.reduce(
    (standing, window) => confirm(LAW, standing, window, standing.time + spacing * SECOND),
    empty,
  );
}
const times = (count: number, window: Seen): Seen[] => Array.from({ length: count }, () => window);

describe('confirmation', () => {
  it('accepts a walker after a few windows, not at once', () => {
    expect(after(times(2, WALKER)).confirmed).toBe(false);
    expect(after(times(4, WALKER)).confirmed).toBe(true);
  });

  it('takes as long however densely windows follow each other', () => {
    expect(after(times(4, WALKER), 0.2).confirmed).toBe(false);
    expect(after(times(8, WALKER), 0.2).confirmed).toBe(true);
  });

  it('never accepts a still person who appears in an empty room', () => {
    expect(after(times(500, RESTING)).confirmed).toBe(false);
  });

  it('holds while a person keeps still, and for a moment in which the network sees nobody', () => {
    const still = [...times(4, WALKER), ...times(500, RESTING), ...times(4, NOBODY), RESTING];
    expect(after(still).confirmed).toBe(true);
  });

  it('keeps a person who keeps still, for as long as they are more likely there than not', () => {
    const still = [...times(4, WALKER), RESTING, ...times(500, FAINT)];
    expect(after(still)).toMatchObject({ confirmed: true, kept: true });
    expect(after([...still, RESTING])).toMatchObject({ confirmed: true });
    expect(after([...still, RESTING]).kept).toBeFalsy();
  });

  it.each<[string, readonly Seen[]]>([
    ['a newcomer', [...times(2, WALKER), FAINT]],
    ['something that moves', [...times(4, WALKER), STIRRING]],
    ['a person that was not seen a window before', [...times(4, WALKER), NOBODY, FAINT]],
  ])('does not keep %s', (_, windows) => {
    expect(after(windows).kept).toBeFalsy();
  });

  it('ends once the room has been empty for twenty seconds', () => {
    const seconds = (empty: number) => [...times(4, WALKER), ...times(empty / 0.4, NOBODY), RESTING];
    expect(after(seconds(18)).confirmed).toBe(true);
    expect(after(seconds(22)).confirmed).toBe(false);
  });

  it('ends after two seconds for a person who was only believed', () => {
    const believed = confirm(LAW, undefined, RESTING, 0);
    const gone = times(6, NOBODY).reduce(
      (standing, window) => confirm(LAW, standing, window, standing.time + 0.4 * SECOND),
      believed,
    );
    expect([believed.confirmed, gone.confirmed]).toEqual([true, false]);
  });

  it('accepts people present when a room is first seen, after a long break, and after a jump of the clock', () => {
    expect(confirm(LAW, undefined, RESTING, 0)).toMatchObject({ time: 0, confirmed: true });
    const unconfirmed = after(times(2, RESTING));
    for (const time of [unconfirmed.time + 11 * SECOND, unconfirmed.time - 11 * SECOND])
      expect(confirm(LAW, unconfirmed, RESTING, time)).toMatchObject({ time, confirmed: true });
  });

  it('is not changed by a late window', () => {
    const standing = after(times(2, WALKER));
    expect(confirm(LAW, standing, RESTING, standing.time - SECOND)).toBe(standing);
  });

  it('keeps the probabilities of confirmed people, and otherwise raises that of nobody', () => {
    const { counts } = WALKER;
    expect(confirmedCounts(counts, after(times(4, WALKER)))).toBe(counts);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), (windows) => {
        const standing = after(times(windows, RESTING));
        const left = confirmedCounts(counts, standing);
        expect(left.reduce((sum, count) => sum + count)).toBeCloseTo(1);
        expect(1 - left[0]!).toBeLessThanOrEqual(0.5 * (1 - counts[0]!));
      }),
    );
  });

  it('has a law of the shipped model for its inputs, which favours walkers', () => {
    const law = readManifest(modelFolder('general', '')).memory!.confirmation!;
    expect(law).toHaveLength(confirmationInputs(WALKER).length + 1);
    const empty: Confirmation = { time: 0, seen: -SECOND, evidence: 0, confirmed: false };
    const standing = times(5, WALKER).reduce(
      (now, window) => confirm(law, now, window, now.time + 0.4 * SECOND),
      empty,
    );
    expect(standing.confirmed).toBe(true);
  });
});
