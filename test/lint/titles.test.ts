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

const git = (...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.org', ...words], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

/** The hash of the first of these commits. */
function commits(...titles: string[]): string {
  git('init', '-q');
  for (const title of titles) git('commit', '-q', '--allow-empty', '-m', title);
  return git('rev-list', '--max-parents=0', 'HEAD');
}

function check(since: string, cwd = folder): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, since], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
  });
  return { status, text: stdout + stderr };
}

test('titles with an area and at most 72 characters pass; earlier ones are not read', () => {
  const first = commits('The first', 'duckdb: keep rows of a failed commit', `x: ${'y'.repeat(69)}`);
  expect(check(first)).toEqual({ status: 0, text: expect.stringContaining('2 commits') as string });
});

test.each([
  ['without an area', 'Keep rows of a failed commit', 'area: what changes'],
  ['with a capital area', 'DuckDB: keep rows', 'area: what changes'],
  ['without a space', 'duckdb:keep rows', 'area: what changes'],
  ['too long', `x: ${'y'.repeat(70)}`, '73 characters, at most 72'],
])('a title %s fails, by name', (_, title, reason) => {
  const { status, text } = check(commits('a: start', title, 'b: end'));
  expect(status).toBe(1);
  expect(text).toContain(`"${title}": `);
  expect(text).toContain(reason);
});

test('a history that does not reach back far enough fails', () => {
  const first = commits('a: one', 'a: two', 'a: three');
  git('clone', '-q', '--depth', '1', `file://${folder}`, 'shallow');
  const { status, text } = check(first, join(folder, 'shallow'));
  expect(status).toBe(1);
  expect(text).toContain('git fetch --unshallow');
});

test('a folder without history fails', () => {
  expect(check('HEAD')).toEqual({ status: 1, text: expect.stringContaining('no git repository') as string });
});
