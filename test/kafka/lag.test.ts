import { expect, test } from 'vitest';
import { LagLimit } from '../../pipeline/kafka/index.js';

test('a backlog beyond the limit is reported once, with its size and place, and its end at half of it', () => {
  const reported: (string | null)[] = [];
  const limit = new LagLimit(100, (problem) => reported.push(problem));
  for (const lag of [0, 100, 101, 5000, 51, 50, 99]) limit.see(lag, 'csi/3');
  expect(reported).toEqual(['101 messages of csi/3 are unread; max_lag is 100', null]);
});
