import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('ARCHITECTURE.md lists the layers that the lint rule enforces, in its order', () => {
  const rule = /const layers = \[([^]*?)\];/.exec(readFileSync('dependency-cruiser.config.cjs', 'utf8'))![1]!;
  const enforced = [...rule.matchAll(/'([^']+)'/g)].map((match) => match[1]);
  const map = /\n\| layer \| holds \|\n([^]*?)\n\n/.exec(readFileSync('ARCHITECTURE.md', 'utf8'))![1]!;
  const shown = [...map.matchAll(/^\| `([^`]+)` \| \S/gm)].map((match) => match[1]);
  expect(enforced.length).toBeGreaterThan(20);
  expect(shown).toEqual(enforced);
});
