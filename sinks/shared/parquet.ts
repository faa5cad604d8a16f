import { open, rename, rm } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import type { Logger, Sink } from '../../pipeline/component/index.js';
import type { Data, Failure } from '../../pipeline/model/index.js';
import { parquetRows, parquetOptions } from './parquet-copy.js';
import { quoted } from './quoted.js';
import { comparableRows, TABLE_NAMES, type TableName } from './tables.js';
import type { OpenWriter } from './writer.js';
import { makeFolder } from '../../pipeline/base/folders.js';
import { isoTime } from '../../pipeline/base/iso-time.js';

/**
 * Parquet files by event time, one for each table and period. Rows wait in a staging database, where they can
 * be rewound. A period is written once later rows have arrived and a checkpoint covers all of it.
 */
export class ParquetFiles implements Sink {
  readonly #pattern: string;
  readonly #stretch: number;
  readonly #log: Logger;
  #open: OpenWriter | null = null;
  #epoch = 0;

  /**
   * @param pattern absolute path with the placeholders `{date}` and `{table}` @param stretchMs length of a
   * period in event time
   */
  constructor(pattern: string, stretchMs: number, log: Logger) {
    this.#log = log;
    this.#pattern = pattern;
    this.#stretch = stretchMs * 1000;
  }

  async open(): Promise<void> {
    // Load DuckDB here, so that reading the definition does not.
    const { openWriter } = await import('./writer.js');
    const path = `${this.#pattern.replaceAll(/\{(date|table)\}/g, 'all')}.staging`;
    const limits = { memoryLimitBytes: 256 * 2 ** 20, walLimitBytes: 16 * 2 ** 20 };
    // One thread: others of DuckDB's would keep a core busy while a commit waits for the disk.
    const options = { ...limits, threads: 1, externalAccess: true };
    this.#open = await openWriter(path, options, async (connection) => {
      await connection.run('CREATE TABLE IF NOT EXISTS released (name VARCHAR, stretch BIGINT)');
      await connection.run('CREATE TABLE IF NOT EXISTS unfinished (path VARCHAR, newest UINTEGER)');
    });
  }

  async write(records: readonly Data[], epoch: number): Promise<readonly Failure[]> {
    this.#epoch = epoch;
    const writer = this.#opened().writer;
    if (writer.rows > 5_000) await writer.commit();
    return writer.add(records, epoch);
  }

  async flush(): Promise<void> {
    await this.#opened().writer.commit();
    for (const table of TABLE_NAMES) await this.#release(table);
  }

  mark(): number {
    return this.#opened().writer.commits;
  }

  async rewind(epoch: number, mark?: unknown): Promise<void> {
    const { writer, connection } = this.#opened();
    await writer.rewind(epoch, mark, this.#log);
    const parameters = { epoch: BigInt(epoch) };
    const gone = await connection.runAndReadAll(
      'SELECT path FROM unfinished WHERE newest > $epoch',
      parameters,
    );
    for (const [path] of gone.getRows()) await rm(path as string, { force: true });
    await connection.run('DELETE FROM unfinished WHERE newest > $epoch', parameters);
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    const { connection, database } = this.#open;
    try {
      await this.flush();
      for (const table of TABLE_NAMES) await this.#writeRest(table);
    } finally {
      this.#open = null;
      connection.closeSync();
      await database.close();
    }
  }

  /** Writes the finished periods of a table: those before a row that a checkpoint covers. */
  async #release(table: TableName): Promise<void> {
    const { connection } = this.#opened();
    // While this epoch is written, the checkpoint of the previous one may still be in progress; the one
    // before it is finished.
    const parameters = { covered: BigInt(this.#epoch - 2) };
    const stretch = this.#stretchOf;
    const found = await connection.runAndReadAll(
      `SELECT stretch FROM (SELECT ${stretch} AS stretch, max(epoch) AS newest FROM ${table} GROUP BY stretch)
       WHERE newest <= $covered AND stretch < (SELECT max(${stretch}) FROM ${table} WHERE epoch <= $covered)
       ORDER BY stretch`,
      parameters,
    );
    for (const [number] of found.getRows()) await this.#writeFile(table, number as bigint);
  }

  /**
   * Writes the unfinished periods, so that nothing is missing while the sink is closed. Their rows stay in
   * the staging database: the next run replaces the file with a complete one, or rewinds it.
   */
  async #writeRest(table: TableName): Promise<void> {
    const { connection } = this.#opened();
    const found = await connection.runAndReadAll(
      `SELECT ${this.#stretchOf} AS stretch, max(epoch) FROM ${table} GROUP BY stretch ORDER BY stretch`,
    );
    for (const [number, newest] of found.getRows()) {
      const path = await this.#pathOf(table, number as bigint);
      // Write the index first: an unknown file could not be rewound.
      await connection.run('DELETE FROM unfinished WHERE path = $path', { path });
      await connection.run('INSERT INTO unfinished VALUES ($path, $newest)', {
        path,
        newest: newest as number,
      });
      await this.#copy(table, number as bigint, path);
    }
  }

  /**
   * Writes the file first, then deletes the rows: after a kill between the two, the same file is written
   * again and replaces it. Late rows of a written period get a further file.
   */
  async #writeFile(table: TableName, number: bigint): Promise<void> {
    const { connection } = this.#opened();
    const path = await this.#pathOf(table, number);
    await this.#copy(table, number, path);
    await connection.run('BEGIN TRANSACTION');
    await connection.run(`DELETE FROM ${table} WHERE ${this.#stretchOf} = ${number}`);
    await connection.run('INSERT INTO released VALUES ($table, $number)', { table, number });
    await connection.run('DELETE FROM unfinished WHERE path = $path', { path });
    await connection.run('COMMIT');
  }

  async #copy(table: TableName, number: bigint, path: string): Promise<void> {
    makeFolder(dirname(path));
    const part = `${path}.part`;
    await this.#opened().connection.run(
      `COPY (${parquetRows(table, comparableRows(table, `${this.#stretchOf} = ${number}`))}) TO ${quoted(part)} (${parquetOptions(table)})`,
    );
    await sync(part);
    await rename(part, path);
  }

  async #pathOf(table: TableName, number: bigint): Promise<string> {
    const before = await this.#opened().connection.runAndReadAll(
      'SELECT count(*) FROM released WHERE name = $table AND stretch = $number',
      { table, number },
    );
    return pathOf(this.#pattern, table, Number(number) * this.#stretch, Number(before.getRows()[0]![0]));
  }

  /** Number of a row's period, in SQL. */
  get #stretchOf(): string {
    return `epoch_us("time") // ${this.#stretch}`;
  }

  #opened(): OpenWriter {
    if (!this.#open) throw new Error(`${this.#pattern} is not open`);
    return this.#open;
  }
}

/**
 * `data/{date}.parquet` becomes `data/2026-03-01.persons.T140000Z.parquet`: the table, and the start of the
 * period; late rows `...Z.late1`.
 */
function pathOf(pattern: string, table: TableName, time: number, before: number): string {
  const start = isoTime(time);
  const path = pattern.replaceAll('{date}', start.slice(0, 10)).replaceAll('{table}', table);
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  const named = pattern.includes('{table}') ? stem : `${stem}.${table}`;
  const day = pattern.includes('{date}') ? '' : start.slice(0, 10).replaceAll('-', '');
  return `${named}.${day}T${start.slice(11, 19).replaceAll(':', '')}Z${before > 0 ? `.late${before}` : ''}${ending}`;
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
