import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rules = readFileSync('dependency-cruiser.config.cjs', 'utf8');
const page = readFileSync('ARCHITECTURE.md', 'utf8');

const quoted = (list: string): readonly string[] =>
  [...list.matchAll(/'([^']+)'/g)].map((match) => match[1]!);

/** The first column of the table under `head`. */
function shown(head: string): readonly string[] {
  const after = page.slice(page.indexOf(`\n| ${head} | holds |\n`));
  return [...after.slice(0, after.indexOf('\n\n')).matchAll(/^\| `([^`]+)` \| \S/gm)].map(
    (match) => match[1]!,
  );
}

test('ARCHITECTURE.md lists the layers that the lint rule enforces, in its order', () => {
  const enforced = quoted(/const layers = \[([^]*?)\];/.exec(rules)![1]!);
  expect(enforced.length).toBeGreaterThan(20);
  expect(shown('layer')).toEqual(enforced);
});

test('it lists the folders of the large layers, in the order that the lint rule enforces', () => {
  const folders = /const folders = \{([^]*?)\n\};/.exec(rules)![1]!;
  const layers = [...folders.matchAll(/'([^']+)': \[([^]*?)\]/g)];
  expect(layers.length).toBeGreaterThan(2);
  for (const [, layer, names] of layers) {
    expect(shown(`in \`${layer}\``).filter((name) => name !== `in \`${layer}\``)).toEqual(quoted(names!));
  }
});

test('it names the folders whose files are shared, as the lint rule does', () => {
  const enforced = quoted(/const shared = \[([^]*?)\];/.exec(rules)![1]!);
  expect(enforced.length).toBeGreaterThan(5);
  const sentence = /^- .*files that their folders share: (.*)\.$/m.exec(page)![1]!;
  expect([...sentence.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)).toEqual(enforced);
});
