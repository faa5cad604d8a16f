import type { Command } from 'commander';
import type { Band } from '../../../../bench/memory/bands.js';
import { bandOption } from '../../band-option.js';
import { toPeople } from '../../to-stderr.js';

interface Options {
  model: string;
  out?: string;
  band: Band;
  cache?: string;
  json?: boolean;
}

export function register(train: Command): void {
  train
    .command('confirmation')
    .description(
      'Fit how infer-pose tells people from pets, fans and curtains, behind the memory of a model, on simulated rooms.',
    )
    .option('--model <folder>', 'model with a memory: `general`, or a folder', 'general')
    .option(
      '--out <folder>',
      'folder of the extended model (default: that of --model; from an installation, a copy of a shipped model below the current folder)',
    )
    .addOption(bandOption())
    .option('--cache <folder>', 'store simulated rooms there, to resume an interrupted run')
    .option('--json', 'print the result as JSON; progress goes to stderr')
    .addHelpText('after', '\nExample:\n  csiflow train confirmation --model models/ward-3 --cache rooms')
    .action(async ({ json, ...options }: Options) => {
      const print = toPeople(json);
      const { trainConfirmationOf } = await import('../../../../bench/memory/train-confirmation.js');
      const { folder, manifest, figures } = await trainConfirmationOf({ ...options, print });
      if (json)
        process.stdout.write(`${JSON.stringify({ folder, memory: manifest.memory, figures }, null, 2)}\n`);
    });
}
