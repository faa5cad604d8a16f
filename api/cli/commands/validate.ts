import type { Command } from 'commander';
import type { CheckedTopology, Problem } from '../../../pipeline/config/index.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';

interface ValidateOptions {
  readonly format: string;
  readonly json?: boolean;
  readonly secrets?: string;
  readonly plugin: readonly string[];
  readonly together: boolean;
}

export function register(program: Command): void {
  program
    .command('validate')
    .argument('<path...>', 'topologies, or folders of them')
    .description('Check topologies, their environments and their tests; print all problems.')
    .option('--format <text|json>', 'output format of the problems', 'text')
    .option('--json', 'the same as --format json')
    .option('--secrets <folder>', 'folder with one file per secret; default: CSIFLOW_SECRETS')
    .option('--plugin <file...>', 'modules with your own components', [])
    .option(
      '--together',
      'also check that all of them can run in one process, with the first as the main one',
      false,
    )
    .addHelpText(
      'after',
      '\nExample:\n  csiflow validate topologies\n  csiflow validate ward-3.yaml --format json' +
        '\n  csiflow validate --together ward.yaml hall.yaml',
    )
    .action(async (paths: readonly string[], options: ValidateOptions) => {
      const format = options.json ? 'json' : options.format;
      if (format !== 'text' && format !== 'json') {
        throw new CommandError(`--format must be text or json, not ${format}`, EXIT.invalid);
      }
      await validate(paths, format, options);
    });
}

async function validate(
  paths: readonly string[],
  format: 'text' | 'json',
  { secrets, plugin, together }: ValidateOptions,
): Promise<void> {
  const [
    { checkTogether, isTestFile, loadTests, loadTopology },
    { registryWith },
    { printProblems, summary, topologyFiles },
  ] = await Promise.all([
    import('../../../pipeline/config/index.js'),
    import('../../plugins.js'),
    import('../topologies.js'),
  ]);
  const registry = await registryWith(plugin);
  const files = topologyFiles(paths);
  const problems: Problem[] = [];
  const loaded: { readonly file: string; readonly topology: CheckedTopology }[] = [];
  let valid = 0;
  for (const file of files) {
    const load = isTestFile(file) ? loadTests : loadTopology;
    const result = load(file, registry, {
      env: process.env,
      secrets: secrets ?? process.env['CSIFLOW_SECRETS'],
    });
    problems.push(...result.problems);
    if (result.topology) valid++;
    if (result.topology && !isTestFile(file)) loaded.push({ file, topology: result.topology });
  }
  const shared = together ? checkTogether(loaded) : [];
  problems.push(...shared);
  if (format === 'json') {
    process.stdout.write(
      `${JSON.stringify({ files, valid: valid === files.length && shared.length === 0, problems }, null, 2)}\n`,
    );
  } else {
    if (problems.length > 0) process.stdout.write(`${printProblems(problems)}\n`);
    process.stdout.write(`${valid} of ${files.length} valid: ${summary(problems)}\n`);
  }
  if (valid < files.length || shared.length > 0) process.exitCode = EXIT.invalid;
}
