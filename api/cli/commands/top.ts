import type { Command } from 'commander';
import { ignoreAbort } from '../../../pipeline/base/waiting.js';

interface Options {
  readonly url: string;
  readonly interval: string;
  readonly once: boolean;
  readonly json: boolean;
}

export function register(program: Command): void {
  program
    .command('top')
    .description(
      'Show the activity of each node of a running csiflow, in the order of the graph: rates, drops, queues, lag, and which node is the bottleneck.',
    )
    .option('--url <address>', 'address of the running csiflow', 'http://127.0.0.1:8000')
    .option('--interval <seconds>', 'time between two updates', '2')
    .option('--once', 'print once, then exit', false)
    .option('--json', 'one JSON object per update', false)
    .addHelpText(
      'after',
      '\nNodes are indented by their distance from a source. The bottleneck blocks the pump for half of the time or more, or has\nmore records waiting than arrive in a second. QUEUE includes records that wait in the outbox of a sink.\nIf records arrive faster than all nodes together can process, a last line says that the machine is too slow.' +
        '\nLAG is the clock minus event time. BUSY is the share of time spent in a node, added up over its records: more than 100\nwhere several are in it at once. GATE is the share for which it blocked the pump.\nIt reads /metrics, which requires a credential in CSIFLOW_TOKEN if csiflow runs with --require-login.' +
        '\nExample:\n  csiflow top\n  csiflow top --once --json',
    )
    .action(top);
}

async function top({ url, interval, once, json }: Options): Promise<void> {
  const [
    { setTimeout: sleep },
    { ratesBetween, ratesJson, ratesText, readMoment },
    { untilStopped },
    { numberOption },
  ] = await Promise.all([
    import('node:timers/promises'),
    import('../figures.js'),
    import('../until-stopped.js'),
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
      const text = json ? ratesJson(rates, new Date()) : ratesText(rates);
      process.stdout.write(`${clear}${text}\n${json || clear !== '' || once ? '' : '\n'}`);
    } while (!once);
  } finally {
    stop.release();
  }
}
