import { expect, test } from 'vitest';
import { aborted } from '../../pipeline/base/waiting.js';
import { untilStopped } from '../../api/cli/until-stopped.js';

test('an error after the stop, such as of a full disk, is not taken for the stop', async () => {
  const stop = untilStopped(0);
  await aborted(stop.signal);
  stop.release();
  expect(stop.caused(stop.signal.reason)).toBe(true);
  expect(stop.caused(new Error('no space left on device'))).toBe(false);
});

test('no error is taken for a stop that has not come', () => {
  const stop = untilStopped();
  stop.release();
  expect(stop.caused(undefined)).toBe(false);
});
