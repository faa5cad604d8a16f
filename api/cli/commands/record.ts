import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';

interface Options {
  readonly from: string;
  readonly out: string;
  readonly seconds?: string;
  readonly format?: string;
  readonly note?: string;
  readonly append: boolean;
  readonly force: boolean;
  readonly json: boolean;
}

export function register(program: Command): void {
  program
    .command('record')
    .description('Write all datagrams of a UDP port to a capture, until Ctrl-C.')
    .requiredOption('--from <address>', 'where to listen: udp://HOST:PORT')
    .requiredOption('--out <file>', 'the capture to write')
    .option('--seconds <n>', 'stop after this many seconds')
    .option('--format <name>', 'format of the datagrams; default: each is detected when it is read')
    .option('--note <text>', 'note stored in the capture')
    .option('--append', 'append to an existing capture, even one truncated by a crash', false)
    .addOption(new Option('--force', 'overwrite an existing file').default(false).conflicts('append'))
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExample:\n  csiflow record --from udp://0.0.0.0:5005 --out evening.csi --seconds 3600',
    )
    .action(run);
}

async function run(options: Options): Promise<void> {
  const { numberOption, udpAddress } = await import('../recordings/address.js');
  const { Progress } = await import('../progress.js');
  const { untilStopped } = await import('../until-stopped.js');
  const { CaptureWriter } = await import('../recordings/capture-writer.js');
  const { recordUdp } = await import('../recordings/record.js');
  const { nothingArrived, notMade, readingRecordings } = await import('../recordings/errors.js');
  const address = udpAddress(options.from);
  const seconds = options.seconds === undefined ? undefined : numberOption('seconds', options.seconds, 0.001);
  const { formatNamed } = await import('../../../pipeline/formats/index.js');
  const format = options.format ?? 'auto';
  await readingRecordings(async () => formatNamed(format));
  const meta = {
    format,
    origin: 'replay' as const,
    created: new Date().toISOString(),
    source: options.from,
    ...(options.note === undefined ? {} : { note: options.note }),
  };
  const isNew = !options.append || !existsSync(options.out);
  const writer = await readingRecordings(() =>
    isNew
      ? CaptureWriter.create(options.out, meta, options.force)
      : CaptureWriter.append(options.out, { format: options.format, origin: meta.origin }),
  ).catch((error: unknown) => {
    throw notMade(error, options.out, 'another --out, --append');
  });
  if (options.format === undefined && writer.format !== format)
    process.stderr.write(
      `csiflow: ${options.out}: its records are ${writer.format}, so datagrams of other formats are stored but not read; for those, choose another --out, or read it with \`records: auto\`\n`,
    );
  const stop = untilStopped(seconds);
  const progress = new Progress();
  try {
    await recordUdp(address, format, writer, stop.signal, ({ records, bytes }) => {
      progress.show(() => `${records} records, ${bytes} bytes`);
    });
  } catch (error) {
    // The port could not be opened: an empty capture would block the next attempt.
    if (isNew && writer.recorded.records === 0) await rm(options.out);
    throw error;
  } finally {
    stop.release();
    progress.end();
    await writer.close();
  }
  const { records, bytes } = writer.recorded;
  if (records === 0) {
    if (isNew) await rm(options.out);
    const left = isNew ? 'was not written' : 'is unchanged';
    throw new CommandError(nothingArrived(options.from, `${options.out} ${left}`), EXIT.failed);
  }
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ file: options.out, records, bytes })}\n`
      : `${options.out}: ${records} records, ${bytes} bytes\n`,
  );
}
