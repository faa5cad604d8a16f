import type { Command } from 'commander';
import type { Recovery } from '../../../../bench/speed/system/recovery.js';
import { wholeNumber } from '../../number-options.js';

interface Options {
  readonly rounds: number;
  readonly frames: number;
  readonly against?: string;
  readonly json: boolean;
}

export function register(bench: Command): void {
  bench
    .command('recovery')
    .description('Measure a start after a kill under load, beside the same again as a control.')
    .option('--rounds <number>', 'counted rounds, after one of warm-up', wholeNumber(1, 100), 3)
    .option('--frames <number>', 'frames per second of 20 links at the kill', wholeNumber(1, 200_000), 20_000)
    .option('--against <folder>', 'a compiled checkout of another version, measured in turn with this one')
    .option('--json', 'print the results as JSON', false)
    .addHelpText('after', '\nExample:\n  csiflow bench recovery --rounds 5')
    .action(run);
}

async function run({ against, json, ...options }: Options): Promise<void> {
  const [{ recoverySpeed }, { machine, machineText }, path] = await Promise.all([
    import('../../../../bench/speed/system/recovery.js'),
    import('../../../../bench/machine.js'),
    import('node:path'),
  ]);
  const on = machine();
  const starts = await recoverySpeed({
    ...options,
    against: against === undefined ? null : path.resolve(against),
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  if (json) process.stdout.write(`${JSON.stringify({ machine: on, ...options, starts }, null, 2)}\n`);
  else
    process.stdout.write(
      `${machineText(on)}; ${options.rounds} rounds, killed at ${options.frames} frames/s\n\n${table(starts).join('\n')}\n`,
    );
}

/** As Markdown. */
const table = (starts: readonly Recovery[]): readonly string[] => [
  '| version | backlog, frames | until it is processed, s | processor time until then, s |',
  '|---|---|---|---|',
  ...starts.map(
    ({ version, backlog, seconds, cpu }) =>
      `| ${version} | ${spread(backlog, 0)} | ${spread(seconds, 2)} | ${spread(cpu, 2)} |`,
  ),
];

const spread = ([middle, least, most]: Recovery['seconds'], digits: number): string =>
  `${middle.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
