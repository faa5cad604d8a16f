import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { errorText } from '../../../pipeline/base/error-text.js';

interface Options {
  readonly environment: boolean;
  readonly plugin: readonly string[];
}

export function register(program: Command): void {
  program
    .command('create')
    .argument('[component...]', 'a source, operators and sinks, in the order of the data')
    .description('Print a topology of these components, with all fields as comments; or an environment.')
    .option('--environment', 'print an environment instead, to be named in a topology', false)
    .option('--plugin <file...>', 'modules with your own components', [])
    .addHelpText(
      'after',
      '\nExample:\n  csiflow create udp denoise window infer-pose console > my-topology.yaml' +
        '\n  csiflow create --environment > room.yaml',
    )
    .action(async (names: readonly string[], { environment, plugin }: Options) => {
      const [{ createEnvironment, createTopology }, { registryWith }] = await Promise.all([
        import('../../../pipeline/config/index.js'),
        import('../../plugins.js'),
      ]);
      if (environment && names.length > 0)
        throw new CommandError(
          'an environment has no components: remove them, or --environment',
          EXIT.invalid,
        );
      const components = await registryWith(plugin);
      process.stdout.write(
        environment ? createEnvironment() : invalidInput(() => createTopology(names, components)),
      );
    });
}

/** Its errors concern the typed words. */
function invalidInput(work: () => string): string {
  try {
    return work();
  } catch (error) {
    throw new CommandError(errorText(error), EXIT.invalid);
  }
}
