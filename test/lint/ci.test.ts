import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
    /usage: .*readme web lint native webgpu services.*got 'servcies'/,
  );
});
