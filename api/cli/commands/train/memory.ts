import type { Command } from 'commander';
import { wholeNumber } from '../../number-options.js';
import type { Band } from '../../../../bench/memory/bands.js';
import { bandOption } from '../../band-option.js';
import { toPeople } from '../../to-stderr.js';

interface Options {
  model: string;
  out?: string;
  seed: number;
  start?: string;
  rooms?: number;
  epochs?: number;
  patience: number;
  band: Band;
  cache?: string;
  state?: string;
  json?: boolean;
}

export function register(train: Command): void {
  train
    .command('memory')
    .description(
      'Train the memory network of infer-pose behind the pose network of a model, on simulated rooms.',
    )
    .option('--model <folder>', 'model to extend: `general`, or a folder', 'general')
    .option(
      '--out <folder>',
      'folder of the extended model (default: that of --model; from an installation, a copy of a shipped model below the current folder)',
    )
    .option(
      '--seed <number>',
      'seed of the initial weights and the order of rooms',
      wholeNumber(0, 2 ** 31),
      1,
    )
    .option('--start <model>', 'start from the memory of this model: `general`, or a folder')
    .option('--rooms <number>', 'number of simulated rooms (default: 2125)', wholeNumber(1, 100_000))
    .option('--epochs <number>', 'epochs (default: 40, or 6 with --start)', wholeNumber(1, 10_000))
    .option(
      '--patience <number>',
      'stop after this many validations on other rooms without improvement, one per epoch; 0: never',
      wholeNumber(0, 10_000),
      20,
    )
    .addOption(bandOption())
    .option('--cache <folder>', 'store simulated rooms there, to resume an interrupted run')
    .option('--state <file>', 'save the state of the training there after each epoch, and resume from it')
    .option('--json', 'print the training as JSON; progress goes to stderr')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow train memory --model models/ward-3 --cache rooms --state ward-3.state',
    )
    .action(async ({ json, ...options }: Options) => {
      const print = toPeople(json);
      const { trainMemoryOf } = await import('../../../../bench/memory/train-memory.js');
      const { folder, manifest, figures } = await trainMemoryOf({ ...options, print });
      if (json)
        process.stdout.write(`${JSON.stringify({ folder, memory: manifest.memory, figures }, null, 2)}\n`);
    });
}
