import { expect, it } from 'vitest';
import { warnedOf } from '../../bench/accuracy/chain/tables/warnings.js';
import { Truth } from '../../bench/accuracy/chain/truth.js';

// A fall from 25 to 26 s in a scene of 70 s.
const moments = Array.from({ length: 700 }, (_, tenth) => {
  const activity = tenth < 250 ? 'walk' : tenth < 260 ? 'fall' : 'lie';
  const root = [1, 2];
  return JSON.stringify({ time: tenth * 1e5, environment: 'flat', person: 0, present: true, activity, root });
});

const event = (type: string, seconds: number, givenAfter: number, suspected?: string) => ({
  ...{ id: `${type} ${seconds}`, type, source: 'csiflow', time: seconds * 1e6 },
  givenAt: (seconds + givenAfter) * 1e6,
  metadata: suspected === undefined ? {} : { suspected },
});
const warning = (seconds: number) => event('fall_suspected', seconds, 1.5);

const sceneWith = (...events: readonly object[]) =>
  warnedOf(
    { start: 0, end: 70e6, poses: [], events, measures: [], truth: new Truth(moments.join('\n')) } as never,
    { environment: { id: 'flat' } } as never,
  );

it('measures a warning from the impact until a sink receives it', () => {
  const { after, quiet } = sceneWith(warning(8), warning(26.2));
  expect(after).toBeCloseTo(1.7);
  expect(quiet).toEqual({ seconds: 23, warnings: 1 });
});

it('takes neither an alarm nor a warning of something later for a warning of the fall', () => {
  expect(sceneWith(event('fall_detection', 26, 11)).after).toBeNaN();
  expect(sceneWith(warning(40)).after).toBeNaN();
  expect(sceneWith({ ...warning(26), source: 'sensor' }).after).toBeNaN();
});

it('follows each warning to the event that names it, unless the scene ends before it must be settled', () => {
  const { settled } = sceneWith(
    ...[warning(5), warning(15), warning(26), warning(50)],
    event('fall_withdrawn', 16, 2, 'fall_suspected 5'),
    event('fall_detection', 26, 11, 'fall_suspected 26'),
    event('fall_withdrawn', 60, 2, 'fall_suspected 50'),
  );
  expect(settled).toEqual([11.5, Infinity, 9.5]);
});
