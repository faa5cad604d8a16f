import type { Command } from 'commander';
import { CommandError, EXIT } from '../exit.js';

interface HealthOptions {
  readonly url: string;
  readonly json: boolean;
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
    .option('--json', 'print the answer as JSON', false)
    .addHelpText('after', '\nExample:\n  csiflow health --url http://127.0.0.1:8000')
    .action(async ({ url, json }: HealthOptions) => {
      const health = await ask(url);
      process.stdout.write(json ? `${JSON.stringify(health)}\n` : `${health.status}\n`);
      if (health.status !== 'healthy' && health.status !== 'degraded') process.exitCode = EXIT.failed;
    });
}

async function ask(url: string): Promise<{ readonly status: string }> {
  try {
    const response = await fetch(`${url}/form-b/api/v1/health`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return (await response.json()) as { status: string };
  } catch (error) {
    throw new CommandError(
      `no csiflow answers at ${url} (${error instanceof Error ? error.name : String(error)})`,
      EXIT.unavailable,
    );
  }
}
