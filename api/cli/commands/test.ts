import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { endedBySignals } from '../ended-by-signals.js';

interface Options {
  readonly filter?: string;
  readonly format: string;
  readonly json?: boolean;
  readonly verbose: boolean;
  readonly timeout: string;
  readonly plugin: readonly string[];
}

const FORMATS = ['text', 'json', 'junit'] as const;
type Format = (typeof FORMATS)[number];

export function register(program: Command): void {
  program
    .command('test')
    .argument('[path...]', 'topologies, files of tests, or folders of them', ['.'])
    .description(
      'Run the tests of topologies: captures and scenes as input, compared with the expected output.',
    )
    .option('--filter <text>', 'only tests whose name or file contains this')
    .option('--format <text|json|junit>', 'output format of the results', 'text')
    .option('--json', 'the same as --format json')
    .option('--verbose', 'print the input and output of every node', false)
    .option('--timeout <seconds>', 'time limit of one test, in real time', '120')
    .option('--plugin <file...>', 'modules with your own components', [])
    .addHelpText(
      'after',
      '\nExample:\n  csiflow test topologies\n  csiflow test ward-3.yaml --filter fall --verbose',
    )
    .action(async (paths: readonly string[], options: Options) => {
      const format = FORMATS.find((known) => known === (options.json ? 'json' : options.format));
      if (!format)
        throw new CommandError(
          `--format must be one of ${FORMATS.join(', ')}, not ${options.format}`,
          EXIT.invalid,
        );
      const seconds = Number(options.timeout);
      if (!(seconds > 0))
        throw new CommandError(`--timeout must be a number of seconds, not ${options.timeout}`, EXIT.invalid);
      await test(paths, format, seconds * 1000, options);
    });
}

async function test(
  paths: readonly string[],
  format: Format,
  limitMs: number,
  options: Options,
): Promise<void> {
  const [{ registryWith }, { topologyFiles, printProblems, summary }, { readSuites, runSuites }, report] =
    await Promise.all([
      import('../../plugins.js'),
      import('../topologies.js'),
      import('../../../pipeline/testing/suites.js'),
      import('../../../pipeline/testing/report.js'),
    ]);
  const registry = await registryWith(options.plugin);
  const { suites, problems } = readSuites(
    withTestFiles(topologyFiles(paths)),
    registry,
    options.filter ?? '',
  );
  if (problems.length > 0) process.stderr.write(`${printProblems(problems)}\n`);
  if (problems.some(({ severity }) => severity === 'error'))
    throw new CommandError(summary(problems), EXIT.invalid);
  if (suites.length === 0) {
    const why =
      options.filter === undefined
        ? 'there is no section `tests`, and no NAME.test.yaml beside NAME.yaml'
        : `no name contains ${options.filter}`;
    throw new CommandError(`there is no test to run in ${paths.join(', ')}: ${why}`, EXIT.invalid);
  }
  const results = await endedBySignals(() =>
    runSuites(suites, limitMs, (result) => {
      if (format === 'text') process.stdout.write(`${report.testText(result, options.verbose)}\n`);
    }),
  );
  if (format === 'text') process.stdout.write(`${report.summaryText(results)}\n`);
  if (format === 'json') process.stdout.write(`${JSON.stringify(report.testJson(results), null, 2)}\n`);
  if (format === 'junit') process.stdout.write(`${report.testJunit(results)}\n`);
  if (results.some(({ passed }) => !passed)) process.exitCode = EXIT.failed;
}

/** Beside `demo.yaml`, also `demo.test.yaml` if there is one. */
function withTestFiles(files: readonly string[]): readonly string[] {
  const all = files.flatMap((file) => {
    const beside = file.replace(/(?<!\.test)\.(ya?ml)$/, '.test.$1');
    return beside !== file && existsSync(beside) ? [file, beside] : [file];
  });
  return [...new Map(all.map((file) => [resolve(file), file])).values()];
}
