import { expect, test } from 'vitest';
import { PendingRecords } from '../../sinks/shared/tables.js';
import { poseFrame, START } from '../support/records.js';

test('a rejected pose frame leaves the earliest time as it was', () => {
  const pending = new PendingRecords();
  pending.add(poseFrame(0), 1);
  expect(() => {
    pending.add({ ...poseFrame(1), time: NaN }, 1);
  }).toThrow(RangeError);
  expect(pending.earliestPose).toBe(START);
});
