import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

// The end of `.ci/run`'s output must name the failed tests: the log above it has ten thousand lines.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-ci-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, text: string): void => {
  writeFileSync(join(folder, name), text);
};

/** A vitest report of one file. */
const report = (failures: Readonly<Record<string, string>>, passed = 0): string =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: Object.keys(failures).length,
    numPendingTests: 1,
    numTodoTests: 1,
    testResults: [
      {
        name: join(process.cwd(), 'test/sinks/file.test.ts'),
        status: 'failed',
        message: '',
        assertionResults: Object.entries(failures).map(([fullName, message]) => ({
          status: 'failed',
          fullName,
          failureMessages: [message],
        })),
      },
    ],
  });

const summary = (): string[] =>
  execFileSync(process.execPath, ['.ci/summary.mjs', folder], { encoding: 'utf8' }).trim().split('\n');

test('the end of a run lists failures, with the first line of each error, before the sum', () => {
  write('steps', 'readme failed 170\nnode22 ok 180\n');
  write('readme.log', 'ten thousand lines\n');
  write(
    'readme.json',
    report({ 'a row is written': 'AssertionError: expected 1 to be 2\n    at file.ts:1:1' }, 41),
  );
  write('node22.log', '');
  write('node22.json', report({}, 42));
  expect(summary()).toEqual([
    '== steps',
    '  readme: FAILED, 170 s',
    '  node22: 180 s',
    '== failed: readme',
    '  test/sinks/file.test.ts: a row is written',
    '      AssertionError: expected 1 to be 2',
    '83 passed, 1 failed, 4 skipped',
  ]);
});

test('a step that fails outside of tests shows the end of its log, and counts as a failure', () => {
  write('steps', 'lint failed 60\n');
  write('lint.log', `${'noise\n'.repeat(100)}\u001b[31m1:1 error\u001b[39m\n`);
  const lines = summary();
  expect(lines.slice(-2)).toEqual(['  | 1:1 error', '0 passed, 1 failed, 0 skipped']);
  expect(lines.length).toBeLessThan(40);
});

test('many failures displace neither the sum nor one another', () => {
  const failures = Object.fromEntries(
    Array.from({ length: 500 }, (_, n) => [`test ${n}`, `Error: ${'x'.repeat(9999)}`]),
  );
  write('steps', 'readme failed 1\n');
  write('readme.log', '');
  write('readme.json', report(failures));
  const lines = summary();
  expect(lines.length).toBeLessThan(70);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(250);
  expect(lines.slice(-2)).toEqual(['  ... 941 more lines', '0 passed, 500 failed, 2 skipped']);
});

test('.ci/run rejects an unknown part, and lists the known ones', () => {
  expect(() => execFileSync('bash', ['.ci/run', 'servcies'], { stdio: 'pipe', encoding: 'utf8' })).toThrow(
    /usage: .*readme web speed lint native webgpu services.*got 'servcies'/,
  );
});

/** What each round measures: the ratio of this version to itself, and that of the one before to this one. */
type Rounds = readonly (readonly [again: number, before: number])[];

/** Figures of this version, the same again, and the one before; this one's are the same in all rounds. */
const speedFigures = (rounds: Rounds, lost: readonly number[]) => {
  const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!;
  const spread = (values: readonly number[], figure: number) => [
    ...[middle(values) * figure, Math.min(...values) * figure, Math.max(...values) * figure],
  ];
  const versions = [rounds.map(() => 1), rounds.map(([again]) => again), rounds.map(([, before]) => before)];
  return {
    start: {
      machine: { cores: 2, node: '20.20.2', load: 3 },
      starts: versions.map((over) => ({
        ...{ ready: spread(over, 2000), cpu: spread(over, 1000) },
        ...{ pose: spread(over, 4000), poseCpu: spread(over, 1500) },
        overThisInRounds: [over, over, over, over],
      })),
    },
    idle: {
      costs: versions.map((over, version) => ({
        ...{ chain: 'motion', frames: 1000, usPerFrame: spread(over, 100) },
        ...{ overThisInRounds: over, lost: lost[version] },
      })),
    },
  };
};

/** What `.ci/speed.mjs` prints of them: its text, and the rows of its table. */
function speedOf(rounds: Rounds, lost: readonly number[] = [0, 0, 0]) {
  const { start, idle } = speedFigures(rounds, lost);
  write('start-figures.json', JSON.stringify(start));
  write('idle-figures.json', JSON.stringify(idle));
  const text = execFileSync(process.execPath, ['.ci/speed.mjs', folder], { encoding: 'utf8' });
  const rows = text.split('\n').filter((line) => line.startsWith('| start') || line.startsWith('| a frame'));
  return { text, rows };
}

test('a commit that takes more than the one before is reported with its ratio and the control', () => {
  const { text, rows } = speedOf([
    [1.02, 0.8],
    [1.01, 0.7],
    [1.03, 0.9],
  ]);
  expect(rows).toHaveLength(5);
  expect(rows[0]).toBe(
    '| start until `/readyz`, processor time, ms | 800 (700 to 900) | 1000 (1000 to 1000) | 1.25 (1.11 to 1.43) | 1.02 (1.01 to 1.03) | more |',
  );
  expect(rows[4]).toBe(
    '| a frame of the chain motion at 1000 frames/s, processor time, us | 80 (70 to 90) | 100 (100 to 100) | 1.25 (1.11 to 1.43) | 1.02 (1.01 to 1.03) | more |',
  );
  expect(text).toContain('medians of the ratios within each round');
});

test('a difference from the commit before that the control may explain is not called one', () => {
  expect(speedOf([[0.9, 0.85]]).rows[0]).toMatch(/\| 1\.18 .*\| 0\.90 .*\| no difference shown \|$/);
  expect(speedOf([[1, 0.98]]).rows[0]).toMatch(/\| 1\.02 .*\| 1\.00 .*\| no difference shown \|$/);
});

test('rounds that disagree which commit takes more give no verdict', () => {
  const { rows } = speedOf([
    [1, 0.5],
    [1, 1.1],
  ]);
  expect(rows[0]).toMatch(/\| 1\.45 \(0\.91 to 2\.00\) .*\| no verdict: rounds disagree \|$/);
});

test('versions that lost frames get no verdict', () => {
  const { rows } = speedOf([[1, 0.7]], [0, 0, 1308]);
  expect(rows[0]).toMatch(/\| more \|$/);
  expect(rows[4]).toMatch(/\| 70 \(70 to 70\), 1,308 frames lost .*\| no verdict: frames were lost \|$/);
});

test('the speed of a clone without the commit before is skipped, and says so', () => {
  const clone = join(folder, 'clone');
  const git = (...words: readonly string[]) => execFileSync('git', words, { stdio: 'pipe' });
  git('init', '--quiet', clone);
  mkdirSync(join(clone, '.ci'));
  copyFileSync('.ci/speed.sh', join(clone, '.ci/speed.sh'));
  git('-C', clone, 'add', '.');
  git('-C', clone, '-c', 'user.name=ci', '-c', 'user.email=ci@localhost', 'commit', '--quiet', '-m', 'one');
  const said = execFileSync('bash', [join(clone, '.ci/speed.sh'), folder], { encoding: 'utf8' });
  expect(said).toMatch(/^speed: skipped, because this clone does not have the commit before/);
  expect(readFileSync(join(folder, 'speed.md'), 'utf8')).toBe(said);
});
