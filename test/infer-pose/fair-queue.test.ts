import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../operators/infer-pose/serving/fair-queue.js';

const queue = (...entries: readonly (readonly [string, number])[]): FairQueue => {
  const made = new FairQueue();
  for (const [name, number] of entries) made.add(name, number);
  return made;
};

describe('a fair queue', () => {
  it('takes from each line in turn, and the oldest first within a line', () => {
    const made = queue(['a', 1], ['a', 2], ['a', 3], ['a', 4], ['b', 5], ['c', 6], ['b', 7]);
    expect(made.take(4)).toEqual([1, 5, 6, 2]);
    expect(made.size).toBe(3);
    expect(made.take(10)).toEqual([7, 3, 4]);
    expect(made.take(1)).toEqual([]);
  });

  it('keeps its turn between calls', () => {
    const made = queue(['a', 1], ['a', 2], ['b', 3], ['b', 4]);
    expect([1, 1, 1, 1].flatMap((count) => made.take(count))).toEqual([1, 3, 2, 4]);
  });

  it('removes a number once, and empty lines', () => {
    const made = queue(['a', 1], ['b', 2], ['b', 3]);
    for (const [name, number] of [
      ['a', 1],
      ['a', 1],
      ['b', 2],
      ['b', 9],
      ['c', 1],
    ] as const)
      made.delete(name, number);
    expect(made.size).toBe(1);
    expect(made.take(2)).toEqual([3]);
  });

  it('is empty after clear', () => {
    const made = queue(['a', 1]);
    made.clear();
    expect([made.size, made.take(1)]).toEqual([0, []]);
  });
});
