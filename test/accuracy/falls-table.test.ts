import { expect, it } from 'vitest';
import { judged } from '../../bench/accuracy/chain/tables/falls.js';
import { Truth } from '../../bench/accuracy/chain/truth.js';

const FALL_S = 25;
const moments = Array.from({ length: 600 }, (_, tenth) => {
  const activity = tenth < 250 ? 'walk' : tenth < 260 ? 'fall' : 'lie';
  const root = [1, 2];
  return JSON.stringify({ time: tenth * 1e5, environment: 'flat', person: 0, present: true, activity, root });
});
const alarm = (seconds: number, givenAfter = 11, source = 'csiflow') => ({
  ...{ type: 'fall_detection', source, time: seconds * 1e6, givenAt: (seconds + givenAfter) * 1e6 },
});
const sceneWith = (...events: readonly object[]) =>
  judged(
    { start: 0, end: 60e6, poses: [], events, measures: [], truth: new Truth(moments.join('\n')) } as never,
    { environment: { id: 'flat' } } as never,
  );

it('counts alarms before a fall as false, and the time before it as time without a fall', () => {
  const { found, before } = sceneWith(alarm(8), alarm(20), alarm(FALL_S + 1));
  expect(found).toBe(true);
  expect(before).toEqual({ seconds: FALL_S - 2, alarms: 2 });
});

it('attributes alarms around the fall to it, and ignores claims of others', () => {
  expect(sceneWith(alarm(FALL_S - 1))).toMatchObject({ found: true, before: { alarms: 0 } });
  expect(sceneWith(alarm(FALL_S + 1, 40))).toMatchObject({ found: false, before: { alarms: 0 } });
  expect(sceneWith(alarm(8, 11, 'sensor'))).toMatchObject({ found: false, before: { alarms: 0 } });
});
