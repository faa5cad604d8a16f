import { expect, test } from 'vitest';
import { judgeWarnings } from '../../bench/falls/judge-warnings.js';

test('most simulated falls are suspected within two seconds, and every suspicion is settled', () => {
  const rooms = [0, 1, 2, 3].map((room) => judgeWarnings({ kind: 'lasting', seed: 792_000 + room }));
  const falls = rooms.flatMap(({ falls: own }) => own);
  expect(falls).toHaveLength(12);
  const warned = falls.filter(({ warnedAfter }) => warnedAfter !== null && warnedAfter <= 2);
  expect(warned.length / falls.length).toBeGreaterThanOrEqual(0.6);
  const life = [0, 1].map((room) => judgeWarnings({ kind: 'day', seed: 793_000 + room }));
  const hours = life.reduce((sum, { seconds }) => sum + seconds, 0) / 3600;
  expect(life.reduce((sum, { falseWarnings }) => sum + falseWarnings, 0) / hours).toBeLessThan(45);
  for (const { settledAfter, withdrawn } of [...rooms, ...life]) {
    expect(settledAfter.length).toBeGreaterThanOrEqual(withdrawn);
    for (const seconds of settledAfter) expect(seconds).toBeLessThanOrEqual(30.5);
  }
}, 240_000);
