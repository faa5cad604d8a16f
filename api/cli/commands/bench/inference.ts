import { InvalidArgumentError, type Command } from 'commander';
import type { BatchSpeed, Best } from '../../../../bench/speed/inference/inference.js';
import type { SoakPoint } from '../../../../bench/speed/inference/soak.js';
import type { Spread } from '../../../../bench/shared/spread.js';
import { wholeNumber } from '../../number-options.js';

interface Options {
  readonly backends?: readonly string[];
  readonly url?: string;
  readonly batches: readonly number[];
  readonly inFlight: readonly number[];
  readonly threads: readonly number[];
  readonly weights: string;
  readonly links: number;
  readonly windows: number;
  readonly rounds: number;
  readonly soak?: number;
  readonly plot?: string;
  readonly json: boolean;
}

export function register(bench: Command): void {
  bench
    .command('inference')
    .description(
      'Measure infer-pose by backend, batch size and windows in flight, beside its networks called bare in a loop.',
    )
    .option('--backends <names>', 'backends, separated by commas (default: all that are available)', names)
    .option(
      '--url <address>',
      'inference server of the backend remote; its token, if any, is read from CSIFLOW_INFERENCE_TOKEN',
      address,
    )
    .option('--batches <numbers>', 'batch sizes (max_batch)', numbers(1024), [1, 2, 4, 8, 16, 32])
    .option('--in-flight <numbers>', 'windows in progress, in batches', numbers(64), [1, 2, 4])
    .option(
      '--threads <numbers>',
      'threads that compute; of remote: batches that the server receives at once',
      numbers(64),
      [1],
    )
    .option('--weights <model>', 'a shipped model, or a folder with one', 'general')
    .option('--links <number>', 'links of a room', wholeNumber(1, 9), 4)
    .option('--windows <number>', 'windows of one measurement', wholeNumber(1, 100_000), 256)
    .option('--rounds <number>', 'counted rounds, after one of warm-up', wholeNumber(1, 100), 5)
    .option(
      '--soak <windows>',
      'instead: infer this many windows, and watch tensors and memory',
      wholeNumber(1),
    )
    .option('--plot <file>', 'draw the sweep to a .png or .svg')
    .option('--json', 'print the results as JSON', false)
    .addHelpText(
      'after',
      '\nExample:\n  csiflow bench inference\n  csiflow bench inference --backends wasm --batches 1,8,32 --plot sweep.svg\n  csiflow bench inference --backends remote --url http://gpu-1:8000 --threads 1,2\n  csiflow bench inference --backends wasm --soak 1000000',
    )
    .action(run);
}

const names = (text: string): readonly string[] => text.split(',').map((name) => name.trim());

const numbers =
  (most: number) =>
  (text: string): readonly number[] => {
    const values = names(text).map(wholeNumber(1, most));
    if (new Set(values).size < values.length) throw new InvalidArgumentError('Each number may occur once.');
    return values;
  };

const address = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && ['http:', 'https:'].includes(url.protocol) && url.pathname === '/') return text;
  throw new InvalidArgumentError('It must be an address without a path, such as http://gpu-1:8000.');
};

async function run(options: Options): Promise<void> {
  if (options.soak !== undefined) {
    await runSoak(options, options.soak);
    return;
  }
  const { json, plot, backends: named, url, ...sweep } = options;
  const [{ inferenceSpeed, bestOf }, { chosenBackends, reaching }, { machine, machineText }] =
    await Promise.all([
      import('../../../../bench/speed/inference/inference.js'),
      import('../../sweep/backends.js'),
      import('../../../../bench/machine.js'),
    ]);
  if (plot !== undefined) (await import('../../recordings/plot/write.js')).plotKind(plot);
  const on = machine();
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  const { backends, server } = await chosenBackends(named, url);
  const measured = { ...sweep, backends, url };
  const speeds = await reaching(() => inferenceSpeed({ ...sweep, backends, server, progress }));
  const best = bestOf(speeds);
  const facts = `${sweep.links} links, ${sweep.windows} windows, ${sweep.rounds} rounds`;
  if (plot !== undefined) {
    const { sweepSvg } = await import('../../sweep/sweep-plot.js');
    const { writePlot } = await import('../../recordings/plot/write.js');
    const subtitles = [`${machineText(on)}; ${facts}`, bestText(best)];
    await writePlot(plot, sweepSvg(speeds, { title: 'Inference of poses', subtitles }));
  }
  if (json) process.stdout.write(`${JSON.stringify({ machine: on, ...measured, best, speeds }, null, 2)}\n`);
  else
    process.stdout.write(
      `${machineText(on)}; ${facts}\n\n${table(speeds).join('\n')}\n\n${bestText(best)}\n`,
    );
}

/** @throws CommandError if tensors are left */
async function runSoak(
  { backends: named, url, batches, weights, links, json }: Options,
  windows: number,
): Promise<void> {
  const [{ soak }, { chosenBackends, reaching }, { machine, machineText }, { CommandError, EXIT }] =
    await Promise.all([
      import('../../../../bench/speed/inference/soak.js'),
      import('../../sweep/backends.js'),
      import('../../../../bench/machine.js'),
      import('../../../../pipeline/base/exit.js'),
    ]);
  const on = machine();
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  const maxBatch = Math.max(...batches);
  const { backends, server } = await chosenBackends(named, url);
  for (const backend of backends) {
    const options = { weights, backend, server: backend === 'remote' ? server : undefined, links };
    const points = await reaching(() => soak({ ...options, windows, maxBatch, progress }));
    if (json)
      process.stdout.write(`${JSON.stringify({ machine: on, backend, links, maxBatch, points }, null, 2)}\n`);
    else process.stdout.write(`${machineText(on)}; ${backend}\n\n${soakTable(points).join('\n')}\n`);
    const [first, last] = [points[0]!, points.at(-1)!];
    if (last.tensors > first.tensors || last.tensorBytes > first.tensorBytes)
      throw new CommandError(
        `${backend} has ${last.tensors - first.tensors} tensors more after ${windows} windows than before`,
        EXIT.failed,
      );
  }
}

const soakTable = (points: readonly SoakPoint[]): readonly string[] => [
  '| windows | tensors | bytes of tensors | resident, MB |',
  '|---|---|---|---|',
  ...points.map(
    ({ windows, tensors, tensorBytes, residentBytes }) =>
      `| ${windows.toLocaleString('en')} | ${tensors} | ${tensorBytes.toLocaleString('en')} | ${Math.round(residentBytes / 1e6)} |`,
  ),
];

/** As Markdown. */
const table = (speeds: readonly BatchSpeed[]): readonly string[] => [
  '| backend | batch | threads | in flight | windows/s | processor time, us | windows/s over bare | processor time: bare over it |',
  '|---|---|---|---|---|---|---|---|',
  ...speeds.flatMap(({ backend, device, batch, bare, control, operator }) => {
    const first = `${backend}, ${device} | ${batch}`;
    return [
      `| ${first} | - | bare | ${whole(bare.perSecond)} | ${whole(bare.cpuUs)} | ${ratio(control.perSecond)} (control) | ${ratio(control.cpu)} (control) |`,
      ...operator.map(
        ({ threads, inFlight, perSecond, cpuUs, overBare }) =>
          `| ${first} | ${threads} | ${inFlight} | ${whole(perSecond)} | ${whole(cpuUs)} | ${ratio(overBare.perSecond)} | ${ratio(overBare.cpu)} |`,
      ),
    ];
  }),
];

const whole = (spread: Spread): string =>
  spreadText(spread, (value) => Math.round(value).toLocaleString('en'));
const ratio = (spread: Spread): string => spreadText(spread, (value) => value.toFixed(2));
const spreadText = ([median, least, most]: Spread, of: (value: number) => string): string =>
  `${of(median)} (${of(least)} to ${of(most)})`;

/** With the names of the fields of `infer-pose`. */
const bestText = ({ backend, batch, threads, inFlight, perSecond, bareBatch, overBare }: Best): string =>
  `Best: backend ${backend}, max_batch ${batch}, max_in_flight ${inFlight}, threads ${threads}: ` +
  `${Math.round(perSecond).toLocaleString('en')} windows/s, ` +
  `${(100 * overBare).toFixed(0)} % of the bare networks at their best batch (${bareBatch}).`;
