import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('no script of package.json needs another before or after it: ignore-scripts omits those', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const names = Object.keys(scripts);
  expect(
    names.filter((name) => names.some((other) => name === `pre${other}` || name === `post${other}`)),
  ).toEqual([]);
  for (const name of ['start', 'csiflow']) expect(scripts[name]).toMatch(/^npm run --silent compile && /);
});
