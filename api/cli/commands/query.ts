import type { Command } from 'commander';
import { errorText } from '../../../pipeline/base/error-text.js';
import type { Asked } from '../../../pipeline/component/index.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import type { RowFormat } from '../rows-text.js';
import { keyHint, secretIn } from '../store-key.js';
import { wholeNumber } from '../number-options.js';
import { ask, remoteOptions, type RemoteOptions } from '../remote.js';

interface Options extends RemoteOptions {
  readonly from?: string;
  readonly format: string;
  readonly maxRows: number;
  readonly timeout: number;
  readonly keyFile?: string;
}

export function register(program: Command): void {
  remoteOptions(
    program
      .command('query')
      .argument('<sql>', 'one SELECT')
      .description(
        'Run a SELECT on a DuckDB store. If a csiflow has the store open, that csiflow runs it, while it writes.',
      )
      .option('--from <file>', 'the store; default: the only store of the running csiflow')
      .option('--format <table|csv|json|ndjson>', 'how to print the rows', 'table')
      .option('--max-rows <n>', 'print this many rows at most', wholeNumber(1, 100_000), 1000)
      .option('--timeout <seconds>', 'give up after this time', wholeNumber(1, 60), 10)
      .option(
        '--key-file <file>',
        'for an encrypted store that nobody has open: `privacy.key` of the state folder, or a file with the secret',
      ),
  )
    .addHelpText(
      'after',
      '\nA query reads the tables poses, persons, events, measures, and the views tracks and keypoints, nothing else.' +
        '\nExample:\n  csiflow query "SELECT type, count(*) FROM events GROUP BY ALL"' +
        '\n  csiflow query "SELECT * FROM events" --from data/ward-3.duckdb --format csv',
    )
    .action(query);
}

const FORMATS: readonly RowFormat[] = ['table', 'csv', 'json', 'ndjson'];

async function query(sql: string, options: Options): Promise<void> {
  const format = options.json ? 'json' : FORMATS.find((known) => known === options.format);
  if (!format)
    throw new CommandError(
      `--format must be one of ${FORMATS.join(', ')}, not ${options.format}`,
      EXIT.invalid,
    );
  const limits = { maxRows: options.maxRows, seconds: options.timeout };
  const { rowsText } = await import('../rows-text.js');
  const asked = await answer(sql, options, limits);
  process.stdout.write(rowsText(asked, format));
  if (asked.truncated)
    process.stderr.write(`only the first ${asked.rows.length} rows: there are more (--max-rows, LIMIT)\n`);
}

interface Limits {
  readonly maxRows: number;
  readonly seconds: number;
}

/** The answer of the file, or of the csiflow that has it open. */
async function answer(sql: string, options: Options, limits: Limits): Promise<Asked> {
  const { from } = options;
  if (from === undefined) return askOwner(sql, options, limits);
  const { queryFile } = await import('../../../sinks/duckdb/query-file.js');
  const { realpathSync } = await import('node:fs');
  const secret = secretIn(options.keyFile);
  try {
    return await queryFile({ from, sql, ...limits, secret });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'store.locked') return askOwner(sql, options, limits, realpathSync(from), error as Error);
    if (code === 'query.refused')
      throw new CommandError(`the query was refused: ${errorText(error)}`, EXIT.invalid);
    if (code === 'store.encryption')
      throw new CommandError(keyHint({ from, keyFile: options.keyFile }), EXIT.invalid);
    throw error;
  }
}

async function askOwner(
  sql: string,
  options: Options,
  { maxRows, seconds }: Limits,
  store?: string,
  locked?: Error,
): Promise<Asked> {
  const body = { sql, max_rows: maxRows, timeout_s: seconds, ...(store !== undefined && { store }) };
  try {
    return (await ask(options, '/query', body)) as Asked;
  } catch (error) {
    if (!(error instanceof CommandError) || !locked || error.exitCode !== EXIT.unavailable) throw error;
    throw new CommandError(`${locked.message}\nIt was not asked: ${error.message}`, EXIT.unavailable);
  }
}
