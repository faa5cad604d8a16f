import type { Command } from 'commander';

interface Options {
  readonly url: string;
  readonly interval: string;
  readonly once: boolean;
  readonly json: boolean;
}

export function register(program: Command): void {
  program
    .command('top')
    .description('Show what each node of a running csiflow does: rates, drops, queues, lag.')
    .option('--url <address>', 'address of the running csiflow', 'http://127.0.0.1:8000')
    .option('--interval <seconds>', 'time between two looks', '2')
    .option('--once', 'one look, then end', false)
    .option('--json', 'one JSON object for each look', false)
    .addHelpText(
      'after',
      '\nLAG is the clock less event time; BUSY the share of the time spent in a node, GATE that for which it held the\npump back. It reads /metrics, which needs a credential in CSIFLOW_TOKEN where csiflow runs with --require-login.' +
        '\nExample:\n  csiflow top\n  csiflow top --once --json',
    )
    .action(top);
}

async function top({ url, interval, once, json }: Options): Promise<void> {
  const [{ setTimeout: sleep }, { ratesBetween, ratesText, readMoment }, { untilStopped }, { numberOption }] =
    await Promise.all([
      import('node:timers/promises'),
      import('../figures.js'),
      import('../recordings/progress.js'),
      import('../recordings/address.js'),
    ]);
  const pause = 1000 * numberOption('interval', interval, 0.1);
  const stop = untilStopped();
  const clear = process.stdout.isTTY && !once && !json ? '\x1b[H\x1b[J' : '';
  try {
    let before = await readMoment(url);
    do {
      await sleep(pause, undefined, { signal: stop.signal }).catch(ignoreAbort);
      if (stop.signal.aborted) return;
      const after = await readMoment(url);
      const rates = ratesBetween(before, after);
      before = after;
      const text = json ? JSON.stringify({ time: new Date().toISOString(), nodes: rates }) : ratesText(rates);
      process.stdout.write(`${clear}${text}\n${json || clear !== '' || once ? '' : '\n'}`);
    } while (!once);
  } finally {
    stop.release();
  }
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}
