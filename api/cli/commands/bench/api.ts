import type { Command } from 'commander';
import type { RouteSpeed } from '../../../../bench/speed/system/api.js';
import { wholeNumber } from '../../number-options.js';

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly frames: number;
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
      'frames per second that csiflow processes meanwhile',
      wholeNumber(1, 10_000),
      1_000,
    )
    .option('--json', 'print the results as JSON', false)
    .addHelpText('after', '\nExample:\n  csiflow bench api --rounds 9')
    .action(run);
}

async function run({ json, ...options }: Options): Promise<void> {
  const [{ apiSpeed, CONNECTIONS }, { machine, machineText }] = await Promise.all([
    import('../../../../bench/speed/system/api.js'),
    import('../../../../bench/machine.js'),
  ]);
  const on = machine();
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  const routes = await apiSpeed({ ...options, progress });
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ machine: on, connections: CONNECTIONS, ...options, routes }, null, 2)}\n`,
    );
    return;
  }
  process.stdout.write(`${machineText(on)}; ${CONNECTIONS} connections\n\n${table(routes).join('\n')}\n`);
}

/** As Markdown. */
const table = (routes: readonly RouteSpeed[]): readonly string[] => [
  '| route | calls/s | slowest to fastest round | over the bare server | p50, ms | p99, ms | processor time, us |',
  '|---|---|---|---|---|---|---|',
  ...routes.map(
    ({ route, perSecond, slowest, fastest, overBare, p50, p99, cpuUs }) =>
      `| ${route} | ${whole(perSecond)} | ${whole(slowest)} to ${whole(fastest)} | ${overBare.toFixed(2)} | ` +
      `${p50.toFixed(1)} | ${p99.toFixed(1)} | ${whole(cpuUs)} |`,
  ),
];

const whole = (value: number): string => Math.round(value).toLocaleString('en');
