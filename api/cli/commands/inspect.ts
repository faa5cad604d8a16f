import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';

interface Options {
  readonly seconds: string;
  readonly format: string;
  readonly kind: string;
  readonly json: boolean;
}

export function register(program: Command): void {
  program
    .command('inspect')
    .description('Say what a recording or a UDP port holds: format, links, rates, loss, layouts.')
    .argument('<what>', 'a file, or udp://HOST:PORT')
    .option('--seconds <n>', 'how long to listen', '5')
    .option('--format <name>', 'what the datagrams are', 'adr018')
    .option('--kind <name>', 'kind of the file', 'auto')
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExample:\n  csiflow inspect evening.csi\n  csiflow inspect udp://0.0.0.0:5005 --seconds 10',
    )
    .action(run);
}

async function run(what: string, options: Options): Promise<void> {
  const { isUdp } = await import('../recordings/address.js');
  const { nothingArrived, readingRecordings } = await import('../recordings/errors.js');
  const { summaryText } = await import('../recordings/inspect.js');
  const { kind, format, summary } = await readingRecordings(() =>
    isUdp(what) ? inspectUdp(what, options) : inspectFile(what, options),
  );
  if (summary.records === 0) {
    const why = isUdp(what) ? nothingArrived(what, 'there is nothing to show') : `${what} holds no record`;
    throw new CommandError(why, isUdp(what) ? EXIT.failed : EXIT.invalid);
  }
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ what, kind, format, ...summary })}\n`
      : `${summaryText(`${what}: ${kind}, records of ${format}`, summary)}\n`,
  );
}

async function inspectFile(path: string, { kind }: Options) {
  const { Inspection } = await import('../recordings/inspect.js');
  const { commandContext } = await import('../recordings/context.js');
  const { openRecording } = await import('../../../pipeline/sources/recording.js');
  const { formatNamed, ProblemLog } = await import('../../../pipeline/formats/index.js');
  const recording = await openRecording(path, kind);
  const context = commandContext();
  const inspection = new Inspection(context.links, formatNamed(recording.format).decoder(context));
  const log = new ProblemLog((message) => process.stderr.write(`csiflow: ${path}: ${message}\n`));
  try {
    for await (const { raw, problems } of recording.batches(256)) {
      inspection.see(raw);
      for (const problem of problems) log.see(problem);
    }
  } finally {
    log.end();
  }
  return { kind: recording.kind, format: recording.format, summary: inspection.summary() };
}

async function inspectUdp(address: string, { seconds, format }: Options) {
  const { numberOption, udpAddress } = await import('../recordings/address.js');
  const { Inspection } = await import('../recordings/inspect.js');
  const { commandContext } = await import('../recordings/context.js');
  const { untilStopped } = await import('../recordings/progress.js');
  const { formatNamed } = await import('../../../pipeline/formats/index.js');
  const { udp } = await import('../../../pipeline/sources/udp.js');
  const context = commandContext();
  const inspection = new Inspection(context.links, formatNamed(format).decoder(context));
  const settings = { receive_buffer_bytes: 8_388_608, block_records: 256, idle_tick_ms: 0 };
  const source = udp.create({ ...udpAddress(address), format, ...settings }, context);
  const stop = untilStopped(numberOption('seconds', seconds, 0.001));
  try {
    await source.open(null, {
      signal: stop.signal,
      offer: ({ raw }) => {
        if (raw) inspection.see(raw);
        return true;
      },
    });
  } finally {
    stop.release();
  }
  return { kind: 'udp', format, summary: inspection.summary() };
}
