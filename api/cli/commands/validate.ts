import type { Command } from 'commander';
import type { Problem } from '../../../pipeline/config/index.js';
import { CommandError, EXIT } from '../exit.js';

interface ValidateOptions {
  readonly format: string;
  readonly json?: boolean;
  readonly secrets?: string;
  readonly plugin: readonly string[];
}

export function register(program: Command): void {
  program
    .command('validate')
    .argument('<path...>', 'topologies, or folders of them')
    .description('Check topologies and their environments; print all that is wrong.')
    .option('--format <text|json>', 'how problems are printed', 'text')
    .option('--json', 'the same as --format json')
    .option('--secrets <folder>', 'folder with one file a secret')
    .option('--plugin <file...>', 'modules with components of your own', [])
    .addHelpText(
      'after',
      '\nExample:\n  csiflow validate topologies\n  csiflow validate ward-3.yaml --format json',
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
  { secrets, plugin }: ValidateOptions,
): Promise<void> {
  const [{ loadTopology }, { registryWith }, { printProblems, summary }] = await Promise.all([
    import('../../../pipeline/config/index.js'),
    import('../../plugins.js'),
    import('../topologies.js'),
  ]);
  const registry = await registryWith(plugin);
  const files = await topologyFiles(paths);
  const problems: Problem[] = [];
  let valid = 0;
  for (const file of files) {
    const result = loadTopology(file, registry, { env: process.env, secrets });
    problems.push(...result.problems);
    if (result.topology) valid++;
  }
  if (format === 'json') {
    process.stdout.write(`${JSON.stringify({ files, valid: valid === files.length, problems }, null, 2)}\n`);
  } else {
    if (problems.length > 0) process.stdout.write(`${printProblems(problems)}\n`);
    process.stdout.write(`${valid} of ${files.length} valid: ${summary(problems)}\n`);
  }
  if (valid < files.length) process.exitCode = EXIT.invalid;
}

/** Files as named; of folders the YAML files in them and below, but for environments: those are checked with their topologies. */
async function topologyFiles(paths: readonly string[]): Promise<readonly string[]> {
  const [{ readdirSync, statSync }, path] = await Promise.all([import('node:fs'), import('node:path')]);
  const files = paths.flatMap((named) => {
    if (!statSync(named, { throwIfNoEntry: false })?.isDirectory()) return [named];
    return readdirSync(named, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.ya?ml$/.test(name) && !name.split(path.sep).includes('environments'))
      .sort()
      .map((name) => path.join(named, name));
  });
  if (files.length > 0) return files;
  throw new CommandError(`there is no YAML file in ${paths.join(', ')}`, EXIT.invalid);
}
