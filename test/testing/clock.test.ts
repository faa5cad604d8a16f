import { expect, test } from 'vitest';
import { TestClock } from '../../pipeline/testing/clock.js';

test('timers fire in order, each at its time, and none twice', () => {
  const clock = new TestClock(1e6);
  const called: string[] = [];
  const note = (name: string) => () => called.push(`${name}@${clock.elapsed()}`);
  clock.timer(30, note('late'));
  clock.timer(10, () => {
    note('early')();
    clock.timer(5, note('behind'));
  });
  const cancel = clock.timer(20, note('never'));
  cancel();
  clock.advance(50);
  clock.advance(100);
  expect(called).toEqual(['early@10', 'behind@15', 'late@30']);
  expect(clock.elapsed()).toBe(100);
  expect(clock.now()).toBe(1e6 + 100_000);
  expect(clock.next).toBeUndefined();
});

test('it never goes back, and timers keep their distance when it restarts', () => {
  const clock = new TestClock(0);
  clock.advance(40);
  clock.advance(20);
  expect(clock.elapsed()).toBe(40);
  clock.timer(10, () => undefined);
  clock.beginAt(5e6);
  expect([clock.elapsed(), clock.now(), clock.next]).toEqual([0, 5e6, 10]);
});
