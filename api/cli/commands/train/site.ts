import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';
import { packageFile } from '../../../../pipeline/base/paths.js';
import type { Environment } from '../../../../pipeline/model/index.js';
import type { LabelledRecording } from '../../../../bench/site/train-site.js';
import { wholeNumber } from '../../whole-number.js';

interface Options {
  readonly topology: string;
  readonly environment?: string;
  readonly out: string;
  readonly seed: number;
  readonly steps: number;
  readonly patience: number;
  readonly json?: boolean;
}

/** What the name of a file of labels adds to its recording's. */
const LABELS = '.labels.csv';

export function register(train: Command): void {
  train
    .command('site')
    .description(
      `Train what infer-pose remembers on recordings of your own room. Labels of evening.csi lie beside it, in evening.csi${LABELS}.`,
    )
    .argument('<recordings...>', 'files of any format that csiflow reads')
    .option(
      '--topology <file>',
      'topology whose nodes and model are used; its source is replaced by the recordings',
      packageFile('topologies/demo.yaml'),
    )
    .option('--environment <file>', "the recordings' room (default: that of the topology)")
    .requiredOption('--out <folder>', 'folder of the new model; its name is the model’s')
    .option('--seed <number>', 'of the order of what is trained on', wholeNumber(0, 2 ** 31), 1)
    .option('--steps <number>', 'steps of 64 windows, at most', wholeNumber(1, 1_000_000), 1500)
    .option(
      '--patience <number>',
      'stop after so many looks at a part that is not trained on without a better one, one every 25 steps; 0: never',
      wholeNumber(0, 10_000),
      20,
    )
    .option('--json', 'print the report as JSON; progress goes to stderr')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow train site evening.csi --topology my-room/topology.yaml --out models/my-room',
    )
    .action(trainOn);
}

async function trainOn(
  paths: readonly string[],
  { json, environment: file, ...options }: Options,
): Promise<void> {
  const [{ registryWith }, { loadForCommand }, { inEnvironment }] = await Promise.all([
    import('../../../plugins.js'),
    import('../../topologies.js'),
    import('../../../../bench/site/in-environment.js'),
  ]);
  const print = (line: string) => (json ? process.stderr : process.stdout).write(`${line}\n`);
  const registry = await registryWith([]);
  const loaded = loadForCommand(options.topology, { env: process.env, standIn: 'unset' }, registry);
  const environment = file === undefined ? null : await environmentOf(file);
  const topology = inEnvironment(loaded, environment);
  const recordings = await labelled(paths, topology.environments[0]!);
  const { trainSite } = await import('../../../../bench/site/train-site.js');
  const { tableText } = await import('../../../../bench/accuracy/chain/table.js');
  const report = await trainSite({ ...options, topology, recordings, print });
  print(`\n${tableText(report.table)}`);
  if (json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
}

async function environmentOf(file: string): Promise<Environment> {
  const { readEnvironmentFile } = await import('../../../../operators/infer-pose/training/main.js');
  return readEnvironmentFile(file);
}

/** @throws CommandError where a file is missing or wrong; what is wrong is then printed on stderr */
async function labelled(
  paths: readonly string[],
  environment: Environment,
): Promise<readonly LabelledRecording[]> {
  const { existsSync } = await import('node:fs');
  const { loadLabels } = await import('../../../../bench/site/labels.js');
  const { printProblems, summary } = await import('../../topologies.js');
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw new CommandError(`${missing} is not there`, EXIT.invalid);
  const loaded = paths.map((path) => ({ path, ...loadLabels(`${path}${LABELS}`, environment) }));
  const problems = loaded.flatMap((one) => one.problems);
  if (problems.length > 0) process.stderr.write(`${printProblems(problems)}\n`);
  return loaded.map((one) => {
    if (one.labels) return { path: one.path, labels: one.labels, absolute: one.absolute };
    throw new CommandError(summary(problems), EXIT.invalid);
  });
}
