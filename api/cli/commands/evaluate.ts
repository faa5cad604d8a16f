import type { Command } from 'commander';
import { loadSubcommands } from '../subcommands.js';

const subcommands = await loadSubcommands(new URL('./evaluate/', import.meta.url));

/** One file of `evaluate/` for each thing that is measured. */
export function register(program: Command): void {
  const evaluate = program
    .command('evaluate')
    .description('Measure how right the results are, and write a report of it.')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow evaluate --rooms 5    (the same as: csiflow evaluate chain --rooms 5)\n  csiflow evaluate falls --data recordings',
    );
  for (const subcommand of subcommands) subcommand.register(evaluate);
}
