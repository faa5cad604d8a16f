import type { Command } from 'commander';

export function register(program: Command): void {
  program
    .command('schema')
    .description('Print the JSON schema with which an editor checks and completes a topology.')
    .option('--results', 'print the JSON schema of results as messages of Kafka instead')
    .addHelpText('after', '\nExample:\n  csiflow schema > topology.schema.json')
    .action(async (options: { results?: true }) => {
      if (options.results) {
        const { ResultMessage } = await import('../../../sinks/kafka/message.js');
        process.stdout.write(`${JSON.stringify(ResultMessage, null, 2)}\n`);
        return;
      }
      const [{ topologySchema }, { components }] = await Promise.all([
        import('../../../pipeline/config/index.js'),
        import('../../components.js'),
      ]);
      process.stdout.write(`${JSON.stringify(topologySchema(components), null, 2)}\n`);
    });
}
