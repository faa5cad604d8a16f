import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

// `.ci/run lint` checks the titles of commits with this script.
const script = resolve('.ci/titles.mjs');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-titles-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const git = (words: readonly string[], date = '2026-02-01T00:00:00Z'): string =>
  execFileSync('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.org', ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, GIT_COMMITTER_DATE: date },
  });

const SINCE = '2026-01-01T00:00:00Z';

/** The first commit is from before SINCE. */
function commits(...titles: string[]): void {
  git(['init', '-q']);
  titles.forEach((title, index) => {
    git(['commit', '-q', '--allow-empty', '-m', title], index === 0 ? '2025-12-01T00:00:00Z' : undefined);
  });
}

function check(cwd = folder): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, SINCE], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
  });
  return { status, text: stdout + stderr };
}

test('titles with an area and at most 72 characters pass; earlier ones are not read', () => {
  commits('The first', 'duckdb: keep rows of a failed commit', `x: ${'y'.repeat(69)}`);
  expect(check()).toEqual({ status: 0, text: expect.stringContaining('2 commits') as string });
});

test.each([
  ['without an area', 'Keep rows of a failed commit', 'area: what changes'],
  ['with a capital area', 'DuckDB: keep rows', 'area: what changes'],
  ['without a space', 'duckdb:keep rows', 'area: what changes'],
  ['too long', `x: ${'y'.repeat(70)}`, '73 characters, at most 72'],
])('a title %s fails, by name', (_, title, reason) => {
  commits('a: start', title, 'b: end');
  const { status, text } = check();
  expect(status).toBe(1);
  expect(text).toContain(`"${title}": `);
  expect(text).toContain(reason);
});

test('of a shallow clone the commits that it has are read', () => {
  commits('a: one', 'Two', 'a: three');
  git(['clone', '-q', '--depth', '1', `file://${folder}`, 'shallow']);
  expect(check(join(folder, 'shallow'))).toEqual({
    status: 0,
    text: expect.stringContaining('1 commits') as string,
  });
});

test('a folder without history fails', () => {
  expect(check()).toEqual({ status: 1, text: expect.stringContaining('no git repository') as string });
});
