import { readFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';

interface Options {
  readonly from: string;
  readonly table: string;
  readonly to: string;
  readonly start?: string;
  readonly end?: string;
  readonly format?: 'parquet' | 'csv' | 'ndjson';
  readonly keyFile?: string;
  readonly json?: boolean;
}

export function register(program: Command): void {
  program
    .command('export')
    .description('Write a table of a DuckDB store to a Parquet, CSV or NDJSON file for other programs.')
    .requiredOption('--from <file>', 'the store')
    .requiredOption(
      '--table <name>',
      'poses, persons, events or measures, or one of the views tracks and keypoints',
    )
    .requiredOption('--to <file>', 'the file to write; it is complete or not there')
    .option('--start <time>', 'first event time, ISO 8601; included')
    .option('--end <time>', 'last event time, ISO 8601; excluded')
    .addOption(
      new Option('--format <format>', 'default: by the ending of the file').choices([
        'parquet',
        'csv',
        'ndjson',
      ]),
    )
    .option(
      '--key-file <file>',
      'of an encrypted store: `privacy.key` of the state folder, or a file with the secret',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow export --from data/ward-3.duckdb --table persons --start 2026-03-01T00:00:00Z --to persons.parquet',
    )
    .action(async (options: Options) => {
      const { exportTable, formatOf, EXPORTED } = await import('../../../sinks/duckdb/export.js');
      const table = EXPORTED.find((name) => name === options.table);
      if (!table)
        throw new CommandError(
          `there is no table \`${options.table}\`: it is one of ${EXPORTED.join(', ')}`,
          EXIT.invalid,
        );
      const format = options.format ?? formatOf(options.to);
      if (!format)
        throw new CommandError(
          `\`${options.to}\` ends in none of .parquet, .csv and .ndjson: say --format`,
          EXIT.invalid,
        );
      const rows = await exportTable({
        from: options.from,
        to: options.to,
        table,
        format,
        secret: options.keyFile === undefined ? undefined : readFileSync(options.keyFile, 'utf8').trim(),
        start: instant('--start', options.start),
        end: instant('--end', options.end),
      }).catch((error: unknown) => {
        throw isAboutKey(error) ? new CommandError(keyHint(options), EXIT.invalid) : error;
      });
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ rows, file: options.to })}\n`
          : `${rows} rows of ${table} written to ${options.to}\n`,
      );
    });
}

const isAboutKey = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'store.encryption';

const keyHint = ({ from, keyFile }: Options): string =>
  keyFile === undefined
    ? `${from} is encrypted: say --key-file, privacy.key of the state folder or a file with the secret`
    : `${keyFile} is not the key of ${from}: it is in privacy.key of the state folder, or the secret; leave --key-file out where the store is not encrypted`;

/** Microseconds. */
function instant(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new CommandError(
      `${option} \`${text}\` is no ISO 8601 time, such as 2026-03-01T00:00:00Z`,
      EXIT.invalid,
    );
  return time * 1000;
}
