import { realpathSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import type { TableSelection } from '../../../pipeline/component/index.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { instant } from '../instant.js';
import { keyHint, secretIn } from '../store-key.js';
import { ask, remoteOptions, type RemoteOptions } from '../remote.js';

interface Options extends RemoteOptions {
  readonly from: string;
  readonly table: string;
  readonly to: string;
  readonly start?: string;
  readonly end?: string;
  readonly format?: 'parquet' | 'csv' | 'ndjson';
  readonly keyFile?: string;
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
      .requiredOption('--to <file>', 'the file to write, atomically')
      .option('--start <time>', 'first event time, ISO 8601; included')
      .option('--end <time>', 'last event time, ISO 8601; excluded')
      .addOption(
        new Option('--format <format>', "default: by the file's extension").choices([
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
      '\nExample:\n  csiflow export --from data/ward-3.duckdb --table persons --start 2026-03-01T00:00:00Z --to persons.parquet',
    )
    .action(writeTable);
}

async function writeTable(options: Options): Promise<void> {
  const { exportTable, formatOf, EXPORTED } = await import('../../../sinks/duckdb/export.js');
  const table = EXPORTED.find((name) => name === options.table);
  if (!table)
    throw new CommandError(
      `unknown table \`${options.table}\`: use one of ${EXPORTED.join(', ')}`,
      EXIT.invalid,
    );
  const format = options.format ?? formatOf(options.to);
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
  const rows = await exportTable({ ...selection, from: options.from, to: options.to, secret }).catch(
    (error: unknown) => {
      if (codeOf(error) === 'store.locked') return askOwner(options, selection, error as Error);
      throw codeOf(error) === 'store.encryption' ? new CommandError(keyHint(options), EXIT.invalid) : error;
    },
  );
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ rows, file: options.to })}\n`
      : `${rows} rows of ${table} written to ${options.to}\n`,
  );
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** The csiflow that has the store open writes the file, which is then moved to its destination. */
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
  };
  const { file, rows } = (await ask(options, '/exports', body).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(
      `${locked.message}\nIt could not write the file: ${error.message}`,
      EXIT.unavailable,
    );
  })) as { readonly file: string; readonly rows: number };
  const to = resolve(options.to);
  await mkdir(dirname(to), { recursive: true });
  // Not by renaming: it may be on another disk.
  await copyFile(file, `${to}.part`);
  await rename(`${to}.part`, to);
  await rm(file);
  return rows;
}
