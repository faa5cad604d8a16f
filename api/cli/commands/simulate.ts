import type { Command } from 'commander';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import type { Recorded } from '../recordings/capture-writer.js';
import type { SimulatedScene } from '../recordings/simulate.js';

interface Options {
  readonly out: string;
  readonly source?: string;
  readonly seconds?: string;
  readonly seed?: string;
  readonly rate?: string;
  readonly start?: string;
  readonly truth?: string;
  readonly note?: string;
  readonly force: boolean;
  readonly json: boolean;
  readonly plugin: readonly string[];
}

export function register(program: Command): void {
  program
    .command('simulate')
    .argument('<topology>', 'file with the environment and, under a source of type simulator, the scene')
    .description(
      'Write a simulated scene to a capture, as the datagrams of ESP32 boards, or as JSON if the simulator has another `device`.',
    )
    .requiredOption('--out <file>', 'the capture to write')
    .option('--source <id>', 'the simulator, if the topology has several; without one: the default scene')
    .option('--seconds <n>', 'event time to simulate; default: duration_s of the source, otherwise 60')
    .option('--seed <n>', 'another seed: another room, other people')
    .option('--rate <hz>', 'packets per second and link')
    .option('--start <time>', 'event time of the first packet; default: 2026-01-01T00:00:00Z')
    .option('--truth <file>', 'write the true positions of people, one JSON object per line')
    .option('--note <text>', 'note stored in the capture')
    .option('--force', 'overwrite existing files', false)
    .option('--json', 'print the result as JSON', false)
    .option('--plugin <file...>', 'modules with your own components', [])
    .addHelpText(
      'after',
      '\nExample:\n  csiflow simulate topologies/demo.yaml --seconds 60 --out fall.csi --truth fall.ndjson\n  csiflow inspect fall.csi',
    )
    .action(simulate);
}

async function simulate(file: string, options: Options): Promise<void> {
  const { records, bytes } = await capture(await sceneIn(file, options), options);
  const { out, truth, json } = options;
  const result = { file: out, records, bytes, ...(truth === undefined ? {} : { truth }) };
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${out}: ${records} records, ${bytes} bytes\n`);
}

/** The topology's settings, overridden by the options. */
async function sceneIn(file: string, options: Options): Promise<SimulatedScene> {
  const [path, { registryWith }, { loadTopology }, { printProblems, summary }] = await Promise.all([
    import('node:path'),
    import('../../plugins.js'),
    import('../../../pipeline/config/index.js'),
    import('../topologies.js'),
  ]);
  // The scene may have no reader here, so warnings are dropped.
  const components = await registryWith(options.plugin);
  const { topology, problems } = loadTopology(file, components, { env: process.env, standIn: 'unset' });
  if (!topology) {
    process.stderr.write(`${printProblems(problems)}\n`);
    throw new CommandError(summary(problems), EXIT.invalid);
  }
  const truth = options.truth === undefined ? {} : { truth: path.resolve(options.truth) };
  const config = await configOf(sceneOf(topology, options.source), { ...options, ...truth });
  const { environments, folder } = topology;
  return { source: components.source('simulator')!, config, environments, folder };
}

/** Plays the scene into the capture; removes a capture without records. */
async function capture(scene: SimulatedScene, { out, truth, note, force }: Options): Promise<Recorded> {
  const [
    { rm },
    { simulateInto },
    { formatOf },
    { CaptureWriter },
    { Progress },
    { untilStopped },
    { notMade },
  ] = await Promise.all([
    import('node:fs/promises'),
    import('../recordings/simulate.js'),
    import('../recordings/simulated-datagrams.js'),
    import('../recordings/capture-writer.js'),
    import('../progress.js'),
    import('../until-stopped.js'),
    import('../recordings/errors.js'),
  ]);
  const rooms = scene.environments.map(({ id }) => id).join(', ');
  const meta = {
    format: formatOf(scene.config),
    origin: 'simulated' as const,
    created: new Date().toISOString(),
    source: `simulation of ${rooms}, seed ${String(scene.config['seed'])}`,
    ...(note === undefined ? {} : { note }),
  };
  if (truth !== undefined) await removeOld(truth, force);
  const writer = await CaptureWriter.create(out, meta, force).catch((error: unknown) => {
    throw notMade(error, out);
  });
  const stop = untilStopped();
  const progress = new Progress();
  try {
    return await simulateInto(scene, writer, stop.signal, (seconds) => {
      progress.show(() => `${seconds.toFixed(0)} of ${String(scene.config['duration_s'])} s simulated`);
    });
  } catch (error) {
    if (writer.recorded.records === 0) await rm(out);
    throw error;
  } finally {
    stop.release();
    progress.end();
    await writer.close();
  }
}

/** The configuration of the topology's simulator; {} if it has none. */
function sceneOf(
  { id, nodes }: CheckedTopology,
  asked: string | undefined,
): Readonly<Record<string, unknown>> {
  const simulators = nodes.filter(
    ({ component }) => component.kind === 'source' && component.name === 'simulator',
  );
  const names = simulators.map((node) => node.id).join(', ') || 'none';
  if (asked !== undefined) {
    const found = simulators.find((node) => node.id === asked);
    if (found) return found.config;
    throw new CommandError(`${id} has no simulator \`${asked}\`; it has: ${names}`, EXIT.invalid);
  }
  if (simulators.length <= 1) return simulators[0]?.config ?? {};
  throw new CommandError(`${id} has several simulators: choose one of ${names} with --source`, EXIT.invalid);
}

const DEFAULT_SECONDS = 60;

/** The options merged over the topology's settings, checked. @throws CommandError with the invalid value */
async function configOf(
  scene: Readonly<Record<string, unknown>>,
  { seconds, seed, rate, start, truth }: Options,
): Promise<Readonly<Record<string, unknown>>> {
  const [{ schemaErrors }, { simulator }, { numberOption }] = await Promise.all([
    import('../../../pipeline/config/schema/schema-errors.js'),
    import('../../../pipeline/sources/simulator/source.js'),
    import('../recordings/address.js'),
  ]);
  const duration = (scene['duration_s'] as number | undefined) ?? 0;
  const own = Object.fromEntries(Object.entries(scene).filter(([name]) => name !== 'truth'));
  const config: Record<string, unknown> = {
    start_time: '2026-01-01T00:00:00Z',
    ...own,
    duration_s: duration > 0 ? duration : DEFAULT_SECONDS,
    ...(seconds === undefined ? {} : { duration_s: numberOption('seconds', seconds, 0.001) }),
    ...(seed === undefined ? {} : { seed: numberOption('seed', seed, 0) }),
    ...(rate === undefined ? {} : { rate_hz: numberOption('rate', rate, 1) }),
    ...(start === undefined ? {} : { start_time: start }),
    ...(truth === undefined ? {} : { truth }),
  };
  const [error] = schemaErrors(config, simulator.config);
  if (error) {
    throw new CommandError(
      `the scene cannot be simulated: ${error.instancePath} ${error.message ?? ''}`,
      EXIT.invalid,
    );
  }
  const [complaint] = simulator.check?.(config as never) ?? [];
  if (complaint) throw new CommandError(complaint.message, EXIT.invalid);
  return config;
}

/** The truth is appended to its file, so it must be empty. */
async function removeOld(file: string, force: boolean): Promise<void> {
  const { access, rm } = await import('node:fs/promises');
  const { notMade } = await import('../recordings/errors.js');
  const there = await access(file).then(
    () => true,
    () => false,
  );
  if (there && !force) throw notMade(Object.assign(new Error(), { code: 'EEXIST' }), file);
  if (there) await rm(file);
}
