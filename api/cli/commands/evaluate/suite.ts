import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { TaskName } from '../../../../bench/suite/contracts.js';
import type { Measured } from '../../../../bench/suite/task.js';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';
import { packageFile } from '../../../../pipeline/base/paths.js';
import { wholeNumber } from '../../number-options.js';
import { endedBySignals } from '../../ended-by-signals.js';
import { prepareOut } from '../../out-folder.js';
import { TaskProgress } from '../../task-progress.js';
import { toStderr } from '../../to-stderr.js';

interface Options {
  readonly topology: string;
  readonly only: readonly string[];
  readonly seed: number;
  readonly rooms: number;
  readonly atOnce: number;
  readonly data?: string;
  readonly out?: string;
  readonly json?: boolean;
  readonly write?: boolean;
  readonly list?: boolean;
  readonly pages?: boolean;
  readonly plugin: readonly string[];
  readonly model: readonly string[];
}

export function register(evaluate: Command): void {
  evaluate
    .command('suite')
    .description('Run the benchmark: tasks with people, rooms and chips held out, with baselines.')
    .option(
      '--data <folder>',
      'folder of recordings, with labelled/; without it, tasks on recordings are skipped',
    )
    .option('--only <task...>', 'only these tasks; see --list', [])
    .option('--list', 'list the tasks with their inputs and the expected outputs of a model')
    .option('--topology <file>', 'topology to measure', packageFile('topologies/demo.yaml'))
    .option(
      '--seed <number>',
      'seed of simulated rooms and random answers; no shipped model was trained on seeds from 900000 to 1999999',
      wholeNumber(0, 2 ** 31),
      900_000,
    )
    .option(
      '--rooms <number>',
      'simulated rooms per task; with fewer than 20, the same share of the recordings',
      wholeNumber(1, 10_000),
      20,
    )
    .option('--at-once <number>', 'scenes played in parallel', wholeNumber(1, 64), 4)
    .option('--out <folder>', 'also write suite.md and suite.json to this folder')
    .option('--json', 'print the report as JSON; progress goes to stderr')
    .option('--write', 'update the report, the model cards and the table in README')
    .option('--pages', 'measure nothing: regenerate the pages from docs/reports/suite.json')
    .option('--model <file...>', 'manifests of external models to evaluate beside csiflow', [])
    .option('--plugin <file...>', 'modules with your own components', [])
    .addHelpText(
      'after',
      '\nExample:\n  csiflow evaluate suite --data recordings --only activity-intel falls --rooms 5',
    )
    .action(measure);
}

async function measure(options: Options): Promise<void> {
  const [contracts, suite, report] = await Promise.all([
    import('../../../../bench/suite/contracts.js'),
    import('../../../../bench/suite/tasks/suite.js'),
    import('../../../../bench/suite/report.js'),
  ]);
  if (options.list) {
    process.stdout.write(`${JSON.stringify(contracts.CONTRACTS, null, 2)}\n`);
    return;
  }
  if (options.pages) return rewritePages();
  const names = taskNames(options.only, contracts.TASK_NAMES);
  const manifests = await loadManifests(options.model);
  const { panelOf, rowOf } = await import('../../../../bench/suite/foreign/panel.js');
  const { provenanceOf } = await import('../../../../bench/shared/provenance.js');
  const progress = new TaskProgress(names.length);
  const print = (line: string) => {
    progress.step(line);
  };
  const keep = (line: string) => {
    progress.write(line);
  };
  const plan = { ...(await planOf(options)), panel: panelOf(manifests), print, keep };
  const made = provenanceOf(plan.topology);
  if (options.out !== undefined) {
    prepareOut(options.out);
    report.earlierTasks(options.out, report.suiteReport(plan, made, []).topology);
  }
  const done = (one: Measured) => {
    progress.done(
      `${one.id}: ${one.skipped === null ? `measured in ${one.seconds} s` : `skipped: ${one.skipped}`}`,
    );
    if (!options.json) process.stdout.write(`${report.measuredText(one)}\n`);
    // Immediately: a task takes minutes, and the next one may fail.
    if (options.out !== undefined) report.writeSuite(options.out, report.suiteReport(plan, made, [one]));
  };
  const began = (id: TaskName) => {
    progress.begin(id);
  };
  const all = () =>
    suite.runSuite(plan, names, manifests.map(rowOf), { began, done }).finally(() => {
      progress.end();
    });
  const measured = await endedBySignals(all, () => {
    progress.endEarly('interrupted', options.out);
  });
  const whole = report.suiteReport(plan, made, measured);
  if (options.json) process.stdout.write(`${JSON.stringify(whole, null, 2)}\n`);
  if (options.write) await writeAll(whole, toStderr);
}

/** @throws CommandError, after printing the problems, if one cannot be used */
async function loadManifests(files: readonly string[]) {
  const [{ loadManifest }, { printProblems, summary }] = await Promise.all([
    import('../../../../bench/suite/foreign/manifest.js'),
    import('../../topologies.js'),
  ]);
  const loaded = files.map((file) => loadManifest(file));
  const problems = loaded.flatMap((one) => one.problems);
  if (problems.length > 0) process.stderr.write(`${printProblems(problems)}\n`);
  const manifests = loaded.flatMap(({ manifest }) => (manifest ? [manifest] : []));
  if (manifests.length < files.length) throw new CommandError(summary(problems), EXIT.invalid);
  return manifests;
}

async function planOf(options: Options) {
  const [{ registryWith }, { loadForCommand }] = await Promise.all([
    import('../../../plugins.js'),
    import('../../topologies.js'),
  ]);
  const registry = await registryWith(options.plugin);
  const { seed, rooms, atOnce } = options;
  return {
    seed,
    rooms,
    atOnce,
    topology: loadForCommand(options.topology, { env: process.env, standIn: 'unset' }, registry),
    data: options.data === undefined ? undefined : resolve(options.data),
  };
}

async function rewritePages(): Promise<void> {
  const { readSuite } = await import('../../../../bench/suite/report.js');
  const whole = readSuite(packageFile('docs/reports/suite.json'));
  return writeAll(whole, toStderr);
}

async function writeAll(
  whole: import('../../../../bench/suite/report.js').SuiteReport,
  print: (line: string) => void,
): Promise<void> {
  const { outputFile } = await import('../../../../pipeline/base/paths.js');
  const { writePages } = await import('../../../../bench/suite/pages.js');
  for (const file of writePages(whole, outputFile)) print(`wrote ${file}`);
}

function taskNames(only: readonly string[], known: readonly TaskName[]): readonly TaskName[] {
  const wrong = only.filter((name) => !(known as readonly string[]).includes(name));
  if (wrong.length === 0) return known.filter((name) => only.length === 0 || only.includes(name));
  throw new CommandError(
    `unknown task ${wrong.join(', ')}; available tasks: ${known.join(', ')}`,
    EXIT.invalid,
  );
}
