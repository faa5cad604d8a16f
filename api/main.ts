import type { OwnersReach, CheckedTopology, LoadOptions, LoadResult } from '../pipeline/config/index.js';
import type { Clock, Registry } from '../pipeline/component/index.js';
import type { Data } from '../pipeline/model/index.js';
import { createRunner } from '../pipeline/runtime/runner.js';
import type { RunningTopology } from '../pipeline/runtime/status.js';
import { lockFolder } from '../pipeline/state/index.js';
import { createLogger, type Level, type Log } from '../pipeline/telemetry/log.js';
import { createMetrics, type Metrics } from '../pipeline/telemetry/metrics.js';
import { packageVersion } from '../pipeline/base/paths.js';
import { addProcessMetrics } from '../pipeline/telemetry/process-metrics.js';
import { traceSettings } from '../pipeline/telemetry/traces/index.js';
import type { OpenTracer } from '../pipeline/telemetry/traces/otlp.js';
import { systemClock } from '../pipeline/base/clock.js';
import { CommandError, EXIT, exitCodeOf } from '../pipeline/base/exit.js';
import { listenForStop } from '../pipeline/base/stop-signal.js';
import { Configuration } from './service/configuration/configuration.js';
import { RefusedError } from './service/configuration/refusals.js';
import { NO_FACTS } from './service/configuration/field.js';
import type { RunningServer, ServerOptions } from './server.js';
import { posesOf } from './service/deployment/environments.js';
import { withWebhooks } from './service/deployment/webhooks-node.js';
import { endOnStrayErrors } from './stray-errors.js';
import { TopologyChecks } from './topology-checks.js';
import { undelivered, warnOfDrops } from './end-of-input.js';
import { errorText } from '../pipeline/base/error-text.js';

export interface RunSettings extends Pick<
  ServerOptions,
  'tls' | 'hosts' | 'origins' | 'identityProvider' | 'formsOf' | 'limits' | 'loginRequired'
> {
  readonly host: string;
  readonly port: number;
  readonly form: 'a' | 'b';
  readonly api: boolean;
  /** Exit when all input has ended. */
  readonly untilEnd: boolean;
  readonly level: Level;
  /** Environment variables that topologies sent over the network may use, besides those of the files. */
  readonly variables: readonly string[];
}

/** The loaded topologies. */
export interface Loaded {
  readonly registry: Registry;
  /** Modules of your own components in the registry. */
  readonly plugins: readonly string[];
  /** Host resources that the files use. */
  readonly reach: OwnersReach;
  /** Their files, as passed. */
  readonly files: readonly string[];
  readonly topologies: readonly CheckedTopology[];
}

/**
 * Runs topologies, the first of them as the main one, until Ctrl-C, SIGTERM or, if requested, the end of
 * their input.
 * @throws CommandError with the exit code for the cause if they cannot run.
 */
export async function runTopologies(loaded: Loaded, settings: RunSettings): Promise<void> {
  const [first, ...others] = loaded.topologies;
  const given = [withWebhooks(first!), ...others];
  const log = createLogger({ level: settings.level });
  const metrics = createMetrics();
  addProcessMetrics(metrics.registry, packageVersion());
  const tracer = await tracerOf(metrics, log);
  const run = (checked: CheckedTopology): RunningTopology =>
    createRunner(checked, { clock: systemClock, log, metrics, tracer });
  const all = given.map(run) as [RunningTopology, ...RunningTopology[]];
  // The server has a separate one.
  if (!settings.api) configure(all, { clock: systemClock, log });
  given.forEach(refuseIfHeld);
  const stopSignal = listenForStop();
  const forgetStrayErrors = endOnStrayErrors(log);
  const checks = checksFor(loaded, settings);
  let server: RunningServer | null = null;
  let left: readonly string[] = [];
  try {
    if (settings.api) server = await serve({ loaded, settings, given, all, run, log, metrics, checks });
    await Promise.all(all.map((one) => begin(one, all.length > 1 ? one.topology.id : undefined)));
    const ended = settings.untilEnd
      ? Promise.all(all.map((one) => one.finished())).then(() => true)
      : new Promise<boolean>(() => undefined);
    if ((await Promise.race([stopSignal.asked, ended])) === true) {
      for (const one of all) warnOfDrops(one, log);
      left = all.flatMap(undelivered);
    }
  } finally {
    await stop(all, server);
    await checks.close();
    await tracer?.close();
    stopSignal.forget();
    forgetStrayErrors();
  }
  if (left.length > 0) throw new CommandError(left.join('\n'), EXIT.unavailable);
}

/** Checks texts of topologies sent over the network, with the host resources of the owner's files. */
const checksFor = ({ registry, plugins, reach }: Loaded, settings: RunSettings): TopologyChecks =>
  new TopologyChecks(registry, {
    plugins,
    secrets: variables().secrets,
    files: reach.files,
    scripts: reach.scripts,
    commands: reach.commands,
    variables: new Set([...reach.variables, ...settings.variables]),
  });

interface Served {
  readonly loaded: Loaded;
  readonly settings: RunSettings;
  readonly given: readonly CheckedTopology[];
  readonly all: readonly [RunningTopology, ...RunningTopology[]];
  readonly run: (checked: CheckedTopology) => RunningTopology;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly checks: TopologyChecks;
}

/** Opens the service interface, and prints its address. Imported here, because a run without it then starts sooner. */
async function serve(parts: Served): Promise<RunningServer> {
  const { openServer } = await import('./server.js');
  const { loaded, settings, given, all, run, log, metrics, checks } = parts;
  const [main, ...beside] = all;
  const { stateFolder, accountsFolder } = main.topology.settings;
  const server = await openServer({
    main,
    beside,
    parse: async (text, id, unsaved) => {
      const index = given.findIndex((topology) => topology.id === id);
      const own = given[index];
      const from = own
        ? { shown: loaded.files[index]!, file: own.file, folder: own.folder }
        : { shown: `${id}.yaml`, file: null, folder: given[0]!.folder };
      return served(given[0]!.id, await checks.check({ text, ...from, ...(unsaved && { unsaved }) }));
    },
    workshop: {
      run,
      forget: (id) => {
        metrics.forget(id);
      },
    },
    clock: systemClock,
    log: log.child({ node: 'api' }),
    stateFolder,
    ...(accountsFolder !== undefined && { accountsFolder }),
    host: settings.host,
    port: settings.port,
    form: settings.form,
    metrics: () => metrics.text(),
    watch: (node, watcher, of = given[0]!.id) =>
      metrics.node(of, node).watch((record) => {
        watcher(record as Data);
      }),
    ...outside(settings),
  }).catch(asInvalid);
  announce(server, given);
  return server;
}

/** A new version of the served topology gets the webhooks node too. */
function served(id: string, loaded: LoadResult): LoadResult {
  const { topology, problems, hidden = [] } = loaded;
  return topology?.id === id ? { topology: withWebhooks(topology), problems, hidden } : loaded;
}

const outside = ({
  tls,
  hosts,
  origins,
  identityProvider,
  formsOf,
  limits,
  loginRequired = false,
}: RunSettings) => ({
  loginRequired,
  ...(formsOf && { formsOf }),
  ...(tls && { tls }),
  ...(hosts && { hosts }),
  ...(origins && { origins }),
  ...(identityProvider && { identityProvider }),
  ...(limits && { limits }),
});

/**
 * Runs before the interface opens its files in a state folder that another process may use.
 * @throws CommandError with that process
 */
function refuseIfHeld({ settings: { stateFolder } }: CheckedTopology): void {
  try {
    lockFolder(stateFolder)();
  } catch (error) {
    throw new CommandError(errorText(error), exitCodeOf(error));
  }
}

/** Applies the configuration set by the service interface to the topology. */
function configure(
  [main, ...beside]: readonly [RunningTopology, ...RunningTopology[]],
  { clock, log }: { clock: Clock; log: Log },
): void {
  try {
    new Configuration({
      main,
      others: () => beside,
      stateFolder: main.topology.settings.stateFolder,
      clock,
      log: log.child({ node: 'api' }),
      facts: NO_FACTS,
    });
  } catch (error) {
    asInvalid(error);
  }
}

/** The privacy promised by the service interface cannot be met with the given files. */
function asInvalid(error: unknown): never {
  if (error instanceof RefusedError) throw new CommandError(error.message, EXIT.invalid);
  throw error;
}

/** Null unless OpenTelemetry's environment variables name a collector. */
async function tracerOf(metrics: Metrics, log: Log): Promise<OpenTracer | null> {
  try {
    const settings = traceSettings(process.env);
    if (!settings) return null;
    const { openTracer } = await import('../pipeline/telemetry/traces/otlp.js');
    return openTracer(settings, { metrics, log, version: packageVersion() });
  } catch (error) {
    throw new CommandError(errorText(error), EXIT.invalid);
  }
}

/**
 * Starts it; if it is stopped by the service interface during the start, it can be started again there.
 * @param name for errors, if several are started
 * @throws CommandError with the error that prevented the start, unchanged.
 */
export async function begin(runner: Pick<RunningTopology, 'start' | 'status'>, name?: string): Promise<void> {
  try {
    await runner.start();
  } catch (error) {
    if (runner.status().state !== 'failed') return;
    const reason = errorText(error);
    throw new CommandError(name === undefined ? reason : `${name}: ${reason}`, exitCodeOf(error));
  }
}

async function stop(all: readonly RunningTopology[], server: RunningServer | null): Promise<void> {
  const up = all.filter((one) => !['stopped', 'failed'].includes(one.status().state));
  try {
    // A failure to stop one must not affect the others.
    const ends = await Promise.allSettled(up.map((one) => one.stop()));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  } finally {
    await server?.close();
  }
}

/** Secrets are files of the folder that CSIFLOW_SECRETS names, or variables. */
export const variables = (): LoadOptions => ({ env: process.env, secrets: process.env['CSIFLOW_SECRETS'] });

function announce({ address, firstPassword }: RunningServer, given: readonly CheckedTopology[]): void {
  const login = firstPassword
    ? `admin / ${firstPassword}   (shown only once; store it)`
    : `as before (lost? csiflow user password admin --topology ${given[0]!.file})`;
  const environments = given.flatMap((topology) => topology.environments);
  const shown = given.some((topology) => posesOf(topology) === 'sent')
    ? 'people, their trails and alerts'
    : 'its links, motion and presence';
  const assumed = new Set(environments.flatMap((environment) => environment.assumed));
  process.stdout.write(
    [
      '',
      `  csiflow runs ${given.map(({ id }) => id).join(', ')}`,
      '',
      `  live page   ${address}/`,
      `  login       ${login}`,
      `  API         ${address}/api/v1/pose/latest, both forms under /form-a/api/v1 and /form-b/api/v1`,
      `  WebSocket   ${address.replace('http', 'ws')}/ws/pose`,
      `  metrics     ${address}/metrics`,
      '',
      `  Open the live page and log in: the room from above, ${shown}.`,
      ...[...assumed].map((note) => `  Assumed: ${note}`),
      '  Ctrl-C stops it and the stored data remains.',
      '',
      '',
    ].join('\n'),
  );
}
