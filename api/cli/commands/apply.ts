import type { Command } from 'commander';
import { remoteOptions, type RemoteOptions } from '../remote.js';

interface ApplyOptions extends RemoteOptions {
  readonly hash: string;
}

export function register(program: Command): void {
  remoteOptions(
    program
      .command('apply')
      .argument('<topology>', 'the new file')
      .description(
        'Apply the change that `csiflow plan` showed: take a checkpoint and continue with the new file.',
      )
      .requiredOption('--hash <hash>', 'from the output of `csiflow plan`; a stale hash is rejected'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  CSIFLOW_PASSWORD=... csiflow apply topologies/ward-3.yaml --hash 1f0c9a77d2e4b681',
    )
    .action(async (file: string, options: ApplyOptions) => {
      const [{ readTopologyFile }, { ask }] = await Promise.all([
        import('../plan-text.js'),
        import('../remote.js'),
      ]);
      const { id, text } = readTopologyFile(file);
      const result = await ask(options, `/topologies/${id}/apply`, { topology: text, hash: options.hash });
      const { status } = result as { status: string };
      process.stdout.write(
        options.json ? `${JSON.stringify(result, null, 2)}\n` : `${id} is ${status} with ${file}\n`,
      );
    });
}
