import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import type { RawBatch } from '../../../pipeline/component/index.js';
import type { Look } from '../recordings/look.js';
import { tableFlag } from '../table-flag.js';

interface Options {
  readonly seconds: string;
  readonly format: string;
  readonly kind: string;
  readonly table?: string;
  readonly plot?: string;
  readonly sender?: string;
  readonly json: boolean;
}

export function register(program: Command): void {
  program
    .command('inspect')
    .description(
      'Show the contents of a recording or a UDP port: format, links, rates, loss, layouts; or plot it.',
    )
    .argument('<what>', 'a file, or udp://HOST:PORT')
    .option('--seconds <n>', 'how long to listen', '5')
    .option('--format <name>', 'format of the records; auto detects it from their bytes', 'auto')
    .option('--kind <name>', 'kind of the file', 'auto')
    .addOption(tableFlag())
    .option('--plot <file>', 'plot amplitude, phase, spectrogram, rate and gaps to a .png or .svg')
    .option('--sender <name>', 'the sender to plot (default: the one with the most frames)')
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExample:\n  csiflow inspect evening.csi\n  csiflow inspect evening.csi --plot evening.png\n  csiflow inspect udp://0.0.0.0:5005 --seconds 10',
    )
    .action(run);
}

async function run(what: string, options: Options): Promise<void> {
  const { isUdp, numberOption, udpAddress } = await import('../recordings/address.js');
  const { nothingArrived, readingRecordings } = await import('../recordings/errors.js');
  const { summaryText } = await import('../recordings/summary-text.js');
  const { tableOption } = await import('../recordings/table.js');
  const { BY_CONTENT } = await import('../../../pipeline/formats/decoder/by-content.js');
  const { lookAtUdp, lookIntoFile } = await import('../recordings/look.js');
  if (options.plot !== undefined) (await import('../recordings/plot/write.js')).plotKind(options.plot);
  const look: Look & { readonly batches?: readonly RawBatch[] } = await readingRecordings(() =>
    isUdp(what)
      ? lookAtUdp(udpAddress(what), options.format, numberOption('seconds', options.seconds, 0.001))
      : lookIntoFile(what, options.kind, options.format, tableOption(options.table)),
  );
  const { kind, format, summary } = look;
  if (summary.records === 0) {
    const why = isUdp(what)
      ? nothingArrived(what, 'there is nothing to show')
      : `${what} contains no records`;
    throw new CommandError(why, isUdp(what) ? EXIT.failed : EXIT.invalid);
  }
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ what, kind, format, ...summary })}\n`
      : `${summaryText(`${what}: ${kind}, records of ${format === BY_CONTENT ? 'several formats' : format}`, summary)}\n`,
  );
  if (options.plot !== undefined) await draw(what, look, options.plot, options);
}

/** Plots one sender. @throws CommandError if it has no frames */
async function draw(
  what: string,
  { kind, format, summary, batches }: Look & { readonly batches?: readonly RawBatch[] },
  path: string,
  options: Options,
): Promise<void> {
  const { tableOption } = await import('../recordings/table.js');
  const { drawnSender, framesOf, recorded } = await import('../recordings/plot/gather.js');
  const { plotSvg, titlesOf } = await import('../recordings/plot/plot.js');
  const { writePlot } = await import('../recordings/plot/write.js');
  const sender = drawnSender(summary, options.sender);
  const frames =
    sender === null
      ? null
      : await framesOf(batches ?? recorded(what, options.kind, tableOption(options.table)), format, sender);
  if (sender === null || !frames)
    throw new CommandError(
      `${what} contains no frames of ${sender ?? 'any sender'}: there is nothing to plot`,
      EXIT.invalid,
    );
  await writePlot(path, plotSvg(frames, titlesOf(frames, { what, kind, format, sender })));
}
