import { Option, type Command } from 'commander';
import type { FormatSpeed, MadeSpeed } from '../../../../bench/speed/formats.js';
import type { StepCost } from '../../../../bench/speed/cleaning-steps.js';

interface Options {
  readonly csiread?: string;
  readonly only?: 'decode' | 'clean';
  readonly quick: boolean;
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
    .addOption(
      new Option('--only <part>', 'measure only decoding, or only the cleaning steps').choices([
        'decode',
        'clean',
      ]),
    )
    .option('--quick', 'fewer rounds and shorter runs: for a quick look, not for publication', false)
    .option('--json', 'print the results as JSON', false)
    .addHelpText(
      'after',
      '\nExample:\n  csiflow bench formats captures/ward.dat --csiread python3\n  csiflow bench formats --only clean --quick',
    )
    .action(run);
}

async function run(
  files: readonly string[],
  { csiread, only, quick, json }: Options,
  command: Command,
): Promise<void> {
  if (only === 'clean' && files.length > 0)
    command.error('error: --only clean measures made-up frames: leave out the recordings', { exitCode: 2 });
  const [
    { readingRecordings },
    { formatSpeeds, madeSpeeds, FULL, QUICK },
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
  const amount = quick ? QUICK : FULL;
  const formats = await readingRecordings(() =>
    Promise.resolve(formatSpeeds(files, csiread ?? null, amount, progress)),
  );
  const made = files.length === 0 && only !== 'clean' ? madeSpeeds(amount, progress) : [];
  const cleaning = only === 'decode' ? [] : stepCosts(amount, progress);
  const rounds = amount.pairs;
  if (json)
    process.stdout.write(
      `${JSON.stringify({ machine: on, quick, rounds, formats, made, cleaning }, null, 2)}\n`,
    );
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
  ...(cleaning.length === 0 ? [] : cleaningRows(cleaning)),
];

const cleaningRows = (cleaning: readonly StepCost[]): readonly string[] => [
  '| cleaning step | frames | ns per frame | fastest to slowest measurement | control |',
  '|---|---|---|---|---|',
  ...cleaning.map(
    ({ step, frames, nsPerFrame, fastest, slowest, control }) =>
      `| \`${step}\` | ${round(frames)} | ${round(nsPerFrame)} | ${round(fastest)} to ${round(slowest)} | ${(100 * control).toFixed(1)} % |`,
  ),
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
