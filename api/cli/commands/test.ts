import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';

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
      'Run the tests of topologies: captures and scenes in, what comes out held against what must.',
    )
    .option('--filter <text>', 'only tests whose name or file holds this')
    .option('--format <text|json|junit>', 'how results are printed', 'text')
    .option('--json', 'the same as --format json')
    .option('--verbose', 'say what every node took and gave', false)
    .option('--timeout <seconds>', 'real time that one test may take', '120')
    .option('--plugin <file...>', 'modules with components of your own', [])
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
  const { suites, problems } = readSuites(topologyFiles(paths), registry, options.filter ?? '');
  if (problems.length > 0) process.stderr.write(`${printProblems(problems)}\n`);
  if (problems.some(({ severity }) => severity === 'error'))
    throw new CommandError(summary(problems), EXIT.invalid);
  if (suites.length === 0) {
    const why = options.filter === undefined ? 'they have none' : `none is called like ${options.filter}`;
    throw new CommandError(`there is no test to run in ${paths.join(', ')}: ${why}`, EXIT.invalid);
  }
  const results = await runSuites(suites, limitMs, (result) => {
    if (format === 'text') process.stdout.write(`${report.testText(result, options.verbose)}\n`);
  });
  if (format === 'text') process.stdout.write(`${report.summaryText(results)}\n`);
  if (format === 'json') process.stdout.write(`${JSON.stringify(report.testJson(results), null, 2)}\n`);
  if (format === 'junit') process.stdout.write(`${report.testJunit(results)}\n`);
  if (results.some(({ passed }) => !passed)) process.exitCode = EXIT.failed;
}
