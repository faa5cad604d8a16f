import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';
import { packageFile } from '../../../../pipeline/base/paths.js';
import type { Plan } from '../../../../bench/accuracy/chain/plan.js';
import type { Measured, TableName } from '../../../../bench/accuracy/chain/tables/evaluate.js';
import { numberAbove0, wholeNumber } from '../../number-options.js';
import { endedBySignals } from '../../ended-by-signals.js';
import { prepareOut } from '../../out-folder.js';
import { receivedBy, withReceiverOptions, type ReceiverOptions } from '../../receiver-options.js';
import { TaskProgress } from '../../task-progress.js';
import { toStderr } from '../../to-stderr.js';
import { endWithMain, shareWork } from '../../share-work.js';

interface Options extends ReceiverOptions {
  readonly topology: string;
  readonly only: readonly string[];
  readonly seed: number;
  readonly rooms: number;
  readonly links: readonly number[];
  readonly minutes?: number;
  readonly atOnce: number;
  readonly jobs: number;
  readonly share?: string;
  readonly data?: string;
  readonly out?: string;
  readonly json?: boolean;
  readonly plugin: readonly string[];
}

const linkCounts = (text: string): readonly number[] => text.split(',').map(wholeNumber(2, 9));

/** Empty rooms and daily life, minutes per room. */
const MINUTES = { empty: 2, daily: 10 };

const SEEDS =
  'seed of rooms, bodies and motions; no shipped model was trained on seeds from 900000 to 1999999';

export function register(evaluate: Command): void {
  const chain = evaluate
    .command('chain', { isDefault: true })
    .description(
      'Play simulated scenes and recordings as raw frames through a topology, and measure the records at its sinks.',
    )
    .option('--topology <file>', 'topology to measure', packageFile('topologies/demo.yaml'))
    .option(
      '--only <table...>',
      'only these: empty, negatives, walking, diffuse, foreign, still, several, errors, robustness, receivers, falls, warnings, fall-like, rag-dolls, day, recordings, real-falls',
      [],
    )
    .option('--seed <number>', SEEDS, wholeNumber(0, 2 ** 31), 900_000)
    .option('--rooms <number>', 'rooms per row', wholeNumber(1, 10_000), 20)
    .option(
      '--links <numbers>',
      'numbers of links per room, such as 4,6,9; most tables use the first',
      linkCounts,
      [4, 6, 9],
    );
  withReceiverOptions(chain)
    .option(
      '--minutes <number>',
      'minutes of empty rooms and of daily life, one number for both (default: 2 and 10)',
      numberAbove0(1440),
    )
    .addOption(
      new Option('--at-once <number>', 'scenes played in parallel').argParser(wholeNumber(1, 64)).default(4),
    )
    .option(
      '--jobs <number>',
      'processes that share the rooms, 1 to 256; each needs a core or two and half a gigabyte',
      wholeNumber(1, 256),
      1,
    )
    .addOption(new Option('--share <folder>', 'work of another process to help with').hideHelp())
    .option(
      '--data <folder>',
      'folder of recordings, with captures/, labelled/, motion/ and scenes/; default: no tables of recordings',
    )
    .option('--out <folder>', 'also write accuracy.md and accuracy.json to this folder')
    .option('--json', 'print the report as JSON; progress goes to stderr')
    .option('--plugin <file...>', 'modules with your own components', [])
    .addHelpText(
      'after',
      '\nExample:\n  csiflow evaluate chain --only empty walking --rooms 5 --seed 700000\n  csiflow evaluate chain --jobs 8\n  csiflow evaluate chain --topology topologies/ward-3.yaml --data recordings --out reports',
    )
    .action(measure);
}

async function measure(options: Options): Promise<void> {
  if (options.share !== undefined) endWithMain();
  const [chain, report] = await Promise.all([
    import('../../../../bench/accuracy/chain/tables/evaluate.js'),
    import('../../../../bench/accuracy/chain/tables/report.js'),
  ]);
  const names = tableNames(options.only, chain.TABLES);
  const received = receivedBy(options, names.every(chain.hasOwnReceivers) ? names : []);
  const { topology, made } = await topologyOf(options);
  if (options.share === undefined) checkMeasured(options.only, names, (id) => chain.missingIn(topology, id));
  const { minutes, data } = options;
  const out = options.share === undefined ? options.out : undefined;
  if (out !== undefined) {
    prepareOut(out);
    report.earlierTables(out, report.reportOf({ topology, seed: options.seed }, made, []).topology);
  }
  const progress = new TaskProgress(names.length);
  const endEarly = (why: string): Promise<void> => {
    progress.endEarly(why, out);
    return end();
  };
  const { work, helps, end } = shareWork(options.jobs, options.share, (why) => {
    void endEarly(why).then(() => process.exit(EXIT.failed));
  });
  const plan = {
    ...options,
    topology,
    ...(received && { received }),
    ...(work && { shared: work }),
    ...(data !== undefined && { data: resolve(data) }),
    minutes: { empty: minutes ?? MINUTES.empty, daily: minutes ?? MINUTES.daily },
    ...shownBy(progress),
  };
  const done = (one: Measured) => {
    progress.done(`${one.id}: ${one.problem ?? 'measured'}`);
    if (!options.json) process.stdout.write(`${report.measuredText(one)}\n`);
    // Immediately: a table takes minutes, and the next one may fail.
    if (out !== undefined) report.writeReport(out, report.reportOf(plan, made, [one]));
  };
  const begun = (id: TableName) => {
    progress.begin(id);
  };
  const all = () =>
    chain.evaluateChain(plan, names, done, begun).finally(() => {
      progress.end();
      return end();
    });
  if (helps) {
    await all();
    return;
  }
  const measured = await endedBySignals(all, () => endEarly('interrupted'));
  const whole = report.reportOf(plan, made, measured);
  if (options.json) process.stdout.write(`${JSON.stringify(whole, null, 2)}\n`);
  if (out === undefined) return;
  for (const file of report.writeReport(out, whole)) toStderr(`wrote ${file}`);
}

/**
 * Tables that a topology cannot be measured by are left out, unless they were asked for.
 * @throws CommandError for those, and if none remains
 */
function checkMeasured(
  only: readonly string[],
  names: readonly TableName[],
  missingIn: (id: TableName) => string | undefined,
): void {
  const problems = names.flatMap((id) => {
    const problem = missingIn(id);
    return problem === undefined ? [] : [`table ${id}: ${problem}`];
  });
  if (problems.length === 0 || (only.length === 0 && problems.length < names.length)) return;
  const after = problems.length < names.length ? '\nor leave these tables out of --only' : '';
  throw new CommandError(`${problems.join('\n')}${after}`, EXIT.invalid);
}

/** @throws CommandError also if its rooms are not calibrated, although somebody is to walk for it */
async function topologyOf({ topology: file, plugin, walker }: Options) {
  const [{ isCalibrated }, { registryWith }, { loadForCommand }, { provenanceOf }] = await Promise.all([
    import('../../../../bench/accuracy/chain/plan.js'),
    import('../../../plugins.js'),
    import('../../topologies.js'),
    import('../../../../bench/shared/provenance.js'),
  ]);
  const topology = loadForCommand(file, { env: process.env, standIn: 'unset' }, await registryWith(plugin));
  if (walker && !isCalibrated(topology))
    throw new CommandError(
      `leave out --walker: ${topology.id} names no calibration for infer-pose, so its rooms are not calibrated`,
      EXIT.invalid,
    );
  return { topology, made: provenanceOf(topology) };
}

function shownBy(progress: TaskProgress): Pick<Plan, 'print' | 'playing'> {
  const scenes = new Scenes();
  return {
    print: (line) => {
      progress.write(line);
    },
    playing: (scene, share) => {
      if (scenes.set(scene, share)) progress.now(scenes.text());
    },
  };
}

/** The scenes that are played at the moment, and how far each is. */
class Scenes {
  readonly #percent = new Map<string, number>();

  /** @returns whether the text changed */
  set(scene: string, share: number): boolean {
    const percent = Math.floor(100 * share);
    if (this.#percent.get(scene) === percent) return false;
    if (share < 1) this.#percent.set(scene, percent);
    else this.#percent.delete(scene);
    return true;
  }

  text(): string {
    return [...this.#percent].map(([scene, percent]) => `${scene} ${percent} %`).join(', ');
  }
}

function tableNames(
  only: readonly string[],
  tables: Readonly<Record<TableName, { readonly summary: string }>>,
): readonly TableName[] {
  const known = Object.keys(tables) as TableName[];
  const wrong = only.filter((name) => !(known as string[]).includes(name));
  if (wrong.length === 0) return known.filter((name) => only.length === 0 || only.includes(name));
  const list = known.map((name) => `  ${name.padEnd(12)}${tables[name].summary}`).join('\n');
  throw new CommandError(`unknown table ${wrong.join(', ')}; available tables:\n${list}`, EXIT.invalid);
}
