import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ChainReport } from '../../bench/accuracy/chain/tables/report.js';
import { afterThisTest } from '../support/clean-up.js';
import { Csiflow } from '../support/csiflow.js';
import { temporaryFolder } from '../support/flow.js';

// `csiflow evaluate` as processes that share rooms, and how they end early.

const seconds = { timeout: 400_000 };
const SMALL = ['--minutes', '0.05', '--links', '2', '--at-once', '1'];

/** @param temporary folder for its temporary files */
function evaluate(temporary: string, ...args: readonly string[]): Csiflow {
  const run = new Csiflow(['evaluate', ...args], { env: { TMPDIR: temporary } });
  afterThisTest(() => run.kill());
  return run;
}

/** The processes that help an evaluation: their commands name its temporary folder. */
function helpersOf(temporary: string): readonly number[] {
  const commandOf = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return ''; // It has ended.
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandOf(name).includes(temporary))
    .map(Number);
}

/** The report of an evaluation, and the number of scenes that its main process played. */
async function measured(jobs: number): Promise<{ readonly report: ChainReport; readonly played: number }> {
  const options = ['--only', 'empty', '--rooms', '3', '--json', '--jobs', String(jobs)];
  const run = evaluate(temporaryFolder(), 'chain', ...SMALL, ...options);
  expect(await run.ended(), run.output).toBe(0);
  const report = JSON.parse(run.output.slice(run.output.indexOf('\n{'))) as ChainReport;
  return { report, played: run.output.match(/played in/g)!.length };
}

test('two processes measure the same figures as one', seconds, async () => {
  const alone = await measured(1);
  const helped = await measured(2);
  expect(helped.report).toEqual(alone.report);
  expect(helped.played).toBeLessThan(alone.played);
});

test.runIf(process.platform === 'linux')(
  'Ctrl-C leaves no process and no temporary folder',
  seconds,
  async () => {
    const temporary = temporaryFolder();
    const run = evaluate(temporary, 'chain', ...SMALL, '--only', 'empty', '--rooms', '8', '--jobs', '2');
    await run.printed(/played in/);
    expect(helpersOf(temporary)).toHaveLength(1);
    expect(await run.interrupt(), run.output).toBe(130);
    expect(helpersOf(temporary)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  },
);

test.runIf(process.platform === 'linux')(
  'a killed process of --jobs ends the others, with an error',
  seconds,
  async () => {
    const temporary = temporaryFolder();
    const run = evaluate(temporary, 'chain', ...SMALL, '--only', 'empty', '--rooms', '8', '--jobs', '3');
    await run.printed(/played in/);
    const [helper, ...others] = helpersOf(temporary);
    expect(others).toHaveLength(1);
    process.kill(helper!, 'SIGKILL');
    expect(await run.ended(), run.output).toBe(1);
    expect(run.output).toMatch(/csiflow: a process of --jobs was killed \(SIGKILL\)/);
    expect(helpersOf(temporary)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  },
);

test('SIGTERM keeps the tables that were measured, and no temporary folder', seconds, async () => {
  const [temporary, out] = [temporaryFolder(), temporaryFolder()];
  const run = evaluate(
    temporary,
    'chain',
    ...SMALL,
    '--only',
    'empty',
    'errors',
    '--rooms',
    '1',
    '--out',
    out,
  );
  await run.printed(/errors, task 2 of 2: begun/);
  run.process.kill('SIGTERM');
  expect(await run.ended(), run.output).toBe(143);
  expect(run.output).toContain(`1 of 2 tasks measured, kept in ${out}`);
  const { tables } = JSON.parse(readFileSync(join(out, 'accuracy.json'), 'utf8')) as ChainReport;
  expect(tables.map(({ id }) => id)).toEqual(['empty']);
  expect(readdirSync(temporary)).toEqual([]);
});

test('Ctrl-C leaves no temporary folder of the suite', seconds, async () => {
  const temporary = temporaryFolder();
  const run = evaluate(temporary, 'suite', '--only', 'count', '--rooms', '1');
  await run.printed(/count, task 1 of 1: begun/);
  expect(readdirSync(temporary)).not.toEqual([]);
  expect(await run.interrupt(), run.output).toBe(130);
  expect(readdirSync(temporary)).toEqual([]);
});
