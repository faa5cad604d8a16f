import type { Command } from 'commander';
import type { RouteSpeed } from '../../../../bench/speed/system/api.js';
import { wholeNumber } from '../../number-options.js';

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly frames: number;
  readonly peer?: string;
  readonly json: boolean;
}

export function register(bench: Command): void {
  bench
    .command('api')
    .description('Measure calls per second of the service interface, beside a bare server of Node.')
    .option('--rounds <number>', 'counted rounds, after one of warm-up', wholeNumber(1, 100), 5)
    .option('--seconds <number>', 'length of each measurement', wholeNumber(1, 60), 3)
    .option(
      '--frames <number>',
      'frames per second sent to the program that is being asked',
      wholeNumber(1, 10_000),
      1_000,
    )
    .option('--peer <file>', 'measure routes of another program beside them: its adapter, with routes')
    .option('--json', 'print the results as JSON', false)
    .addHelpText(
      'after',
      '\nExample:\n  csiflow bench api --rounds 9\n  csiflow bench api --peer other-server.yaml',
    )
    .action(run);
}

async function run({ json, peer: file, ...options }: Options): Promise<void> {
  const [{ apiSpeed, CONNECTIONS }, { readAdapter }, { machine, machineText }] = await Promise.all([
    import('../../../../bench/speed/system/api.js'),
    import('../../../../bench/speed/system/adapter.js'),
    import('../../../../bench/machine.js'),
  ]);
  const on = machine();
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  const peer = file === undefined ? undefined : await readAdapter(file);
  const routes = await apiSpeed({ ...options, peer, progress });
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ machine: on, connections: CONNECTIONS, ...options, peer, routes }, null, 2)}\n`,
    );
    return;
  }
  process.stdout.write(`${machineText(on)}; ${CONNECTIONS} connections\n\n${table(routes).join('\n')}\n`);
}

/** As Markdown. */
function table(routes: readonly RouteSpeed[]): readonly string[] {
  const peer = routes.some(({ overPeer }) => overPeer !== null);
  return [
    `| route | calls/s | slowest to fastest round | over the bare server |${peer ? ' over the peer |' : ''} p50, ms | p99, ms | processor time, us | bytes |`,
    `|---|---|---|---|${peer ? '---|' : ''}---|---|---|---|`,
    ...routes.map(
      ({ route, perSecond, slowest, fastest, overBare, overPeer, p50, p99, cpuUs, bytes }) =>
        `| ${route} | ${whole(perSecond)} | ${whole(slowest)} to ${whole(fastest)} | ${overBare.toFixed(2)} | ` +
        (overPeer === null ? '' : `${overPeer.toFixed(2)} | `) +
        `${p50.toFixed(1)} | ${p99.toFixed(1)} | ${whole(cpuUs)} | ${whole(bytes)} |`,
    ),
  ];
}

const whole = (value: number): string => Math.round(value).toLocaleString('en');
