import { InvalidArgumentError, type Command } from 'commander';
import { CommandError } from '../../../../pipeline/base/exit.js';
import { toPeople } from '../../to-stderr.js';

interface Options {
  environment?: string;
  minutes?: number;
  windows?: number;
  out?: string;
  report?: string;
  seed: number;
  threads: number;
  rate: number;
  patience: number;
  start?: string;
  state?: string;
  sequences: number;
  backend: 'fastest' | 'tensorflow-gpu' | 'tensorflow' | 'wasm';
  json?: boolean;
}

const number = (text: string): number => {
  const value = Number(text);
  if (!(value >= 0)) throw new InvalidArgumentError('It must be a number, 0 or more.');
  return value;
};

export function register(train: Command): void {
  train
    .command('pose')
    .description('Train the network of infer-pose on simulated rooms, for any room or for one environment.')
    .option(
      '--environment <file>',
      'train only for this environment; walls, furniture, people and motions vary',
    )
    .option('--minutes <number>', 'how long to train (default: 60)', number)
    .option('--windows <number>', 'train on this many windows instead: repeatable', number)
    .option(
      '--out <folder>',
      'folder of the weights; its name is the model’s (default: in operators/infer-pose/weights, of the checkout or below the current folder)',
    )
    .option(
      '--report <folder>',
      'folder of the report (default: docs/reports, of the checkout or below the current folder)',
    )
    .option('--seed <number>', 'seed of rooms, motions and initial weights', number, 1)
    .option('--threads <number>', 'threads that simulate during training', number, 1)
    .option('--rate <number>', 'highest learning rate', number, 0.0025)
    .option(
      '--patience <number>',
      'stop after this many validations on other rooms without improvement, one every 25,600 windows; 0: never',
      number,
      20,
    )
    .option('--start <model>', 'start from these weights: general, or a folder')
    .option('--state <file>', 'save the state of the training here, and resume from an existing one')
    .option('--sequences <number>', 'held-out windows per table of the report', number, 1000)
    .option('--backend <name>', 'fastest, tensorflow-gpu, tensorflow or wasm', 'fastest')
    .option('--json', 'print the report as JSON instead of progress')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow train pose --environment topologies/environments/demo-flat.yaml --minutes 20',
    )
    .action(run);
}

async function run({ json, ...options }: Options): Promise<void> {
  const [{ trainPose }, { Progress }, { untilStopped }] = await Promise.all([
    import('../../../../operators/infer-pose/training/main.js'),
    import('../../progress.js'),
    import('../../until-stopped.js'),
  ]);
  const progress = new Progress();
  const print = toPeople(json);
  // Without a file for its state, Ctrl-C has nothing to save and ends the process at once.
  const stop = options.state === undefined ? undefined : untilStopped();
  try {
    const report = await trainPose({
      ...options,
      print: (line) => {
        progress.end();
        print(line);
      },
      show: (text) => {
        progress.show(text);
      },
      ...(stop && { signal: stop.signal }),
    });
    if (json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  } catch (error) {
    if (stop?.caused(error)) throw new CommandError('the training was interrupted');
    throw error;
  } finally {
    stop?.release();
  }
}
