import type { Command } from 'commander';
import { tableFlag } from '../table-flag.js';

interface Options {
  readonly to: string;
  readonly speed: string;
  readonly kind: string;
  readonly table?: string;
  readonly json: boolean;
}

export function register(program: Command): void {
  program
    .command('replay')
    .description('Send a recording as datagrams, at its own pace or a multiple of it.')
    .argument('<file>', 'a capture, or another recording whose records are datagrams')
    .requiredOption('--to <address>', 'where to send: udp://HOST:PORT')
    .option('--speed <n>', 'factor on the recorded pace; 0: as fast as possible', '1')
    .option('--kind <kind>', 'kind of the file', 'auto')
    .addOption(tableFlag())
    .option('--json', 'print the result as JSON', false)
    .addHelpText('after', '\nExample:\n  csiflow replay evening.csi --to udp://127.0.0.1:5005 --speed 10')
    .action(run);
}

async function run(file: string, options: Options): Promise<void> {
  const { numberOption, udpAddress } = await import('../recordings/address.js');
  const { readingRecordings } = await import('../recordings/errors.js');
  const { Progress } = await import('../progress.js');
  const { untilStopped } = await import('../until-stopped.js');
  const { replay } = await import('../recordings/replay.js');
  const { ProblemLog } = await import('../../../pipeline/formats/index.js');
  const { openRecording } = await import('../../../pipeline/sources/recording.js');
  const { tableOption } = await import('../recordings/table.js');
  const table = tableOption(options.table);
  const { host, port } = udpAddress(options.to);
  const speed = numberOption('speed', options.speed, 0);
  const stop = untilStopped();
  const progress = new Progress();
  const log = new ProblemLog((message) => process.stderr.write(`csiflow: ${file}: ${message}\n`));
  try {
    const result = await readingRecordings(async () =>
      replay(await openRecording(file, options.kind, table), {
        host,
        port,
        speed,
        signal: stop.signal,
        onProgress: ({ records, recordedSeconds }) => {
          progress.show(() => `${records} records sent, ${recordedSeconds.toFixed(0)} s of the recording`);
        },
        onProblem: (problem) => {
          log.see(problem);
        },
        onUnheard: () => {
          process.stderr.write(
            `csiflow: no listener at ${options.to}: datagrams are lost until there is one; the replay continues\n`,
          );
        },
      }),
    );
    progress.end();
    const { records, bytes, seconds, latest_ms: latest } = result;
    const text = `${records} records, ${bytes} bytes in ${seconds.toFixed(2)} s; the latest left ${latest.toFixed(1)} ms after it was due`;
    process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : `${text}\n`);
  } finally {
    log.end();
    stop.release();
  }
}
