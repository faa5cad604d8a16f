import type { Command } from 'commander';

export function register(program: Command): void {
  program
    .command('schema')
    .description('Print the JSON schema with which an editor checks and completes a topology.')
    .addHelpText('after', '\nExample:\n  csiflow schema > topology.schema.json')
    .action(async () => {
      const [{ topologySchema }, { components }] = await Promise.all([
        import('../../../pipeline/config/index.js'),
        import('../../components.js'),
      ]);
      process.stdout.write(`${JSON.stringify(topologySchema(components), null, 2)}\n`);
    });
}
