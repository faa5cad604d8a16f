import type { Command } from 'commander';
import { wholeNumber } from '../../whole-number.js';

interface Options {
  model: string;
  seed: number;
  rooms?: number;
  epochs?: number;
  patience: number;
  cache?: string;
  state?: string;
  json?: boolean;
}

export function register(train: Command): void {
  train
    .command('memory')
    .description(
      'Train what infer-pose remembers from window to window, behind the pose network of a model, on simulated rooms.',
    )
    .option('--model <folder>', 'model that is to remember: `general`, or a folder', 'general')
    .option('--seed <number>', 'of the first weights and the order of rooms', wholeNumber(0, 2 ** 31), 1)
    .option('--rooms <number>', 'rooms that are simulated (default: 720)', wholeNumber(1, 100_000))
    .option('--epochs <number>', 'how often each is seen (default: 40)', wholeNumber(1, 10_000))
    .option(
      '--patience <number>',
      'stop after so many looks at rooms that are not trained on without a better one, one an epoch; 0: never',
      wholeNumber(0, 10_000),
      20,
    )
    .option('--cache <folder>', 'keep simulated rooms there, so that a run that was cut short goes on')
    .option('--state <file>', 'keep the state of the training there after each epoch, and go on from it')
    .option('--json', 'print what was trained as JSON; progress goes to stderr')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow train memory --model models/ward-3 --cache rooms --state ward-3.state',
    )
    .action(async ({ json, ...options }: Options) => {
      const print = (line: string) => (json ? process.stderr : process.stdout).write(`${line}\n`);
      const { trainMemoryOf } = await import('../../../../bench/memory/train-memory.js');
      const { folder, manifest, figures } = await trainMemoryOf({ ...options, print });
      if (json)
        process.stdout.write(`${JSON.stringify({ folder, memory: manifest.memory, figures }, null, 2)}\n`);
    });
}
