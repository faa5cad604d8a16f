import { Option, type Command } from 'commander';
import { wholeNumber } from '../../number-options.js';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';
import { packageFile } from '../../../../pipeline/base/paths.js';
import { toPeople } from '../../to-stderr.js';

interface Options {
  data?: string;
  recordings?: string;
  topology: string;
  out?: string;
  seed: number;
  several?: boolean;
  slow?: boolean;
  warnings?: boolean;
  cache?: string;
  motion?: string;
  start?: string[];
  state?: string;
  report?: string;
  patience?: number;
  json?: boolean;
}

const EXAMPLES =
  '\nExample:\n  csiflow train falls --recordings my-falls --topology my-room/topology.yaml --out models/my-falls.json\n  csiflow train falls --data recordings\n  csiflow train falls --several --cache rooms --state falls.state\n  csiflow train falls --several --cache rooms --motion motion --start operators/detect-falls/weights/falls-several.json --out models/falls.json\n  csiflow train falls --slow --cache rooms --motion motion --start operators/detect-falls/weights/falls-several.json --out models/slow-falls.json\n  csiflow train falls --warnings --cache rooms --motion motion';

const MOTION =
  'with --several or --warnings: folder of recorded motion (clips/ and ragdoll-falls/); adds rooms where people move and fall as recorded';
const WARNINGS = 'fit the model of early warnings, on simulated rooms and the shipped nets of several links';
const SLOW =
  'train the nets of several links for rooms with few frames a second: 20 to 30 from each link instead of 30 to 80 (implies --several)';
const REPORT =
  'with --several: write the losses of all epochs, and the falls found in tuning rooms, to this Markdown file';
const START =
  'with --several: weights to train further, in rooms of other seeds; of several files, the mean. A fifth of the first stays';

export function register(train: Command): void {
  train
    .command('falls')
    .description('Train the nets of detect-falls, on the recordings whose licence permits it or on your own.')
    .addOption(
      new Option(
        '--recordings <folder>',
        'train on your own recordings of one link, named fall/PERSON-NUMBER.ENDING and OTHER-ACTIVITY/PERSON-NUMBER.ENDING, in any format that csiflow reads; requires --out',
      ).conflicts(['data', 'several', 'warnings', 'state']),
    )
    .option(
      '--topology <file>',
      'with --recordings: topology through whose nodes they are played',
      packageFile('topologies/demo.yaml'),
    )
    .option(
      '--data <folder>',
      'folder with captures/esp32-serial and labelled/esp32-continuous; required without --recordings, --several and --warnings',
    )
    .option(
      '--out <file>',
      'weights to write (default: those in operators/detect-falls/weights, of the checkout or below the current folder)',
    )
    .option('--seed <number>', 'seed of the bootstrap, the noise and the initial weights', wholeNumber(0), 1)
    .option('--several', 'train the nets of several links instead, on simulated rooms (no recordings needed)')
    .addOption(
      new Option('--slow', SLOW).implies({ several: true }).conflicts(['recordings', 'data', 'warnings']),
    )
    .addOption(new Option('--warnings', WARNINGS).conflicts('several'))
    .option(
      '--cache <folder>',
      'store simulated rooms (--several, --warnings) or what the nodes made of recordings (--recordings) there, to resume an interrupted run',
    )
    .addOption(new Option('--motion <folder>', MOTION).conflicts(['recordings', 'data']))
    .addOption(new Option('--start <file...>', START).conflicts(['recordings', 'data', 'warnings']))
    .option(
      '--state <file>',
      'with --several: save the state of the training there after each epoch, and resume from it',
    )
    .addOption(new Option('--report <file>', REPORT).conflicts(['recordings', 'data', 'warnings']))
    .option(
      '--patience <number>',
      'stop a net after this many validations without improvement (with --several: on other rooms, once per epoch, default 20; otherwise on a third of the examples, every 10 steps, default 0); 0: never',
      wholeNumber(0),
    )
    .option('--json', 'print the training as JSON, without the weights; progress goes to stderr')
    .addHelpText('after', EXAMPLES)
    .action(async ({ json, several, warnings, ...options }: Options) => {
      const print = toPeople(json);
      const own = options.recordings === undefined ? trainOne : trainOwn;
      const train = warnings ? trainWarnings : several ? trainSeveral : own;
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
  const { missingFolder } = await import('../../../../operators/detect-falls/training/material.js');
  const missing = missingFolder(data);
  if (missing !== undefined) throw new CommandError(missing, EXIT.invalid);
  const { trainFalls } = await import('../../../../operators/detect-falls/training/train.js');
  return trainFalls({ ...options, patience: options.patience ?? 0, data, print });
}

async function trainOwn({ recordings, topology: path, out, cache, seed, patience }: Options, print: Print) {
  if (out === undefined)
    throw new CommandError('--out is required with --recordings: the file of the weights', EXIT.invalid);
  const [{ registryWith }, { loadForCommand }, { recordedIn }, { trainOwn: train }] = await Promise.all([
    import('../../../plugins.js'),
    import('../../topologies.js'),
    import('../../../../bench/site/in-environment.js'),
    import('../../../../bench/falls/train-own.js'),
  ]);
  const registry = await registryWith([]);
  const topology = recordedIn(loadForCommand(path, { env: process.env, standIn: 'unset' }, registry));
  const options = { topology, recordings: recordings!, out, cache, seed };
  return train({ ...options, patience: patience ?? 0, print });
}

async function trainSeveral(options: Options, print: Print) {
  const { trainSeveral: train } = await import('../../../../bench/falls/train-several.js');
  return train({ ...options, patience: options.patience ?? 20, print });
}

async function trainWarnings(options: Options, print: Print) {
  const { trainWarning } = await import('../../../../bench/falls/train-warning.js');
  return trainWarning({ ...options, print });
}
