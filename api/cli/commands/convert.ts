import { extname } from 'node:path';
import type { Command } from 'commander';
import { instant } from '../instant.js';
import { tableFlag } from '../table-flag.js';

interface Options {
  readonly kind: string;
  readonly table?: string;
  readonly start?: string;
  readonly end?: string;
  readonly force: boolean;
  readonly json: boolean;
}

export function register(program: Command): void {
  program
    .command('convert')
    .description("Turn a recording into csiflow's own capture, or its frames into a Parquet file.")
    .argument('<in>', 'any recording that csiflow reads')
    .argument('<out>', 'capture to write; with the extension .parquet: one row per frame, for other programs')
    .option('--kind <kind>', 'kind of the file', 'auto')
    .addOption(tableFlag())
    .option('--start <time>', 'first time, ISO 8601; included')
    .option('--end <time>', 'last time, ISO 8601; excluded')
    .option('--force', 'overwrite an existing file', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExample:\n  csiflow convert recording.csi.jsonl recording.csi\n  csiflow convert evening.pcap evening.parquet',
    )
    .action(run);
}

async function run(from: string, to: string, options: Options): Promise<void> {
  const { notMade, readingRecordings } = await import('../recordings/errors.js');
  const { tableOption } = await import('../recordings/table.js');
  const { CaptureWriter } = await import('../recordings/capture-writer.js');
  const { stretchOf } = await import('../recordings/stretch.js');
  const { openRecording } = await import('../../../pipeline/sources/recording.js');
  const recording = await readingRecordings(() =>
    openRecording(from, options.kind, tableOption(options.table)),
  );
  const [start, end] = [instant('--start', options.start), instant('--end', options.end)];
  if (extname(to).toLowerCase() === '.parquet') {
    const { toParquet } = await import('../recordings/to-parquet.js');
    const stretch = () => stretchOf(recording, start, end);
    const { frames, problems } = await readingRecordings(() =>
      toParquet(recording, stretch, to, options.force),
    );
    print(options, to, { frames, problems }, `${frames} frames, ${problems} skipped`);
    return;
  }
  const { kind, format, origin } = recording;
  const meta = {
    format,
    origin: origin === 'simulated' ? origin : ('replay' as const),
    source: `${kind} file`,
    created: new Date().toISOString(),
  };
  const writer = await CaptureWriter.create(to, meta, options.force).catch((error: unknown) => {
    throw notMade(error, to);
  });
  const stretch = stretchOf(recording, start, end);
  let problems = 0;
  const { ProblemLog } = await import('../../../pipeline/formats/index.js');
  const log = new ProblemLog((message) => process.stderr.write(`csiflow: ${from}: ${message}\n`));
  try {
    await readingRecordings(async () => {
      for await (const batch of stretch) {
        for (const problem of batch.problems) log.see(problem);
        problems += batch.problems.length;
        await writer.write(batch.raw);
      }
    });
  } finally {
    log.end();
    await writer.close();
  }
  const { records, bytes } = writer.recorded;
  print(options, to, { records, bytes, problems }, `${records} records, ${bytes} bytes, ${problems} skipped`);
}

function print({ json }: Options, file: string, figures: object, text: string): void {
  process.stdout.write(json ? `${JSON.stringify({ file, ...figures })}\n` : `${file}: ${text}\n`);
}
