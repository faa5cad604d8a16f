import { readFileSync } from 'node:fs';
import { Linter } from 'eslint';
import { expect, test } from 'vitest';
import { SLEEPING, SLEEPS } from '../../sleeps.config.mjs';

/** How often JavaScript sleeps. */
const sleepsIn = (text: string): number =>
  new Linter().verify(text, { rules: { 'no-restricted-syntax': ['error', ...SLEEPING] } }).length;

test.each([
  ["import { setTimeout as pause } from 'node:timers/promises';", 1],
  ["import { setImmediate } from 'node:timers/promises';", 0],
  ['await new Promise((resolve) => setTimeout(resolve, 50));', 1],
  ['await new Promise((resolve) => { socket.once("close", resolve); });', 0],
  ['const timer = setTimeout(stop, 1000);', 0],
])('%s sleeps %i times', (text, times) => {
  expect(sleepsIn(text)).toBe(times);
});

test.each(Object.keys(SLEEPS))('%s still sleeps', (path) => {
  expect(readFileSync(path, 'utf8')).toMatch(
    /import \{ setTimeout .*timers\/promises|new Promise[^;]*setTimeout\(/,
  );
});
