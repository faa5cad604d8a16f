import type { Command } from 'commander';
import { loadSubcommands } from '../subcommands.js';

const subcommands = await loadSubcommands(new URL('./evaluate/', import.meta.url));

/** One file of `evaluate/` for each measurement. */
export function register(program: Command): void {
  const evaluate = program
    .command('evaluate')
    .description('Measure the accuracy of results, and write a report.')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow evaluate --rooms 5    (the same as: csiflow evaluate chain --rooms 5)\n  csiflow evaluate --only real-falls --data recordings',
    );
  for (const subcommand of subcommands) subcommand.register(evaluate);
}
