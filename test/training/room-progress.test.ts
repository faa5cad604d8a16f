import { expect, test } from 'vitest';
import { RoomProgress } from '../../bench/memory/room-progress.js';

/** Progress over 12 rooms on a clock that only rooms move. */
function begin(cache?: string) {
  const lines: string[] = [];
  let time = 0;
  const rooms = [{ count: 8 }, { count: 4 }];
  const progress = new RoomProgress(rooms, { cache, print: (line) => lines.push(line), now: () => time });
  const simulate = (seconds: number) =>
    progress.room(null, () => {
      time += 1000 * seconds;
      return 'simulated';
    });
  return { lines, progress, simulate };
}

test('rooms done of all rooms are reported with the time left, the first one at once', () => {
  const { lines, simulate } = begin('rooms');
  for (let room = 0; room < 12; room++) expect(simulate(60)).toBe('simulated');
  expect(lines.slice(0, 3)).toEqual([
    'simulating 12 rooms; each is kept in rooms',
    '1 of 12 rooms simulated, about 11 min left',
    '2 of 12 rooms simulated, about 10 min left',
  ]);
  expect(lines.at(-1)).toBe('12 of 12 rooms simulated');
});

test('fast rooms are reported every half a minute', () => {
  const { lines, simulate } = begin('rooms');
  for (let room = 0; room < 12; room++) simulate(10);
  expect(lines.slice(1)).toEqual([
    '1 of 12 rooms simulated, about 2 min left',
    '4 of 12 rooms simulated, about 1 min left',
    '7 of 12 rooms simulated, about 1 min left',
    '10 of 12 rooms simulated, about 1 min left',
    '12 of 12 rooms simulated',
  ]);
});

test('rooms of the cache take no time, and do not count for the time left', () => {
  const { lines, progress, simulate } = begin('rooms');
  for (let room = 0; room < 7; room++) expect(progress.room('kept', () => 'simulated')).toBe('kept');
  simulate(120);
  expect(lines.slice(1)).toEqual(['8 of 12 rooms simulated, 7 from the cache, about 8 min left']);
});

test('without a cache, the first line says how to keep the rooms', () => {
  expect(begin().lines[0]).toBe(
    'simulating 12 rooms, which are lost if the training is interrupted: --cache FOLDER keeps them',
  );
});
