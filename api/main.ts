import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Registry, type Component } from '../pipeline/component/index.js';
import {
  formatProblem,
  loadTopology,
  parseTopology,
  type CheckedTopology,
  type LoadOptions,
} from '../pipeline/config/index.js';
import { createRunner } from '../pipeline/runtime/runner.js';
import type { RunningTopology } from '../pipeline/runtime/status.js';
import { createLogger, type Level } from '../pipeline/telemetry/log.js';
import { createMetrics } from '../pipeline/telemetry/metrics.js';
import { systemClock } from '../pipeline/telemetry/clock.js';
import { CommandError, EXIT } from './cli/exit.js';
import { components } from './components.js';
import { openServer, type RunningServer } from './server.js';

export interface RunSettings {
  readonly host: string;
  readonly port: number;
  readonly form: 'a' | 'b';
  readonly api: boolean;
  /** End when all input has ended. */
  readonly untilEnd: boolean;
  readonly level: Level;
  /** Modules of the user's own components: their default export is a list of them. */
  readonly plugins: readonly string[];
}

/**
 * Runs a topology until Ctrl-C, SIGTERM or, if asked, the end of its input.
 * @throws CommandError with the exit code of what kept it from running.
 */
export async function runTopology(file: string, settings: RunSettings): Promise<void> {
  const registry = await withPlugins(settings.plugins);
  const topology = load(file, registry);
  const log = createLogger({ level: settings.level });
  const metrics = createMetrics();
  const clock = systemClock;
  const runner = createRunner(topology, { clock, log, metrics });
  const stopAsked = stopSignal();
  const server = settings.api
    ? await openServer({
        main: runner,
        parse: (text) =>
          parseTopology(
            { text, shown: file, file: topology.file, folder: topology.folder },
            registry,
            variables(),
          ),
        clock,
        log: log.child({ node: 'api' }),
        stateFolder: topology.settings.stateFolder,
        host: settings.host,
        port: settings.port,
        form: settings.form,
        metrics: () => metrics.text(),
      })
    : null;
  try {
    if (server) announce(server, topology);
    await runner.start();
    await Promise.race([stopAsked, settings.untilEnd ? runner.finished() : new Promise(() => undefined)]);
  } finally {
    await stop(runner, server);
  }
}

async function stop(runner: RunningTopology, server: RunningServer | null): Promise<void> {
  const { state } = runner.status();
  if (state !== 'stopped' && state !== 'failed') await runner.stop();
  await server?.close();
}

/** Resolves with the first Ctrl-C or SIGTERM; a second one ends the process at once: the next start recovers. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = () => {
      if (asked) process.exit(130);
      asked = true;
      process.stderr.write('Stopping after a checkpoint; once more to end at once.\n');
      resolve();
    };
    process.on('SIGINT', ask);
    process.on('SIGTERM', ask);
  });
}

function load(file: string, registry: Registry): CheckedTopology {
  const { topology, problems } = loadTopology(file, registry, variables());
  for (const problem of problems) process.stderr.write(`${formatProblem(problem, sourceOf(problem.file))}\n`);
  if (!topology) throw new CommandError(`${file} was not run: mend what is said above`, EXIT.invalid);
  return topology;
}

/** Secrets are files of the folder that CSIFLOW_SECRETS names, or variables. */
const variables = (): LoadOptions => ({ env: process.env, secrets: process.env['CSIFLOW_SECRETS'] });

function sourceOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined; // the problem itself says that it cannot be read
    throw error;
  }
}

/** The components that ship, and those of the user's own modules. */
async function withPlugins(files: readonly string[]): Promise<Registry> {
  const registry = new Registry(components.list());
  for (const file of files) {
    const module = await importPlugin(file);
    const own = Array.isArray(module.default) ? module.default : [module.default];
    if (!own.every(isComponent)) {
      throw new CommandError(
        `${file} must export components as its default: what defineOperator, defineSource or defineSink give`,
        EXIT.invalid,
      );
    }
    for (const component of own) registry.add(component);
  }
  return registry;
}

/** @throws CommandError where the module cannot be loaded. */
async function importPlugin(file: string): Promise<{ readonly default?: unknown }> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as { default?: unknown };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      `--plugin ${file} cannot be loaded (it must be JavaScript): ${reason}`,
      EXIT.invalid,
    );
  }
}

const isComponent = (value: unknown): value is Component =>
  typeof value === 'object' && value !== null && 'kind' in value && 'name' in value && 'create' in value;

function announce({ address, firstPassword }: RunningServer, { id, environments }: CheckedTopology): void {
  const login = firstPassword ? `admin / ${firstPassword}   (shown this once; keep it)` : 'as before';
  const assumed = environments.flatMap((environment) => environment.assumed);
  process.stdout.write(
    [
      '',
      `  csiflow runs ${id}`,
      '',
      `  live page   ${address}/`,
      `  login       ${login}`,
      `  API         ${address}/api/v1/pose/latest, both forms under /form-a/api/v1 and /form-b/api/v1`,
      `  WebSocket   ${address.replace('http', 'ws')}/ws/pose`,
      `  metrics     ${address}/metrics`,
      '',
      '  Open the live page and log in: the room from above, people, their trails and alerts.',
      ...assumed.map((note) => `  Assumed: ${note}`),
      '  Ctrl-C stops it and keeps what was stored.',
      '',
      '',
    ].join('\n'),
  );
}
