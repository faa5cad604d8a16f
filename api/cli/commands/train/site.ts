import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';
import { packageFile } from '../../../../pipeline/base/paths.js';
import type { Environment } from '../../../../pipeline/model/index.js';
import type { LabelledRecording } from '../../../../bench/site/train-site.js';
import { wholeNumber } from '../../number-options.js';
import { toPeople } from '../../to-stderr.js';

interface Options {
  readonly topology: string;
  readonly environment?: string;
  readonly out: string;
  readonly seed: number;
  readonly steps: number;
  readonly patience: number;
  readonly json?: boolean;
}

/** Suffix that turns the name of a recording into that of its labels. */
const LABELS = '.labels.csv';

export function register(train: Command): void {
  train
    .command('site')
    .description(
      `Train the memory network of infer-pose on recordings of your own room. The labels of evening.csi are beside it, in evening.csi${LABELS}.`,
    )
    .argument('<recordings...>', 'recordings of any format that csiflow reads')
    .option(
      '--topology <file>',
      'topology whose nodes and model to use; the recordings replace its source',
      packageFile('topologies/demo.yaml'),
    )
    .option(
      '--environment <file>',
      "environment file of the recordings' room (default: that of the topology)",
    )
    .requiredOption('--out <folder>', 'folder of the new model; its name is the model’s')
    .option('--seed <number>', 'seed of the order of training data', wholeNumber(0, 2 ** 31), 1)
    .option('--steps <number>', 'largest number of steps of 64 windows', wholeNumber(1, 1_000_000), 1500)
    .option(
      '--patience <number>',
      'stop after this many validations on held-out data without improvement, one every 25 steps; 0: never',
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
  const print = toPeople(json);
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

/** @throws CommandError if a file is missing or wrong; the problem is printed on stderr */
async function labelled(
  paths: readonly string[],
  environment: Environment,
): Promise<readonly LabelledRecording[]> {
  const { existsSync } = await import('node:fs');
  const { loadLabels } = await import('../../../../bench/site/labels.js');
  const { printProblems, summary } = await import('../../topologies.js');
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw new CommandError(`${missing} does not exist`, EXIT.invalid);
  const loaded = paths.map((path) => ({ path, ...loadLabels(`${path}${LABELS}`, environment) }));
  const problems = loaded.flatMap((one) => one.problems);
  if (problems.length > 0) process.stderr.write(`${printProblems(problems)}\n`);
  return loaded.map((one) => {
    if (one.labels) return { path: one.path, labels: one.labels, absolute: one.absolute };
    throw new CommandError(summary(problems), EXIT.invalid);
  });
}
