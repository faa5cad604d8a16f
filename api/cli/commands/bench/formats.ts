import type { Command } from 'commander';
import type { FormatSpeed, MadeSpeed } from '../../../../bench/speed/formats.js';
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
    .argument(
      '[files...]',
      'recordings, except tables such as .mat and .npz; without any, made-up records of each format',
    )
    .option('--csiread <python>', 'a Python with csiread, to measure it on the same files in the same run')
    .option('--json', 'print the results as JSON', false)
    .addHelpText(
      'after',
      '\nExample:\n  csiflow bench formats captures/ward.dat --csiread python3\n  csiflow bench formats',
    )
    .action(run);
}

async function run(files: readonly string[], { csiread, json }: Options): Promise<void> {
  const [
    { readingRecordings },
    { formatSpeeds, madeSpeeds, PAIRS },
    { stepCosts },
    { machine, machineText },
  ] = await Promise.all([
    import('../../recordings/errors.js'),
    import('../../../../bench/speed/formats.js'),
    import('../../../../bench/speed/cleaning-steps.js'),
    import('../../../../bench/machine.js'),
  ]);
  const on = machine();
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  const formats = await readingRecordings(() =>
    Promise.resolve(formatSpeeds(files, csiread ?? null, undefined, progress)),
  );
  const made = files.length === 0 ? madeSpeeds(undefined, undefined, progress) : [];
  const cleaning = stepCosts(progress);
  const rounds = PAIRS;
  if (json)
    process.stdout.write(`${JSON.stringify({ machine: on, rounds, formats, made, cleaning }, null, 2)}\n`);
  else
    process.stdout.write(
      `${machineText(on)}; ${rounds} rounds\n\n${tables(formats, made, cleaning).join('\n')}\n`,
    );
}

const round = (value: number): string => Math.round(value).toLocaleString('en');

/** As Markdown. */
const tables = (
  formats: readonly FormatSpeed[],
  made: readonly MadeSpeed[],
  cleaning: readonly StepCost[],
): readonly string[] => [
  ...(formats.length === 0 ? [] : [...recordingRows(formats), '']),
  ...(made.length === 0 ? [] : [...madeRows(made), '']),
  '| cleaning step | ns per frame |',
  '|---|---|',
  ...cleaning.map(({ step, nsPerFrame }) => `| \`${step}\` | ${round(nsPerFrame)} |`),
];

const recordingRows = (formats: readonly FormatSpeed[]): readonly string[] => [
  '| recording | format | frames | frames/s | slowest to fastest reading | control | csiread, frames/s | csiflow over csiread |',
  '|---|---|---|---|---|---|---|---|',
  ...formats.map(
    ({ file, format, frames, perSecond, slowest, fastest, control, csiread }) =>
      `| ${file} | \`${format}\` | ${round(frames)} | ${round(perSecond)} | ${round(slowest)} to ${round(fastest)} | ${(100 * control).toFixed(1)} % | ` +
      (csiread === null ? ' | |' : `${round(csiread.perSecond)} | ${csiread.ratio.toFixed(2)} |`),
  ),
];

const madeRows = (made: readonly MadeSpeed[]): readonly string[] => [
  '| format | frame | frames/s | slowest to fastest reading | control |',
  '|---|---|---|---|---|',
  ...made.map(
    ({ format, size, perSecond, slowest, fastest, control }) =>
      `| \`${format}\` | ${size} | ${round(perSecond)} | ${round(slowest)} to ${round(fastest)} | ${(100 * control).toFixed(1)} % |`,
  ),
];
