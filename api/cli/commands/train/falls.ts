import { Option, type Command } from 'commander';
import { wholeNumber } from '../../number-options.js';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';

interface Options {
  data?: string;
  out?: string;
  seed: number;
  several?: boolean;
  warnings?: boolean;
  cache?: string;
  state?: string;
  patience?: number;
  json?: boolean;
}

export function register(train: Command): void {
  train
    .command('falls')
    .description('Train the nets of detect-falls on the recordings whose licence permits it.')
    .option(
      '--data <folder>',
      'folder with captures/esp32-serial and labelled/esp32-continuous; required without --several and --warnings',
    )
    .option(
      '--out <file>',
      'weights to write (default: those in operators/detect-falls/weights, of the checkout or below the current folder)',
    )
    .option('--seed <number>', 'seed of the bootstrap, the noise and the initial weights', wholeNumber(0), 1)
    .option('--several', 'train the nets of several links instead, on simulated rooms (no recordings needed)')
    .addOption(
      new Option(
        '--warnings',
        'fit the model of early warnings, on simulated rooms and the shipped nets of several links',
      ).conflicts('several'),
    )
    .option(
      '--cache <folder>',
      'with --several or --warnings: store simulated rooms there, to resume an interrupted run',
    )
    .option(
      '--state <file>',
      'with --several: save the state of the training there after each epoch, and resume from it',
    )
    .option(
      '--patience <number>',
      'stop a net after this many validations without improvement (with --several: on other rooms, once per epoch, default 20; otherwise on a third of the examples, every 10 steps, default 0); 0: never',
      wholeNumber(0),
    )
    .option('--json', 'print the training as JSON, without the weights; progress goes to stderr')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow train falls --data recordings\n  csiflow train falls --several --cache rooms --state falls.state\n  csiflow train falls --warnings --cache rooms',
    )
    .action(async ({ json, several, warnings, ...options }: Options) => {
      const print = (line: string) => (json ? process.stderr : process.stdout).write(`${line}\n`);
      const train = warnings ? trainWarnings : several ? trainSeveral : trainOne;
      const trained = await train(options, print);
      const { name, version, trainedOn, settings, threshold, file, sha256 } = trained;
      if (json) {
        const summary = { name, version, trainedOn, settings, threshold, file, sha256 };
        process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
      }
    });
}

type Print = (line: string) => void;

async function trainOne({ data, ...options }: Options, print: Print) {
  if (data === undefined)
    throw new CommandError('--data is required: the folder of the recordings to train on', EXIT.invalid);
  const { missingFolder } = await import('../../../../operators/detect-falls/material.js');
  const missing = missingFolder(data);
  if (missing !== undefined) throw new CommandError(missing, EXIT.invalid);
  const { trainFalls } = await import('../../../../operators/detect-falls/train.js');
  return trainFalls({ ...options, patience: options.patience ?? 0, data, print });
}

async function trainSeveral(options: Options, print: Print) {
  const { trainSeveral: train } = await import('../../../../bench/falls/train-several.js');
  return train({ ...options, patience: options.patience ?? 20, print });
}

async function trainWarnings(options: Options, print: Print) {
  const { trainWarning } = await import('../../../../bench/falls/train-warning.js');
  return trainWarning({ ...options, print });
}
