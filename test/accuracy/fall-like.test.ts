import { expect, it } from 'vitest';
import { judgedMovements } from '../../bench/accuracy/chain/tables/fall-like.js';
import { Truth } from '../../bench/accuracy/chain/truth.js';

const alarm = (seconds: number) => ({ time: seconds * 1e6 });
const begun = [10e6, 30e6, 50e6];

it('assigns an alarm to the movement before it, several to one movement once', () => {
  const { alarmed, alarms } = judgedMovements(begun, [alarm(33), alarm(40)], 60e6);
  expect(alarmed).toEqual([false, true, false]);
  expect(alarms).toBe(2);
});

it('assigns an alarm just before a movement to that movement', () => {
  expect(judgedMovements(begun, [alarm(29)], 60e6).alarmed).toEqual([false, true, false]);
});

it('leaves out movements whose alarm could not have come yet', () => {
  expect(judgedMovements(begun, [alarm(52)], 45e6).alarmed).toEqual([false, false]);
});

it('assigns an alarm before the first movement to none, but counts it', () => {
  const { alarmed, alarms } = judgedMovements(begun, [alarm(3)], 60e6);
  expect(alarmed).toEqual([false, false, false]);
  expect(alarms).toBe(1);
});

it('reads when objects fall: bounces and being put back are no falls', () => {
  // At 20 lines a second: falls at 1 s, bounces at 2 s, is put back at 16 s, falls again at 30 s.
  const heights: [number, number, boolean][] = [
    ...[0, 0.95].map((time): [number, number, boolean] => [time, 1, false]),
    [1, 0.99, true],
    [1.5, 0.1, false],
    [1.95, 0.2, false],
    [2, 0.15, true],
    [2.1, 0.1, false],
    [16, 0.1, false],
    [16.05, 0.12, true],
    [19, 1, false],
    [30, 0.99, true],
  ];
  const lines = heights.map(([time, height, moving]) =>
    JSON.stringify({
      time: time * 1e6,
      environment: 'flat',
      thing: 'falling_object',
      number: 0,
      moving,
      place: [1, 2, height],
    }),
  );
  expect(new Truth(lines.join('\n')).drops).toEqual([1e6, 30e6]);
});
