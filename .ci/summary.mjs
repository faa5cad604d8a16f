// Prints the duration of each step of `.ci/run`, the failed tests with their errors, and the total of all test
// runs, in few lines: the end of a long log then shows what is wrong.
//
//   node .ci/summary.mjs FOLDER
//
// FOLDER contains `steps` (one line per step: name, ok or failed, seconds), and for each step NAME its log in
// NAME.log and vitest's report, if any, in NAME.json.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const LINES_OF_FAILURES = 60;
const LINES_OF_A_LOG = 30;

const folder = process.argv[2];
const read = (name) => readFileSync(join(folder, name), 'utf8');

/** The first informative line of an error, shortened. */
const firstLine = (error = '') =>
  stripVTControlCharacters(error)
    .split('\n')
    .find((line) => line.trim())
    ?.trim()
    .slice(0, 200) ?? 'no message';

const where = (file) => relative(process.cwd(), file.name);

function failedTests(report) {
  return (report.testResults ?? []).flatMap((file) => {
    const tests = file.assertionResults.filter(({ status }) => status === 'failed');
    if (!tests.length) return file.status === 'failed' ? [[where(file), firstLine(file.message)]] : [];
    return tests.map((test) => [`${where(file)}: ${test.fullName}`, firstLine(test.failureMessages?.[0])]);
  });
}

function ofStep(line) {
  const [name, status, seconds] = line.split(' ');
  const report = existsSync(join(folder, `${name}.json`)) ? JSON.parse(read(`${name}.json`)) : {};
  const failures = failedTests(report).map(([title, error]) => `  ${title}\n      ${error}`);
  // No test reports the problem: a linter, a server that does not start, an error outside of tests.
  const log = () =>
    existsSync(join(folder, `${name}.log`))
      ? stripVTControlCharacters(read(`${name}.log`))
          .trimEnd()
          .split('\n')
          .slice(-LINES_OF_A_LOG)
      : ['its output is above'];
  const untold = status === 'failed' && !failures.length;
  return {
    name,
    failed: status === 'failed',
    seconds: Number(seconds),
    passed: report.numPassedTests ?? 0,
    failures: untold ? log().map((text) => `  | ${text.slice(0, 200)}`) : failures,
    failedTests: Math.max(report.numFailedTests ?? 0, Number(status === 'failed')),
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
  };
}

const steps = read('steps').trim().split('\n').map(ofStep);
const sum = (figure) => steps.reduce((total, step) => total + step[figure], 0);

console.log('\n== steps');
for (const { name, failed, seconds } of steps)
  console.log(`  ${name}: ${failed ? 'FAILED, ' : ''}${seconds} s`);

const failed = steps.filter((step) => step.failed);
const lines = failed.flatMap(({ name, failures }) => [
  `== failed: ${name}`,
  ...failures.join('\n').split('\n'),
]);
for (const line of lines.slice(0, LINES_OF_FAILURES)) console.log(line);
if (lines.length > LINES_OF_FAILURES) console.log(`  ... ${lines.length - LINES_OF_FAILURES} more lines`);

console.log(`${sum('passed')} passed, ${sum('failedTests')} failed, ${sum('skipped')} skipped`);
