import type { Command } from 'commander';
import type { NewFileOptions } from '../new-file.js';
import { remoteOptions } from '../remote.js';

interface ApplyOptions extends NewFileOptions {
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
      .requiredOption('--hash <hash>', 'from the output of `csiflow plan`; a stale hash is rejected')
      .option('--plugin <file...>', 'modules with your own components', []),
  )
    .addHelpText(
      'after',
      '\nExample:\n  CSIFLOW_PASSWORD=... csiflow apply topologies/ward-3.yaml --hash 1f0c9a77d2e4b681',
    )
    .action(async (file: string, options: ApplyOptions) => {
      const { sendNewFile } = await import('../new-file.js');
      const { id, data } = await sendNewFile(file, options, 'apply', { hash: options.hash });
      const { status } = data as { status: string };
      process.stdout.write(
        options.json ? `${JSON.stringify(data, null, 2)}\n` : `${id} is ${status} with ${file}\n`,
      );
    });
}
