import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';

interface Options {
  readonly tests: boolean;
  readonly environment: boolean;
  readonly results: boolean;
  readonly out?: string;
  readonly plugin: readonly string[];
}

export function register(program: Command): void {
  program
    .command('schema')
    .description('Print the JSON schema with which editors check and complete topologies and environments.')
    .option('--tests', 'the schema of a file of tests, NAME.test.yaml', false)
    .option('--environment', 'the schema of an environment', false)
    .option('--results', 'the schema of the messages that the sink `kafka` writes', false)
    .option('--plugin <file...>', 'modules with your own components', [])
    .option('--out <file>', 'write it to this file')
    .addHelpText(
      'after',
      '\nAdd this as the first line of a topology: # yaml-language-server: $schema=topology.schema.json' +
        '\nExample:\n  csiflow schema --out topology.schema.json' +
        '\n  csiflow schema --environment --out environment.schema.json',
    )
    .action(run);
}

async function run(options: Options): Promise<void> {
  const text = `${JSON.stringify(await schemaOf(options), null, 2)}\n`;
  if (options.out === undefined) process.stdout.write(text);
  else await writeFile(options.out, text);
}

async function schemaOf({ tests, environment, results, plugin }: Options): Promise<object> {
  if (results) return (await import('../../../pipeline/formats/json/result-schema.js')).ResultMessage;
  const { environmentSchema, testFileSchema, topologySchema } =
    await import('../../../pipeline/config/index.js');
  if (tests) return testFileSchema();
  if (environment) return environmentSchema();
  return topologySchema(await (await import('../../plugins.js')).registryWith(plugin));
}
