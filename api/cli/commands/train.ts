import type { Command } from 'commander';
import { loadSubcommands } from '../subcommands.js';

const subcommands = await loadSubcommands(new URL('./train/', import.meta.url));

/** One file of `train/` for each network. */
export function register(program: Command): void {
  const train = program
    .command('train')
    .description('Train the weights of a network of csiflow.')
    .addHelpText('after', '\nExample:\n  csiflow train falls --data recordings');
  for (const subcommand of subcommands) subcommand.register(train);
}
