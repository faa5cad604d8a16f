import type { Command } from 'commander';
import { loadSubcommands } from '../subcommands.js';

const subcommands = await loadSubcommands(new URL('./key/', import.meta.url));

/** One file of `key/` for each action on keys. */
export function register(program: Command): void {
  const key = program
    .command('key')
    .description('Manage API keys for services, and the key that signs tokens.')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow key create grafana --role viewer --topology topologies/ward-3.yaml',
    );
  for (const subcommand of subcommands) subcommand.register(key);
}
