import type { Command } from 'commander';
import { loadSubcommands } from '../subcommands.js';

const subcommands = await loadSubcommands(new URL('./bench/', import.meta.url));

/** One file of `bench/` for each benchmark. */
export function register(program: Command): void {
  const bench = program
    .command('bench')
    .description('Measure the speed of csiflow on this machine.')
    .addHelpText('after', '\nExample:\n  csiflow bench line');
  for (const subcommand of subcommands) subcommand.register(bench);
}
