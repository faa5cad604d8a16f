// Checks that the titles of commits are `area: what`, at most 72 characters, as CONTRIBUTING.md says.
//
//   node .ci/titles.mjs [SINCE]
//
// Reads the history of the current folder from the time SINCE on, as far as it reaches back. Earlier titles are
// not rewritten.
import { spawnSync } from 'node:child_process';

const SINCE = '2026-11-23T20:40:00Z';
const MOST = 72;
const TITLE = /^[a-z0-9][a-z0-9 ,._/-]*: \S/;

const since = process.argv[2] ?? SINCE;

/** Its output; null if it fails. */
function git(...words) {
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

function problemOf(title) {
  if (title.length > MOST) return `${title.length} characters, at most ${MOST} are allowed`;
  return TITLE.test(title) ? null : 'it is not `area: what changes`, with the area in lower case';
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (git('rev-parse', '--git-dir') === null)
  fail('the titles of commits cannot be checked: this folder is no git repository; run it in a clone');
const log = git('log', '--no-merges', '--format=%h %s', `--since=${since}`);
const commits = log === '' ? [] : log.split('\n');
const wrong = commits.flatMap((line) => {
  const [hash, ...words] = line.split(' ');
  const title = words.join(' ');
  const problem = problemOf(title);
  return problem === null ? [] : [`${hash} "${title}": ${problem}`];
});
if (wrong.length > 0) fail(['titles of commits are wrong (CONTRIBUTING.md, Commit):', ...wrong].join('\n'));
console.log(`the titles of ${commits.length} commits since ${since} are right`);
