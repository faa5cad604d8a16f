import type { Command } from 'commander';

export function register(program: Command): void {
  program
    .command('schema')
    .description('Print the JSON schema with which an editor checks and completes a topology.')
    .option('--tests', 'the schema of a file of tests, NAME.test.yaml', false)
    .addHelpText(
      'after',
      '\nPut it into the first line of a topology: # yaml-language-server: $schema=topology.schema.json' +
        '\nExample:\n  csiflow schema > topology.schema.json',
    )
    .action(async ({ tests }: { readonly tests: boolean }) => {
      const [{ testFileSchema, topologySchema }, { components }] = await Promise.all([
        import('../../../pipeline/config/index.js'),
        import('../../components.js'),
      ]);
      const schema = tests ? testFileSchema() : topologySchema(components);
      process.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
    });
}
