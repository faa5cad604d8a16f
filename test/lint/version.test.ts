import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageVersion } from '../../pipeline/base/paths.js';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const VERSION = packageVersion();

/** `## [0.1.0] - 2026-11-21`, newest first. */
const RELEASES = [...read('CHANGELOG.md').matchAll(/^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$/gm)];

test('the newest version of the changelog is the one of the package and its lock file', () => {
  const lock = JSON.parse(read('package-lock.json')) as {
    version: string;
    packages: Record<string, { version?: string }>;
  };
  expect([RELEASES[0]![1], lock.version, lock.packages['']!.version]).toEqual([VERSION, VERSION, VERSION]);
});

test('the changelog lists versions and sections in order, and Unreleased first', () => {
  const headings = [...read('CHANGELOG.md').matchAll(/^###? .*$/gm)].map(([heading]) => heading);
  expect(headings[0]).toBe('## [Unreleased]');
  expect(headings.filter((heading) => heading.startsWith('## ')).length).toBe(RELEASES.length + 1);
  const sections = ['Breaking changes', 'Added', 'Changed', 'Removed', 'Fixed', 'Security'].map(
    (name) => `### ${name}`,
  );
  const order = headings.map((heading) => (heading.startsWith('## ') ? 0 : sections.indexOf(heading) + 1));
  for (const [index, rank] of order.entries()) {
    if (!headings[index]!.startsWith('## ')) expect(rank, headings[index]).toBeGreaterThan(order[index - 1]!);
  }
  const dates = RELEASES.map(([, , date]) => date!);
  expect(dates).toEqual([...dates].sort().reverse());
});

test('no release of the changelog has an entry twice, not even with another ending', () => {
  for (const release of read('CHANGELOG.md').split(/^## /m)) {
    const beginnings = [...release.matchAll(/^- .{0,60}/gm)].map(([beginning]) => beginning);
    expect(beginnings.filter((one, index) => beginnings.indexOf(one) < index)).toEqual([]);
  }
});

test('guides and the container image name this version', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const named = [...pages.map((name) => `docs/${name}`), 'README.md', 'compose.yaml'].flatMap((path) =>
    [...read(path).matchAll(/csiflow[-:](\d+\.\d+\.\d+)/g)].map(([, version]) => `${path}: ${version}`),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !name.endsWith(`: ${VERSION}`))).toEqual([]);
});
