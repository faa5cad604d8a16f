import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import type { FirstOptions } from '../recordings/first-files.js';
import { tableFlag } from '../table-flag.js';
import type { TestResult } from '../../../pipeline/testing/report.js';

export function register(program: Command): void {
  program
    .command('init')
    .description(
      'Write a topology, an environment and a test for a recording, or for the input of a UDP port.',
    )
    .argument('<what>', 'a recording, or udp://HOST:PORT')
    .option('--folder <path>', 'folder of the files', '.')
    .option('--seconds <n>', 'how long to listen', '10')
    .option('--format <name>', 'format of the records; auto detects it from their bytes', 'auto')
    .option('--kind <kind>', 'kind of the file', 'auto')
    .addOption(tableFlag())
    .option('--force', 'overwrite existing files', false)
    .addHelpText(
      'after',
      '\nExample:\n  csiflow init evening.csi --folder my-room\n  csiflow init udp://0.0.0.0:5005 --folder my-room' +
        "\n  csiflow init walk.npy --table '{ rate_hz: 100 }' --folder my-room" +
        '\n  csiflow run my-room/topology.yaml',
    )
    .action(run);
}

async function run(what: string, options: FirstOptions): Promise<void> {
  const path = await import('node:path');
  const { isUdp } = await import('../recordings/address.js');
  const { readingRecordings } = await import('../recordings/errors.js');
  const { fromFile, fromUdp, refuseExisting, rewriteTopology, writeFirst } =
    await import('../recordings/first-files.js');
  refuseExisting(options);
  const found = await readingRecordings(() =>
    isUdp(what) ? fromUdp(what, options) : fromFile(what, options),
  );
  const { deadLines } = await import('../recordings/summary-text.js');
  process.stderr.write(
    deadLines(found.summary)
      .map((line) => `csiflow: ${what}: ${line}\n`)
      .join(''),
  );
  const files = await writeFirst(found, options);
  process.stdout.write(files.map((file) => `${file}\n`).join(''));
  const topology = path.join(options.folder, 'topology.yaml');
  let results = await testsOf(topology);
  const { motionLine } = await import('../recordings/first-topology.js');
  const line = motionLine(found);
  if (results.length > 0 && results.every((result) => lacksOnly(line, result))) {
    process.stderr.write(
      [`csiflow: ${what}: its frames yield no motion, so the test expects none`, ...logOf(results), ''].join(
        '\n',
      ),
    );
    await rewriteTopology({ ...found, yieldsMotion: false }, options.folder);
    results = await testsOf(topology);
  }
  const { testText } = await import('../../../pipeline/testing/report.js');
  process.stdout.write(results.map((result) => `${testText(result, false)}\n`).join(''));
  if (results.length === 0 || results.some(({ passed }) => !passed))
    throw new CommandError(`${topology} was written, but its test does not pass`, EXIT.failed);
  process.stdout.write(`Next: csiflow run ${topology}\n`);
}

async function testsOf(topology: string): Promise<readonly TestResult[]> {
  const { components } = await import('../../components.js');
  const { readSuites, runSuites } = await import('../../../pipeline/testing/suites.js');
  const { printProblems } = await import('../topologies.js');
  const { suites, problems } = readSuites([topology], components, '');
  if (problems.length > 0) process.stderr.write(`${printProblems(problems)}\n`);
  return runSuites(suites, TEST_MS);
}

/**
 * True if all that a test lacks is the expectation in this line, that of motion: the frames were read, but `window`
 * ignores links whose frames are no measurements.
 */
const lacksOnly = (line: number | null, { error, unmet }: TestResult): boolean =>
  error === null && unmet.length > 0 && unmet.every((one) => one.line === line);

const logOf = (results: readonly TestResult[]): readonly string[] =>
  results.flatMap(({ outcome }) => outcome?.log.slice(0, 10) ?? []).map((line) => `     log ${line}`);

/** Time limit of the test, in real time. */
const TEST_MS = 120_000;
