import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fallsOf, setUp } from '../../bench/falls/scenes.js';
import { scriptOf } from '../../bench/falls/scripts.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { loadMotion } from '../../pipeline/sources/simulator/recorded/library.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';

const MOTION = packageFile('../shared/motion');
/** A rag-doll's fall is 4.5 s of recorded motion; simulated ones end earlier, apart from a slide along a wall. */
const RECORDED_S = 4.3;

test.each(['recorded', 'lasting-recorded'] as const)(
  'falls of the scenes %s leave their kind open, and follow a person who is upright',
  (kind) => {
    const script = scriptOf(kind, new Random(1, 2), 1);
    const falls = script.flatMap(({ activity, fall }, at) => (activity === 'fall' ? [{ at, fall }] : []));
    expect(falls.length).toBeGreaterThan(2);
    for (const { at, fall } of falls) {
      expect(fall).toBeUndefined();
      expect(['walk', 'stand', 'exercise', 'get_up']).toContain(script[at - 1]!.activity);
      expect(script[at + 1]!.activity).toBe('lie');
    }
  },
);

test.skipIf(!existsSync(MOTION))('most falls of rooms with recorded motion are those of rag-dolls', () => {
  const library = loadMotion(MOTION, 'training');
  const recordedFalls = (played?: typeof library) => {
    const { stage, rateHz } = setUp({ kind: 'recorded', seed: 640_000 }, played);
    const falls = fallsOf(stage, stage.enter(0), rateHz);
    return { falls: falls.length, recorded: falls.filter(({ from, to }) => to - from > RECORDED_S).length };
  };
  const { falls, recorded } = recordedFalls(library);
  expect(recorded).toBeGreaterThan(falls / 2);
  expect(recordedFalls().recorded).toBeLessThan(recorded);
});
