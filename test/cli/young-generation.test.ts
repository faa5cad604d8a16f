import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { temporaryFolder } from '../support/flow.js';

/** Prints the size of the young generation, MB, after many objects have survived. */
const SURVIVORS = `
  let kept = [];
  for (let number = 0; number < 1e6; number++) kept.push([number]);
  const { getHeapSpaceStatistics } = require('node:v8');
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  console.log(young.space_size / 2 ** 20);
`;
const WORKER = `require('node:worker_threads').Worker`;
/** The thread waits until the main thread has heard that it runs. */
const IN_A_THREAD = `
  const script = ${JSON.stringify(`require('node:worker_threads').parentPort.once('message', () => { ${SURVIVORS} })`)};
  const thread = new (${WORKER})(script, { eval: true });
  thread.once('online', () => setImmediate(() => { thread.postMessage('start'); }));
`;
const AFTER_A_THREAD = `new (${WORKER})('', { eval: true }).on('exit', () => { ${SURVIVORS} });`;
const MODULE = JSON.stringify(packageFile('dist/api/cli/young-generation.js'));
const LIMITED_MB = 8;

interface Start {
  readonly limit: boolean;
  /** What Node is told on its command line. */
  readonly options?: readonly string[];
  readonly environment?: string;
}

/** Megabytes that the script prints in a process of its own. */
function printed(script: string, { limit, options = [], environment = '' }: Start): number {
  const begin = limit
    ? `import(${MODULE}).then(({ limitYoungGeneration }) => { limitYoungGeneration(); ${script} })`
    : script;
  const env = { ...process.env, NODE_OPTIONS: environment };
  return Number(execFileSync(process.execPath, [...options, '--eval', begin], { env }));
}

test('survivors grow the young generation to two halves of 4 MB, and no further', () => {
  expect(printed(SURVIVORS, { limit: true })).toBe(LIMITED_MB);
});

test('survivors do not grow that of a thread that runs', () => {
  expect(printed(IN_A_THREAD, { limit: true })).toBeLessThanOrEqual(LIMITED_MB);
});

test('the limit holds after a thread has started', () => {
  expect(printed(AFTER_A_THREAD, { limit: true })).toBe(LIMITED_MB);
});

test.each([
  ['main thread', SURVIVORS],
  ['thread', IN_A_THREAD],
  ['main thread after a thread', AFTER_A_THREAD],
])('without a limit, it grows further: %s', (_, script) => {
  expect(printed(script, { limit: false })).toBeGreaterThan(LIMITED_MB);
});

test.each([
  { options: ['--max-semi-space-size=8'] },
  { options: ['--max_semi_space_size=8'] },
  { environment: '--max-semi-space-size=8' },
])('a size that users choose stays: %o', (start) => {
  expect(printed(SURVIVORS, { limit: true, ...start })).toBe(16);
});

test.each(['run', 'demo'])('`csiflow %s` limits its young generation', (command) => {
  const probe = join(temporaryFolder(), 'probe.cjs');
  writeFileSync(probe, `process.on('exit', () => { ${SURVIVORS} });`);
  const program = packageFile('dist/api/cli/csiflow.js');
  const words = ['--require', probe, program, command, '--not-an-option'];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
  expect(Number(stdout)).toBe(LIMITED_MB);
});
