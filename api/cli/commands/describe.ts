import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';

interface Options {
  readonly json?: boolean;
  readonly plugin: readonly string[];
}

export function register(program: Command): void {
  program
    .command('describe')
    .argument('<component>', 'name of a component')
    .description('Print the description of a component and its fields.')
    .option('--json', 'print its ports and the JSON schema of its configuration')
    .option('--plugin <file...>', 'modules with your own components', [])
    .addHelpText('after', '\nExample:\n  csiflow describe denoise')
    .action(async (name: string, options: Options) => {
      const [{ registryWith }, { describeComponent, nearest }, { exportName }] = await Promise.all([
        import('../../plugins.js'),
        import('../../../pipeline/config/index.js'),
        import('../export-names.js'),
      ]);
      const components = await registryWith(options.plugin);
      const found = components.named(name);
      if (found.length === 0) {
        const near = nearest(
          name,
          components.list().map((component) => component.name),
        );
        const hint =
          near === undefined
            ? 'run csiflow list, and name modules with components of your own by --plugin'
            : `did you mean ${near}?`;
        throw new CommandError(`unknown component ${name}; ${hint}`, EXIT.invalid);
      }
      // Functions have no JSON: only data remains.
      if (options.json) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
      else process.stdout.write(found.map((one) => describeComponent(one, exportName)).join('\n'));
    });
}
