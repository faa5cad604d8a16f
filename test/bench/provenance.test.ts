import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commitOf, digestOf, provenanceText } from '../../bench/shared/provenance.js';
import type { CheckedTopology } from '../../pipeline/config/index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-provenance-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const git = (...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.org', ...words], {
    cwd: folder,
    encoding: 'utf8',
  });

test('the commit of a checkout says whether its code has changes, but not whether its reports do', () => {
  git('init', '-q');
  mkdirSync(join(folder, 'docs'));
  for (const file of ['docs/report.md', 'code.ts']) writeFileSync(join(folder, file), 'first');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  const commit = git('rev-parse', '--short=8', 'HEAD').trim();
  writeFileSync(join(folder, 'docs/report.md'), 'second');
  expect(commitOf(folder)).toBe(commit);
  writeFileSync(join(folder, 'more.ts'), 'second');
  expect(commitOf(folder)).toBe(`${commit}-dirty`);
});

test('a folder within a checkout, such as an installed package, has no commit', () => {
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  const inside = join(folder, 'node_modules');
  mkdirSync(inside);
  expect(commitOf(inside)).toBeUndefined();
});

test('the digest of a topology changes with it, and with the weights that it names', () => {
  const topology = (hash: string, weights?: string) =>
    ({ hash, folder, nodes: [{ config: { weights } }] }) as unknown as CheckedTopology;
  writeFileSync(join(folder, 'falls.json'), 'first');
  const digest = digestOf(topology('1', 'falls.json'));
  expect(digest).toMatch(/^[0-9a-f]{8}$/);
  expect(digestOf(topology('1', 'falls.json'))).toBe(digest);
  expect(digestOf(topology('2', 'falls.json'))).not.toBe(digest);
  expect(digestOf(topology('1'))).not.toBe(digest);
  writeFileSync(join(folder, 'falls.json'), 'second');
  expect(digestOf(topology('1', 'falls.json'))).not.toBe(digest);
});

test('tables name what is known of their origin', () => {
  expect(provenanceText({ version: '0.5.0' })).toBe('csiflow 0.5.0');
  expect(provenanceText({ version: '0.5.0', commit: '1a2b3c4d', digest: '5e6f7a8b' })).toBe(
    'csiflow 0.5.0, commit 1a2b3c4d, topology 5e6f7a8b',
  );
});
