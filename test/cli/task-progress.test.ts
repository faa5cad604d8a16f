import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TaskProgress } from '../../api/cli/task-progress.js';

const { isTTY, columns } = process.stderr;
let written = '';

beforeEach(() => {
  written = '';
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  Object.assign(process.stderr, { isTTY, columns });
});

/** What a terminal shows in the end: a line is what follows the last return to its beginning. */
const lines = (): readonly string[] => written.split('\n').map((line) => line.split('\r\x1b[K').at(-1)!);

test('on a terminal, one line names the task, its newest step and the time', () => {
  Object.assign(process.stderr, { isTTY: true, columns: 100 });
  const progress = new TaskProgress(8);
  progress.begin('falls');
  progress.step('stream 1 of 8: 106 recordings played');
  vi.advanceTimersByTime(61_000);
  expect(lines()).toEqual(['falls, task 1 of 8, 61 s: stream 1 of 8: 106 recordings played']);
  progress.write('falls: measured in 61 s');
  progress.begin('count');
  vi.advanceTimersByTime(2_000);
  expect(lines()).toEqual(['falls: measured in 61 s', 'count, task 2 of 8, 2 s']);
  progress.end();
  vi.advanceTimersByTime(5_000);
  expect(lines()).toEqual(['falls: measured in 61 s', '']);
});

test('a line that is wider than the terminal is cut', () => {
  Object.assign(process.stderr, { isTTY: true, columns: 30 });
  const progress = new TaskProgress(8);
  progress.begin('activity-intel');
  progress.step('64 of 840 clips played');
  vi.advanceTimersByTime(1_000);
  expect(lines()).toEqual(['activity-intel, task 1 of 8,…']);
  expect(lines()[0]!.length).toBeLessThanOrEqual(30);
  progress.end();
});

test('elsewhere, each step writes a line, and so does a minute without any', () => {
  Object.assign(process.stderr, { isTTY: false });
  const progress = new TaskProgress(2);
  progress.begin('falls');
  progress.step('stream 1 of 8: 106 recordings played');
  vi.advanceTimersByTime(50_000);
  progress.now('stream 2 of 8: 40 %');
  vi.advanceTimersByTime(20_000);
  progress.write('stream 2 of 8: played');
  vi.advanceTimersByTime(59_000);
  progress.end();
  vi.advanceTimersByTime(60_000);
  expect(written.split('\n')).toEqual([
    'falls, task 1 of 2: begun',
    'stream 1 of 8: 106 recordings played',
    'falls, task 1 of 2, 60 s: stream 2 of 8: 40 %',
    'stream 2 of 8: played',
    '',
  ]);
});
