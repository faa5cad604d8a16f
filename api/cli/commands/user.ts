import type { Command } from 'commander';
import { loadSubcommands } from '../subcommands.js';

const subcommands = await loadSubcommands(new URL('./user/', import.meta.url));

/** One file of `user/` for each action on users. */
export function register(program: Command): void {
  const user = program
    .command('user')
    .description('Manage the users who may log in.')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow user add ada --role operator --topology topologies/ward-3.yaml',
    );
  for (const subcommand of subcommands) subcommand.register(user);
}
