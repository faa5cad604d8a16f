import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';

interface HealthOptions {
  readonly url: string;
  readonly json: boolean;
  readonly ready: boolean;
}

/** A service manager asks again soon: what does not answer by then is not well. */
const TIMEOUT_MS = 5_000;

export function register(program: Command): void {
  program
    .command('health')
    .description(
      'Ask a running csiflow how it is: ends with 0 while it runs, be it degraded, else with 1 or 3.',
    )
    .option('--url <address>', 'address of the running csiflow', 'http://127.0.0.1:8000')
    .option('--ready', 'ask whether it is of use: its main topology runs, its stores answer', false)
    .option('--json', 'print the answer as JSON', false)
    .addHelpText(
      'after',
      '\nExample:\n  csiflow health --url http://127.0.0.1:8000\n  csiflow health --ready',
    )
    .action(async ({ url, json, ready }: HealthOptions) => {
      const health = ready ? await askReady(url) : await ask(url);
      process.stdout.write(json ? `${JSON.stringify(health)}\n` : `${health.status}\n`);
      if (!FINE.has(health.status)) process.exitCode = EXIT.failed;
    });
}

const FINE = new Set(['healthy', 'degraded', 'ready']);

interface Health {
  readonly status: string;
}

const ask = async (url: string): Promise<Health> =>
  (await (await reach(url, '/form-b/api/v1/health')).json()) as Health;

/** Else the status is what is missing. */
async function askReady(url: string): Promise<Health> {
  const response = await reach(url, '/readyz');
  return { status: response.ok ? 'ready' : (await response.text()).trim() };
}

async function reach(url: string, path: string): Promise<Response> {
  try {
    return await fetch(url + path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    throw new CommandError(
      `no csiflow answers at ${url} (${error instanceof Error ? error.name : String(error)})`,
      EXIT.unavailable,
    );
  }
}
