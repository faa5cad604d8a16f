import type { Command } from 'commander';
import type { NewFileOptions } from '../new-file.js';
import { remoteOptions } from '../remote.js';

export function register(program: Command): void {
  remoteOptions(
    program
      .command('plan')
      .argument('<topology>', 'the new file')
      .description(
        'Show what a new file would change in the running topology, and print the hash for `apply`.',
      )
      .option('--plugin <file...>', 'modules with your own components', []),
  )
    .addHelpText('after', '\nExample:\n  CSIFLOW_PASSWORD=... csiflow plan topologies/ward-3.yaml')
    .action(async (file: string, options: NewFileOptions) => {
      const [{ formatPlan }, { sendNewFile }] = await Promise.all([
        import('../plan-text.js'),
        import('../new-file.js'),
      ]);
      const { data } = await sendNewFile(file, options, 'plan');
      process.stdout.write(
        options.json ? `${JSON.stringify(data, null, 2)}\n` : formatPlan(data, file, options),
      );
    });
}
