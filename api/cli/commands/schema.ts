import type { Command } from 'commander';

interface Options {
  readonly tests: boolean;
  readonly results: boolean;
  readonly plugin: readonly string[];
}

export function register(program: Command): void {
  program
    .command('schema')
    .description('Print the JSON schema that editors use to check and complete a topology.')
    .option('--tests', 'the schema of a file of tests, NAME.test.yaml', false)
    .option('--results', 'the schema of the messages that the sink `kafka` writes', false)
    .option('--plugin <file...>', 'modules with your own components', [])
    .addHelpText(
      'after',
      '\nAdd this as the first line of a topology: # yaml-language-server: $schema=topology.schema.json' +
        '\nExample:\n  csiflow schema > topology.schema.json',
    )
    .action(async (options: Options) => {
      process.stdout.write(`${JSON.stringify(await schemaOf(options), null, 2)}\n`);
    });
}

async function schemaOf({ tests, results, plugin }: Options): Promise<object> {
  if (results) return (await import('../../../pipeline/formats/json/result-schema.js')).ResultMessage;
  const { testFileSchema, topologySchema } = await import('../../../pipeline/config/index.js');
  if (tests) return testFileSchema();
  return topologySchema(await (await import('../../plugins.js')).registryWith(plugin));
}
