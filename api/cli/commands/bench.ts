import type { Command } from 'commander';
import { endAtSignals } from '../ended-by-signals.js';
import { loadSubcommands } from '../subcommands.js';

const subcommands = await loadSubcommands(new URL('./bench/', import.meta.url));

/** One file of `bench/` for each benchmark. */
export function register(program: Command): void {
  const bench = program
    .command('bench')
    .description('Measure the speed of csiflow on this machine.')
    .addHelpText('after', '\nExample:\n  csiflow bench line')
    // Ends what it has started, too (bench/shared/children.ts).
    .hook('preAction', () => void endAtSignals());
  for (const subcommand of subcommands) subcommand.register(bench);
}
