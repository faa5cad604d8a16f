import { Option, type Command } from 'commander';
import type { IdleCost } from '../../../../bench/speed/system/idle.js';
import type { Chain } from '../../../../bench/speed/system/site.js';
import { wholeNumber, wholeNumbers } from '../../number-options.js';

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
  readonly frames: readonly number[];
  readonly chain?: Chain;
  readonly against?: string;
  readonly json: boolean;
}

const CHAINS: readonly Chain[] = ['motion', 'poses', 'demo'];
const rates = wholeNumbers(0, 10_000, '80,1000');

export function register(bench: Command): void {
  bench
    .command('idle')
    .description(
      'Measure the processor time of csiflow at low frame rates, with the same again as a control.',
    )
    .option('--rounds <number>', 'counted rounds, after one of warm-up', wholeNumber(1, 100), 3)
    .option('--seconds <number>', 'length of each measurement', wholeNumber(1, 600), 10)
    .option(
      '--warm-up <seconds>',
      'how long frames arrive before each measurement; after 60, V8 has compiled most of the code',
      wholeNumber(0, 600),
      3,
    )
    .option('--frames <list>', 'frames per second of 4 links; 0: none', rates, [80, 1_000])
    .addOption(
      new Option(
        '--chain <name>',
        'motion: only cleaning, motion and store; poses: with poses, tracks and falls; demo: all operators of the demo (default: all three)',
      ).choices(CHAINS),
    )
    .option('--against <folder>', 'a compiled checkout of another version, measured in turn with this one')
    .option('--json', 'print the results as JSON', false)
    .addHelpText('after', '\nExample:\n  csiflow bench idle --frames 0,80 --against ../csiflow-before')
    .action(run);
}

async function run({ json, chain, against, frames, ...options }: Options): Promise<void> {
  const [{ idleCost }, { machine, machineText }, path] = await Promise.all([
    import('../../../../bench/speed/system/idle.js'),
    import('../../../../bench/machine.js'),
    import('node:path'),
  ]);
  const on = machine();
  const costs = await idleCost({
    ...options,
    rates: frames,
    chains: chain ? [chain] : CHAINS,
    against: against === undefined ? null : path.resolve(against),
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  if (json) process.stdout.write(`${JSON.stringify({ machine: on, ...options, costs }, null, 2)}\n`);
  else
    process.stdout.write(
      `${machineText(on)}; ${options.rounds} rounds of ${options.seconds} s, each after ${options.warmUp} s of frames\n\n${table(costs).join('\n')}\n`,
    );
}

/** As Markdown. */
const table = (costs: readonly IdleCost[]): readonly string[] => [
  '| chain | frames/s | version | processor time per frame, us | in the kernel | of one core, % | sleeps/s | over this version | lost |',
  '|---|---|---|---|---|---|---|---|---|',
  ...costs.map(
    ({ chain, frames, version, usPerFrame, system, core, sleepsPerSecond, overThis, lost }) =>
      `| \`${chain}\` | ${frames} | ${version} | ${usPerFrame === null ? '' : spread(usPerFrame, 0)} | ` +
      `${(100 * system).toFixed(0)} % | ${spread(core, 1)} | ${sleepsPerSecond.toFixed(0)} | ` +
      `${overThis.toFixed(2)} | ${lost} |`,
  ),
];

const spread = ([middle, least, most]: IdleCost['core'], digits: number): string =>
  `${middle.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
