import type { Command } from 'commander';
import type { Memory } from '../../../../bench/speed/system/memory.js';
import { numberAbove0, wholeNumber } from '../../number-options.js';

interface Options {
  readonly minutes: number;
  readonly frames: number;
  readonly against?: string;
  readonly json: boolean;
}

export function register(bench: Command): void {
  bench
    .command('memory')
    .description(
      'Watch resident memory and processor time while frames arrive, beside the same again as a control.',
    )
    .option('--minutes <number>', 'how long', numberAbove0(24 * 60), 60)
    .option('--frames <number>', 'frames per second of 4 links', wholeNumber(1, 10_000), 1_000)
    .option('--against <folder>', 'a compiled checkout of another version, watched at the same time')
    .option('--json', 'print the results as JSON', false)
    .addHelpText('after', '\nExample:\n  csiflow bench memory --minutes 10')
    .action(run);
}

/** All versions at the same time: memory does not depend on who else uses the processor. */
async function run({ minutes, frames, against, json }: Options): Promise<void> {
  const [{ memoryUse }, { machine, machineText }, { packageFolder }, path] = await Promise.all([
    import('../../../../bench/speed/system/memory.js'),
    import('../../../../bench/machine.js'),
    import('../../../../pipeline/base/paths.js'),
    import('node:path'),
  ]);
  const on = machine();
  const folders = [
    ['this version', packageFolder],
    ['this version, again', packageFolder],
    ...(against === undefined ? [] : [[against, path.resolve(against)] as const]),
  ] as const;
  const versions = await Promise.all(
    folders.map(async ([version, folder]) => ({
      version,
      ...(await memoryUse({
        seconds: minutes * 60,
        rooms: 1,
        frames,
        folder,
        progress: (line) => process.stderr.write(`${version}, ${line}\n`),
      })),
    })),
  );
  if (json) process.stdout.write(`${JSON.stringify({ machine: on, minutes, frames, versions }, null, 2)}\n`);
  else
    process.stdout.write(
      `${machineText(on)}; ${minutes} minutes at ${frames} frames/s\n\n${table(versions).join('\n')}\n`,
    );
}

/** As Markdown. */
const table = (versions: readonly (Memory & { readonly version: string })[]): readonly string[] => [
  '| version | first, MB | mean of the second half, MB | last, MB | highest, MB | slope of the second half, MB per hour | processor time per frame of the second half, us | frames lost |',
  '|---|---|---|---|---|---|---|---|',
  ...versions.map(
    ({ version, samples, settled, highest, slope, error, usPerFrame, sent, lost }) =>
      `| ${version} | ${samples[0]!.toFixed(0)} | ${settled.toFixed(0)} | ${samples.at(-1)!.toFixed(0)} | ${highest.toFixed(0)} | ` +
      `${(slope * 60).toFixed(1)} ± ${(error * 60).toFixed(1)} | ${usPerFrame.toFixed(0)} | ${lost} of ${sent} |`,
  ),
];
