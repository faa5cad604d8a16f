import { InvalidArgumentError, type Command } from 'commander';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';

interface Options {
  data: string;
  out?: string;
  seed: number;
  json?: boolean;
}

const wholeNumber = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return value;
};

export function register(train: Command): void {
  train
    .command('falls')
    .description('Train the nets of detect-falls on the recordings that their licence allows.')
    .requiredOption('--data <folder>', 'folder with captures/esp32-serial and labelled/esp32-continuous')
    .option('--out <file>', 'weights to be written (default: those that ship)')
    .option('--seed <number>', 'of the bootstrap, the noise and the first weights', wholeNumber, 1)
    .option('--json', 'print what was trained as JSON, without the weights; progress goes to stderr')
    .addHelpText('after', '\nExample:\n  csiflow train falls --data recordings')
    .action(async ({ json, ...options }: Options) => {
      const { missingFolder } = await import('../../../../operators/detect-falls/material.js');
      const missing = missingFolder(options.data);
      if (missing !== undefined) throw new CommandError(missing, EXIT.invalid);
      const { trainFalls } = await import('../../../../operators/detect-falls/train.js');
      const { name, version, trainedOn, settings, threshold, file, sha256 } = trainFalls({
        ...options,
        print: (line) => (json ? process.stderr : process.stdout).write(`${line}\n`),
      });
      if (json) {
        const summary = { name, version, trainedOn, settings, threshold, file, sha256 };
        process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
      }
    });
}
