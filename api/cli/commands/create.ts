import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { errorText } from '../../../pipeline/base/error-text.js';

export function register(program: Command): void {
  program
    .command('create')
    .argument('<component...>', 'a source, operators, sinks, in the order of the data')
    .description('Print a topology of these components, with all fields as comments.')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow create udp denoise window infer-pose console > my-topology.yaml',
    )
    .action(async (names: readonly string[]) => {
      const [{ createTopology }, { components }] = await Promise.all([
        import('../../../pipeline/config/index.js'),
        import('../../components.js'),
      ]);
      process.stdout.write(invalidInput(() => createTopology(names, components)));
    });
}

/** What it throws is about the words typed. */
function invalidInput(work: () => string): string {
  try {
    return work();
  } catch (error) {
    throw new CommandError(errorText(error), EXIT.invalid);
  }
}
