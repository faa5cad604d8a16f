import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SequenceTracker } from '../../pipeline/formats/decoder/sequence.js';

function track(sequences: readonly number[], bits = 32) {
  const tracker = new SequenceTracker(bits);
  for (const sequence of sequences) tracker.see(sequence);
  const { received, lost, duplicates, reordered, restarts } = tracker;
  return { received, lost, duplicates, reordered, restarts };
}
const none = { lost: 0, duplicates: 0, reordered: 0, restarts: 0 };

describe('sequence numbers', () => {
  it.each([
    ['in order', [5, 6, 7], none],
    ['with a gap', [5, 6, 10], { ...none, lost: 3 }],
    ['over the wrap', [0xfffffffe, 0xffffffff, 1], { ...none, lost: 1 }],
    ['twice the same', [5, 6, 6, 7], { ...none, duplicates: 1 }],
    ['out of order', [5, 7, 6, 8], { ...none, reordered: 1 }],
    ['from before the first', [5, 4, 6], { ...none, reordered: 1 }],
    ['of a restarted node', [90_000, 90_001, 0, 1, 2], { ...none, restarts: 1 }],
    ['with one damaged number', [5, 6, 70_000_000, 7, 8], none],
    ['after a long silence', [5, 6, 10_006, 10_007], { ...none, lost: 9999 }],
  ])('%s', (_, sequences, expected) => {
    expect(track(sequences)).toEqual({ received: sequences.length, ...expected });
  });

  it('wrap at 16 bits in formats with 16-bit numbers', () => {
    expect(track([0xfffe, 0xffff, 0, 2], 16)).toEqual({ ...none, received: 4, lost: 1 });
  });

  it('give the exact loss, despite local reordering', () => {
    const sent = fc.record({
      start: fc.integer({ min: 0, max: 0xffffffff }),
      kept: fc.array(fc.boolean(), { minLength: 2, maxLength: 300 }),
      swaps: fc.array(fc.nat(300), { maxLength: 30 }),
    });
    fc.assert(
      fc.property(sent, ({ start, kept, swaps }) => {
        const flags = [true, ...kept, true];
        const arrived = flags.flatMap((keep, i) => (keep ? [(start + i) % 2 ** 32] : []));
        // Neither the first nor the last: gaps beyond them cannot be detected.
        for (const swap of swaps) {
          const at = 1 + (swap % Math.max(arrived.length - 3, 1));
          if (at + 1 < arrived.length - 1) [arrived[at], arrived[at + 1]] = [arrived[at + 1]!, arrived[at]!];
        }
        expect(track(arrived)).toMatchObject({
          lost: flags.filter((keep) => !keep).length,
          restarts: 0,
          duplicates: 0,
        });
      }),
    );
  });
});
