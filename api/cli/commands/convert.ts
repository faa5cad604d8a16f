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
    .description("Turn a recording into csiflow's own capture.")
    .argument('<in>', 'any recording that csiflow reads')
    .argument('<out>', 'the capture to write')
    .option('--kind <name>', 'kind of the file', 'auto')
    .addOption(tableFlag())
    .option('--start <time>', 'first time, ISO 8601; included')
    .option('--end <time>', 'last time, ISO 8601; excluded')
    .option('--force', 'write over a file that is there', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText('after', '\nExample:\n  csiflow convert recording.csi.jsonl recording.csi')
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
  const stretch = stretchOf(recording, instant('--start', options.start), instant('--end', options.end));
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
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ file: to, records, bytes, problems })}\n`
      : `${to}: ${records} records, ${bytes} bytes, ${problems} left out\n`,
  );
}
