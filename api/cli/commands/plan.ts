import type { Command } from 'commander';
import { remoteOptions, type RemoteOptions } from '../remote.js';

export function register(program: Command): void {
  remoteOptions(
    program
      .command('plan')
      .argument('<topology>', 'the new file')
      .description(
        'Show what a new file would change in the running topology, and print the hash for `apply`.',
      ),
  )
    .addHelpText('after', '\nExample:\n  CSIFLOW_PASSWORD=... csiflow plan topologies/ward-3.yaml')
    .action(async (file: string, options: RemoteOptions) => {
      const [{ readTopologyFile, formatPlan }, { ask }] = await Promise.all([
        import('../plan-text.js'),
        import('../remote.js'),
      ]);
      const { id, text } = readTopologyFile(file);
      const plan = await ask(options, `/topologies/${id}/plan`, { topology: text });
      process.stdout.write(options.json ? `${JSON.stringify(plan, null, 2)}\n` : formatPlan(plan, file));
    });
}
