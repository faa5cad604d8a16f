import type { Command } from 'commander';
import { causeText } from '../../../pipeline/base/error-text.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';

interface HealthOptions {
  readonly url: string;
  readonly json: boolean;
  readonly ready: boolean;
}

/** A service manager repeats the check soon: no answer within this time means unhealthy. */
const TIMEOUT_MS = 5_000;

export function register(program: Command): void {
  program
    .command('health')
    .description(
      'Check a running csiflow: exits with 0 while it runs, even if degraded, otherwise with 1 or 3.',
    )
    .option('--url <address>', 'address of the running csiflow', 'http://127.0.0.1:8000')
    .option('--ready', 'check readiness: its main topology runs, its stores answer', false)
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

/** Otherwise the status is the missing part. */
async function askReady(url: string): Promise<Health> {
  const response = await reach(url, '/readyz');
  return { status: response.ok ? 'ready' : (await response.text()).trim() };
}

async function reach(url: string, path: string): Promise<Response> {
  try {
    return await fetch(url + path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    throw new CommandError(`no csiflow answers at ${url} (${causeText(error)})`, EXIT.unavailable);
  }
}
