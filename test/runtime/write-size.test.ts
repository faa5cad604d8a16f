import { expect, test } from 'vitest';
import { BATCH, WriteSize } from '../../pipeline/runtime/stages/sink/write-size.js';

/** The sizes of writes to a store with these times per response and per record, milliseconds. */
function sizes(size: WriteSize, writes: number, answerMs: number, recordMs: number): readonly number[] {
  return Array.from({ length: writes }, () => {
    const count = size.value;
    size.took(answerMs + recordMs * count, count);
    return count;
  });
}

test.each([0, 300, 3_000])(
  'after an outage a store that answers after %i ms soon gets whole batches again',
  (ms) => {
    const size = new WriteSize();
    for (let failure = 0; failure < 12; failure++) size.reduce(1);
    expect(sizes(size, 11, ms, 0).at(-1)).toBe(BATCH);
  },
);

test('a store that becomes slow keeps whole batches once they prove not to be the cause', () => {
  expect(sizes(new WriteSize(), 22, 2_000, 0).at(-1)).toBe(BATCH);
});

test('a store that is slow for each record gets few at once, so that alerts do not wait', () => {
  const later = sizes(new WriteSize(), 60, 300, 10).slice(20);
  expect(Math.max(...later)).toBeLessThanOrEqual(64);
  expect(Math.min(...later)).toBeGreaterThanOrEqual(16);
});
