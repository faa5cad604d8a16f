import { Option, type Command } from 'commander';
import type { Scaled, ScaleOptions } from '../../../../bench/speed/system/scale.js';
import { subcarrierCount, wholeNumber, wholeNumbers } from '../../number-options.js';

interface Options extends Omit<ScaleOptions, 'progress'> {
  readonly json: boolean;
}

const threadCounts = wholeNumbers(0, 64, '0,1');

export function register(bench: Command): void {
  bench
    .command('scale')
    .description(
      'Measure many rooms in one process, without and with threads, with the same again as a control.',
    )
    .option('--rooms <number>', 'rooms of four links', wholeNumber(1, 1_000), 100)
    .option('--topologies <number>', 'topologies that share the rooms; a divisor', wholeNumber(1, 100), 1)
    .option('--frames <number>', 'frames per second of each link', wholeNumber(1, 100_000), 20)
    .option('--subcarriers <number>', 'subcarriers of a frame: 64 or 128', subcarrierCount, 64)
    .option('--hop-ms <number>', 'between two windows of a room', wholeNumber(20, 60_000), 1_000)
    .option('--threads <list>', 'values of `settings.threads`', threadCounts, [0, 1])
    .option('--rounds <number>', 'rounds; csiflow is restarted in each', wholeNumber(1, 100), 3)
    .option(
      '--seconds <number>',
      'length of each measurement, after five of warm-up',
      wholeNumber(1, 3_600),
      30,
    )
    .addOption(
      new Option('--chain <name>', 'motion: only cleaning, motion and store')
        .choices(['demo', 'poses', 'motion'])
        .default('poses'),
    )
    .option('--json', 'print the results as JSON', false)
    .addHelpText(
      'after',
      '\nExample:\n  csiflow bench scale --rooms 10 --topologies 2 --frames 500 --chain motion',
    )
    .action(run);
}

async function run({ json, ...options }: Options, command: Command): Promise<void> {
  const { rooms, topologies } = options;
  if (rooms % topologies !== 0)
    command.error(`error: --rooms ${rooms} must be a multiple of --topologies ${topologies}`, {
      exitCode: 2,
    });
  const [{ scale }, { machine, machineText }] = await Promise.all([
    import('../../../../bench/speed/system/scale.js'),
    import('../../../../bench/machine.js'),
  ]);
  const on = machine();
  const scaled = await scale({ ...options, progress: (line) => process.stderr.write(`${line}\n`) });
  if (json) process.stdout.write(`${JSON.stringify({ machine: on, ...options, scaled }, null, 2)}\n`);
  else process.stdout.write(`${machineText(on)}\n\n${table(scaled).join('\n')}\n`);
}

/** As Markdown, one line a run. */
const table = (scaled: readonly Scaled[]): readonly string[] => [
  '| round | threads | frames/s | lost | processor time per frame, us | of the main thread, us | lag p50, ms | lag p99, ms | longest gap between poses of a room, s | windows dropped | memory, MB |',
  '|---|---|---|---|---|---|---|---|---|---|---|',
  ...scaled.map(
    ({
      round,
      threads,
      isControl,
      reached,
      lost,
      sent,
      microseconds,
      mainMicroseconds,
      lag,
      longestGap,
      dropped,
      residentMb,
    }) =>
      `| ${round} | ${threads}${isControl ? ', again' : ''} | ${reached} | ${((100 * lost) / sent).toFixed(1)} % | ` +
      `${microseconds.toFixed(1)} | ${mainMicroseconds.toFixed(1)} | ${lag ? lag.p50.toFixed(0) : ''} | ` +
      `${lag ? lag.p99.toFixed(0) : ''} | ${longestGap?.toFixed(2) ?? ''} | ${dropped} | ${residentMb.toFixed(0)} |`,
  ),
];
