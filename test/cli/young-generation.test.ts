import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';

/** Prints the size of the young generation, MB, after many objects have survived. */
const SURVIVORS = `
  let kept = [];
  for (let number = 0; number < 1e6; number++) kept.push([number]);
  const { getHeapSpaceStatistics } = require('node:v8');
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  console.log(young.space_size / 2 ** 20);
`;
const IN_A_THREAD = `
  const script = ${JSON.stringify(`require('node:worker_threads').parentPort.once('message', () => { ${SURVIVORS} })`)};
  const thread = new (require('node:worker_threads').Worker)(script, { eval: true });
  thread.once('online', () => { thread.postMessage('start'); });
`;
const AFTER_A_THREAD = `new (require('node:worker_threads').Worker)('', { eval: true }).on('exit', () => { ${SURVIVORS} });`;
const MODULE = JSON.stringify(packageFile('dist/api/cli/young-generation.js'));

/** Runs the script in a process of its own, behind `limitYoungGeneration`. */
function limited(script: string, ...options: readonly string[]): number {
  const code = `import(${MODULE}).then(({ limitYoungGeneration: limit }) => { limit(); ${script} })`;
  return Number(execFileSync(process.execPath, [...options, '--eval', code]));
}

test('survivors grow the young generation to two halves of 4 MB, and no further', () => {
  expect(limited(SURVIVORS)).toBe(8);
});

test('without a limit, they grow it further: the tests above can fail', () => {
  expect(Number(execFileSync(process.execPath, ['--eval', SURVIVORS]))).toBeGreaterThan(8);
});

test('survivors do not grow that of a thread that has started later', () => {
  expect(limited(IN_A_THREAD)).toBeLessThanOrEqual(8);
});

test('the limit holds after a thread has started', () => {
  expect(limited(AFTER_A_THREAD)).toBe(8);
});

test.each(['--max-semi-space-size=8', '--max_semi_space_size=8'])(
  'a size that users choose stays: %s',
  (option) => {
    expect(limited(SURVIVORS, option)).toBe(16);
  },
);
