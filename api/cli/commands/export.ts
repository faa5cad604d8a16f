import { realpathSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import type { TableSelection } from '../../../pipeline/component/index.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { instant } from '../instant.js';
import { keyHint, secretIn } from '../store-key.js';
import { ask, remoteOptions, type RemoteOptions } from '../remote.js';
import { errorCode } from '../../../pipeline/base/error-text.js';

interface Options extends RemoteOptions {
  readonly from: string;
  readonly table: string;
  readonly to: string;
  readonly start?: string;
  readonly end?: string;
  readonly format?: 'parquet' | 'csv' | 'ndjson';
  readonly keyFile?: string;
  readonly by?: 'day';
}

export function register(program: Command): void {
  remoteOptions(
    program
      .command('export')
      .description(
        'Write a table of a DuckDB store to a Parquet, CSV or NDJSON file for other programs. If a csiflow has the store open, that csiflow writes the file.',
      )
      .requiredOption('--from <file>', 'the store')
      .requiredOption(
        '--table <poses|persons|events|measures|tracks|keypoints>',
        'the table, or the view tracks or keypoints',
      )
      .requiredOption('--to <path>', 'the file to write, atomically; by day: a folder')
      .addOption(
        new Option(
          '--by <day>',
          'write a file for each day (UTC) that has rows: `date=2026-11-23/TABLE.parquet`',
        ).choices(['day']),
      )
      .option('--start <time>', 'first event time, ISO 8601; included')
      .option('--end <time>', 'last event time, ISO 8601; excluded')
      .addOption(
        new Option('--format <format>', 'format of the file, instead of the one of its extension').choices([
          'parquet',
          'csv',
          'ndjson',
        ]),
      )
      .option(
        '--key-file <file>',
        'for an encrypted store: `privacy.key` of the state folder, or a file with the secret',
      ),
  )
    .addHelpText(
      'after',
      '\nExample:\n  csiflow export --from data/ward-3.duckdb --table persons --start 2026-03-01T00:00:00Z --to persons.parquet' +
        '\n  csiflow export --from data/ward-3.duckdb --table measures --by day --to measures',
    )
    .action(writeTable);
}

async function writeTable(options: Options): Promise<void> {
  const { exportTable, formatOf, EXPORTED } = await import('../../../sinks/duckdb/export.js');
  const { Progress } = await import('../progress.js');
  const table = EXPORTED.find((name) => name === options.table);
  if (!table)
    throw new CommandError(
      `unknown table \`${options.table}\`: use one of ${EXPORTED.join(', ')}`,
      EXIT.invalid,
    );
  const format = options.format ?? (options.by === undefined ? formatOf(options.to) : 'parquet');
  if (!format)
    throw new CommandError(
      `\`${options.to}\` does not end in .parquet, .csv or .ndjson: set --format`,
      EXIT.invalid,
    );
  const selection = {
    table,
    format,
    start: instant('--start', options.start),
    end: instant('--end', options.end),
  };
  const secret = secretIn(options.keyFile);
  const progress = new Progress();
  const { from, to, by } = options;
  const onFile = (done: number, of: number) => {
    progress.show(() => `${done} of ${of} days written`);
  };
  const rows = await exportTable({ ...selection, from, to, secret, byDay: by !== undefined, onFile })
    .catch((error: unknown) => {
      if (errorCode(error) === 'store.locked') return askOwner(options, selection, error as Error);
      throw errorCode(error) === 'store.encryption'
        ? new CommandError(keyHint(options), EXIT.invalid)
        : error;
    })
    .finally(() => {
      progress.end();
    });
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ rows, file: options.to })}\n`
      : `${rows} rows of ${table} written to ${options.to}\n`,
  );
}

/** The csiflow that has the store open writes the files, which are then moved to their destination. */
async function askOwner(
  options: Options,
  { table, format }: Pick<TableSelection, 'table' | 'format'>,
  locked: Error,
): Promise<number> {
  const body = {
    store: realpathSync(options.from),
    table,
    format,
    ...(options.start !== undefined && { start: new Date(options.start).toISOString() }),
    ...(options.end !== undefined && { end: new Date(options.end).toISOString() }),
    ...(options.by !== undefined && { by: options.by }),
  };
  const { files, rows } = (await ask(options, '/exports', body).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(
      `${locked.message}\nIt could not write the file: ${error.message}`,
      EXIT.unavailable,
    );
  })) as {
    readonly rows: number;
    readonly files: readonly { readonly file: string; readonly day?: string }[];
  };
  const { dayFile } = await import('../../../sinks/shared/days.js');
  for (const { file, day } of files)
    await move(file, day === undefined ? options.to : join(options.to, dayFile(day, { table, format })));
  return rows;
}

/** Not by renaming: the destination may be on another disk. */
async function move(file: string, to: string): Promise<void> {
  const path = resolve(to);
  await mkdir(dirname(path), { recursive: true });
  await copyFile(file, `${path}.part`);
  await rename(`${path}.part`, path);
  await rm(file);
}
