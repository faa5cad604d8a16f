import type { Command } from 'commander';
import type { FormatSpeed } from '../../../../bench/speed/formats.js';
import type { StepCost } from '../../../../bench/speed/cleaning-steps.js';

interface Options {
  readonly csiread?: string;
  readonly json: boolean;
}

export function register(bench: Command): void {
  bench
    .command('formats')
    .description(
      'Measure how many frames of each recording are decoded per second of processor time, and the cost of cleaning.',
    )
    .argument('<files...>', 'recordings of any kind')
    .option('--csiread <python>', 'a Python with csiread, to measure it on the same files in the same run')
    .option('--json', 'print the results as JSON', false)
    .addHelpText('after', '\nExample:\n  csiflow bench formats captures/ward.dat --csiread python3')
    .action(run);
}

async function run(files: readonly string[], { csiread, json }: Options): Promise<void> {
  const { readingRecordings } = await import('../../recordings/errors.js');
  const { formatSpeeds } = await import('../../../../bench/speed/formats.js');
  const { stepCosts } = await import('../../../../bench/speed/cleaning-steps.js');
  const formats = await readingRecordings(() => Promise.resolve(formatSpeeds(files, csiread ?? null)));
  const cleaning = stepCosts();
  if (json) process.stdout.write(`${JSON.stringify({ formats, cleaning }, null, 2)}\n`);
  else process.stdout.write(`${tables(formats, cleaning).join('\n')}\n`);
}

/** As Markdown. */
function tables(formats: readonly FormatSpeed[], cleaning: readonly StepCost[]): readonly string[] {
  const round = (value: number): string => Math.round(value).toLocaleString('en');
  return [
    '| recording | format | frames | frames/s | control | csiread, frames/s | csiflow over csiread |',
    '|---|---|---|---|---|---|---|',
    ...formats.map(
      ({ file, format, frames, perSecond, control, csiread }) =>
        `| ${file} | \`${format}\` | ${round(frames)} | ${round(perSecond)} | ${(100 * control).toFixed(1)} % | ` +
        (csiread === null ? ' | |' : `${round(csiread.perSecond)} | ${csiread.ratio.toFixed(2)} |`),
    ),
    '',
    '| cleaning step | ns per frame |',
    '|---|---|',
    ...cleaning.map(({ step, nsPerFrame }) => `| \`${step}\` | ${round(nsPerFrame)} |`),
  ];
}
