import { expect, test } from 'vitest';
import type { SettledTime } from '../../pipeline/base/settled-clock.js';
import { SettledNow } from '../../pipeline/runtime/privacy/settled-time.js';
import type { SettledTimes } from '../../pipeline/state/index.js';
import type { Log } from '../../pipeline/telemetry/log.js';

const BEGIN = 1_700_000_000_000_000;
const HOUR_MS = 3_600_000;
const DAY_US = 86_400_000_000;

/** A topology's settled time, on a clock that the test controls. */
function settled(put: (time: SettledTime) => Promise<void> = () => Promise.resolve()) {
  let [elapsed, off] = [0, 0];
  const stored: SettledTime[] = [];
  const said: string[] = [];
  const say = (level: string) => (message: string) => said.push(`${level}: ${message}`);
  const times = {
    get: () => undefined,
    put: (time: SettledTime) => {
      stored.push(time);
      return put(time);
    },
  };
  const now = new SettledNow(
    { now: () => BEGIN + elapsed * 1000 + off, elapsed: () => elapsed },
    times as unknown as SettledTimes,
    { info: say('info'), warn: say('warn'), error: say('error') } as unknown as Log,
  );
  const pass = (ms: number) => {
    elapsed += ms;
    return now.now();
  };
  const set = (by: number) => {
    off = by;
  };
  return { pass, set, stored, said };
}

test('is stored once a minute', () => {
  const { pass, stored, said } = settled();
  expect(pass(0)).toBe(BEGIN);
  for (let second = 1; second <= 120; second++) pass(1000);
  expect(stored.map(({ time }) => (time - BEGIN) / 1e6)).toEqual([0, 60, 120]);
  expect(said).toEqual([]);
});

test.each([
  ['ahead of', 30],
  ['behind', -30],
])('a clock that is set reports once how far it is %s, and once that it is followed', (word, days) => {
  const { pass, set, said } = settled();
  pass(0);
  set(days * DAY_US);
  for (let hour = 0; hour < 12; hour++) pass(HOUR_MS);
  expect(said).toEqual([expect.stringContaining(`warn: the system's clock is 30.0 days ${word}`)]);
  for (let hour = 0; hour < 24; hour++) pass(HOUR_MS);
  expect(said.slice(1)).toEqual(["info: retention follows the system's clock again"]);
});

test('a disk that cannot store it is reported, and stops nothing', async () => {
  const { pass, said } = settled(() => Promise.reject(new Error('the disk is full')));
  expect(pass(0)).toBe(BEGIN);
  await Promise.resolve();
  await Promise.resolve();
  expect(said).toEqual(['error: the time that retention counts from was not stored']);
});
