import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import type { RawBatch } from '../../../pipeline/component/index.js';
import type { CopiedStream } from '../../../pipeline/sources/recording.js';
import type { Look, Reading } from '../recordings/look.js';
import { instant } from '../instant.js';
import { tableFlag } from '../table-flag.js';

interface Options {
  readonly seconds: string;
  readonly baud: string;
  readonly format: string;
  readonly kind: string;
  readonly table?: string;
  readonly start?: string;
  readonly end?: string;
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
    .argument('<what>', 'a file, udp://HOST:PORT, a named pipe, a serial device, or - for standard input')
    .option('--seconds <n>', 'how long to listen to a port, a pipe or a device', '5')
    .option('--baud <n>', 'bits per second of a serial device', '115200')
    .option('--format <name>', 'format of the records; auto detects it from their bytes', 'auto')
    .option('--kind <kind>', 'kind of the file', 'auto')
    .addOption(tableFlag())
    .option('--start <time>', 'first time of a recording, ISO 8601; included')
    .option('--end <time>', 'last time of a recording, ISO 8601; excluded')
    .option('--plot <file>', 'plot amplitude, phase, spectrogram, rate and gaps to a .png or .svg')
    .option('--sender <name>', 'the sender to plot (default: the one with the most frames)')
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExample:\n  csiflow inspect evening.csi\n  csiflow inspect evening.csi --plot evening.png\n  csiflow inspect evening.csi --start 2026-03-01T19:00:00Z --end 2026-03-01T19:05:00Z\n  csiflow inspect udp://0.0.0.0:5005 --seconds 10\n  csiflow inspect /dev/ttyUSB0\n  ssh router tcpdump -U -w - port 5500 | csiflow inspect -',
    )
    .action(run);
}

type Seen = Look & { readonly batches?: readonly RawBatch[] };

async function run(what: string, options: Options): Promise<void> {
  const { isUdp, numberOption, udpAddress } = await import('../recordings/address.js');
  const { readingRecordings } = await import('../recordings/errors.js');
  const { tableOption } = await import('../recordings/table.js');
  const { lookAtUdp, lookIntoFile } = await import('../recordings/look.js');
  const { isStream, withSpooled } = await import('../recordings/spool.js');
  if (options.plot !== undefined) (await import('../recordings/plot/write.js')).plotKind(options.plot);
  const { kind, format } = options;
  const seconds = numberOption('seconds', options.seconds, 0.001);
  const [start, end] = [instant('--start', options.start), instant('--end', options.end)];
  if (isUdp(what)) {
    if (start !== undefined || end !== undefined)
      throw new CommandError('--start and --end are for recordings, not for a port', EXIT.invalid);
    const look = await readingRecordings(() => lookAtUdp(udpAddress(what), format, seconds));
    await show({ what, look }, options);
    return;
  }
  const fromFile = async (path: string, copied?: CopiedStream): Promise<void> => {
    const reading = { kind, format, table: tableOption(options.table), copied, start, end };
    const look = await readingRecordings(() => lookIntoFile(path, reading));
    await show({ what, look, file: { path, reading } }, options);
    if (look.damage) throw new CommandError(look.damage.message, EXIT.invalid);
  };
  if (!(await isStream(what))) await fromFile(what);
  else
    await withSpooled(what, { seconds, baud: numberOption('baud', options.baud, 1) }, (path) =>
      fromFile(path, { name: what }),
    );
}

/** What was looked at: as typed, and the file to read it from again. */
interface Shown {
  readonly what: string;
  readonly look: Seen;
  readonly file?: { readonly path: string; readonly reading: Reading };
}

async function show(shown: Shown, options: Options): Promise<void> {
  const { what, look } = shown;
  const { isUdp } = await import('../recordings/address.js');
  const { nothingArrived } = await import('../recordings/errors.js');
  const { recordsOf, summaryText } = await import('../recordings/summary-text.js');
  const { kind, format, summary, content } = look;
  if (summary.records === 0) {
    const why = isUdp(what)
      ? nothingArrived(what, 'there is nothing to show')
      : `${what} (${kind}) contains no records${inStretch(options)}${content === undefined ? '' : `: it is ${content}`}`;
    throw new CommandError(why, isUdp(what) ? EXIT.failed : EXIT.invalid);
  }
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ what, kind, format, ...summary })}\n`
      : `${summaryText(`${what}: ${kind}, ${recordsOf(format, summary)}`, kind, summary)}\n`,
  );
  if (options.plot !== undefined) await draw(shown, options.plot, options);
}

const inStretch = ({ start, end }: Options): string =>
  (start === undefined ? '' : ` from ${start}`) + (end === undefined ? '' : ` until ${end}`);

/** Plots one sender. @throws CommandError if it has no frames */
async function draw({ what, look, file }: Shown, image: string, options: Options): Promise<void> {
  const { kind, format, summary, batches } = look;
  const { drawnSender, framesOf, recorded } = await import('../recordings/plot/gather.js');
  const { plotSvg, titlesOf } = await import('../recordings/plot/plot.js');
  const { writePlot } = await import('../recordings/plot/write.js');
  const sender = drawnSender(summary, options.sender);
  const frames =
    sender === null ? null : await framesOf(batches ?? recorded(file!.path, file!.reading), format, sender);
  if (sender === null || !frames)
    throw new CommandError(
      `${what} contains no frames of ${sender ?? 'any sender'}: there is nothing to plot`,
      EXIT.invalid,
    );
  await writePlot(image, plotSvg(frames, titlesOf(frames, { what, kind, format, sender })));
}
