import {
  DuckDBArrayValue,
  DuckDBTimestampValue,
  timestampValue,
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBPreparedStatement,
  type DuckDBValue,
} from '@duckdb/node-api';
import { errorText } from '../../pipeline/base/error-text.js';
import { queryRefused, type Asked, type AskLimits } from '../../pipeline/component/index.js';
import type { Cell } from '../shared/columns.js';
import { isDamage, namingDamage } from '../shared/damage.js';
import type { Database } from '../shared/database.js';
import type { Row } from '../shared/rows.js';
import { prepareAsked, readAsked } from './asked.js';
import { Counts } from './counts.js';
import type { Parameter, Parameters } from './parameters.js';

/** Values of each column, one per row; empty if there are no rows. */
export type Columns = Readonly<Record<string, readonly Cell[]>>;

/** Queries of one transaction, which all see the same state of the store. */
export interface Snapshot {
  /** Values are passed as parameters, never as part of the text. */
  query(sql: string, parameters: Parameters): Promise<readonly Row[]>;
  /** The same by column, for thousands of rows; only doubles, integers and texts. */
  columns(sql: string, parameters: Parameters): Promise<Columns>;
  /** A query that somebody else wrote: it is checked, and not remembered. */
  asked(sql: string, limits: AskLimits): Promise<Asked>;
}

/** An interrupt is repeated until the query has ended. */
const AGAIN_MS = 100;

/** Connections for readers, each used by one at a time; further ones wait their turn. */
export class ReadPool {
  readonly counts = new Counts();
  readonly #database: Pick<Database, 'instance' | 'path'>;
  readonly #size: number;
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<() => void>();
  #open = 0;
  #closed = false;

  constructor(database: Pick<Database, 'instance' | 'path'>, size = 4) {
    this.#database = database;
    this.#size = size;
  }

  /**
   * Several queries on the same state of the store.
   * @param signal interrupts the current query; the call then rejects with its reason
   */
  async read<T>(work: (snapshot: Snapshot) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#use((connection) => connection.transaction(work), signal);
  }

  /** One query, which is its own transaction at a third of the cost. */
  async query(sql: string, parameters: Parameters, signal?: AbortSignal): Promise<readonly Row[]> {
    return this.#use((connection) => connection.query(sql, parameters), signal);
  }

  /** Waits for current readers; later ones are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#idle.length < this.#open) await this.#turn();
    for (const connection of this.#idle.splice(0)) connection.close();
    this.#open = 0;
  }

  async #use<T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const connection = await this.#take(signal);
    try {
      return await namingDamage(this.#database.path, () => connection.during(signal, () => work(connection)));
    } finally {
      this.#giveBack(connection);
    }
  }

  #giveBack(connection: Connection): void {
    if (connection.usable) this.#idle.push(connection);
    else {
      connection.close();
      this.#open--;
    }
    this.#wakeNext();
  }

  async #take(signal?: AbortSignal): Promise<Connection> {
    try {
      return await this.#connection(signal);
    } catch (error) {
      // The caller whose turn it was stopped waiting: pass the connection to the next one, or to `close`.
      this.#wakeNext();
      throw error;
    }
  }

  async #connection(signal?: AbortSignal): Promise<Connection> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#closed) throw new Error('the store is closed');
      const idle = this.#idle.pop();
      if (idle) return idle;
      if (this.#open < this.#size) return this.#connect();
      await this.#turn(signal);
    }
  }

  /** Resolves once a connection may be idle, or no caller waits for one. */
  async #turn(signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  #wakeNext(): void {
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next);
    next();
  }

  async #connect(): Promise<Connection> {
    this.#open++;
    try {
      const connection = await this.#database.instance.connect();
      // Pages select few rows, for which a search of row numbers first and of values second takes longer.
      await connection.run('SET late_materialization_max_rows = 0');
      return new Connection(connection);
    } catch (error) {
      this.#open--;
      throw error;
    }
  }
}

/** A connection with its prepared statements, one for each text: the reader makes a bounded number of them. */
class Connection implements Snapshot {
  readonly #connection: DuckDBConnection;
  readonly #statements = new Map<string, DuckDBPreparedStatement>();
  #signal: AbortSignal | undefined;
  #inTransaction = false;

  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  /** False if a transaction could not be ended: the next query would fail in it. */
  get usable(): boolean {
    return !this.#inTransaction;
  }

  /** Runs `work` here; the signal interrupts the current query and prevents further ones. */
  async during<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    this.#signal = signal;
    try {
      return await work();
    } catch (error) {
      // DuckDB's message about an interrupted query does not name the cause.
      signal?.throwIfAborted();
      throw error;
    } finally {
      this.#signal = undefined;
    }
  }

  async transaction<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    this.#inTransaction = true;
    await this.#run('BEGIN TRANSACTION READ ONLY');
    try {
      return await work(this);
    } finally {
      await this.#run('ROLLBACK');
      this.#inTransaction = false;
    }
  }

  async query(sql: string, parameters: Parameters): Promise<readonly Row[]> {
    const { names, chunks } = await this.#read(sql, parameters);
    return chunks.flatMap((chunk) => rowsOf(chunk, names));
  }

  async columns(sql: string, parameters: Parameters): Promise<Columns> {
    const { names, chunks } = await this.#read(sql, parameters);
    const columns: Record<string, DuckDBValue[]> = {};
    for (const chunk of chunks) chunk.appendToColumnsObject(names, columns);
    return columns as Columns;
  }

  async asked(sql: string, limits: AskLimits): Promise<Asked> {
    const statement = await prepareAsked(this.#connection, sql);
    try {
      return await this.#interruptibly(async () => readAsked(await statement.stream(), limits));
    } catch (error) {
      this.#signal?.throwIfAborted();
      // An error of the query's own, such as a cast that fails; damage is not the query's.
      throw isDamage(errorText(error)) ? error : queryRefused(errorText(error), error);
    } finally {
      statement.destroySync();
    }
  }

  close(): void {
    this.#connection.closeSync();
  }

  async #read(sql: string, parameters: Parameters): Promise<Result> {
    const statement = await this.#statement(sql);
    statement.bind(boundValues(parameters));
    const result = await this.#interruptibly(() => statement.run());
    // The result is complete: fetching it would take two turns of another thread for each chunk.
    const chunks = Array.from({ length: result.chunkCount }, (_, index) => result.getChunk(index));
    return { names: result.deduplicatedColumnNames(), chunks };
  }

  /** Statements that begin and end transactions are not interrupted: their effect would be unknown. */
  async #interruptibly<T>(run: () => Promise<T>): Promise<T> {
    const signal = this.#signal;
    signal?.throwIfAborted();
    let again: NodeJS.Timeout | undefined;
    const interrupt = () => {
      this.#connection.interrupt();
      // A query that still waits for a thread forgets an interrupt when it starts.
      again = setTimeout(interrupt, AGAIN_MS);
    };
    signal?.addEventListener('abort', interrupt, { once: true });
    try {
      return await run();
    } finally {
      clearTimeout(again);
      signal?.removeEventListener('abort', interrupt);
    }
  }

  async #run(sql: string): Promise<void> {
    await (await this.#statement(sql)).run();
  }

  async #statement(sql: string): Promise<DuckDBPreparedStatement> {
    const known = this.#statements.get(sql);
    if (known) return known;
    const made = await this.#connection.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}

interface Result {
  readonly names: readonly string[];
  readonly chunks: readonly DuckDBDataChunk[];
}

function rowsOf(chunk: DuckDBDataChunk, names: readonly string[]): Row[] {
  const rows: Record<string, Cell>[] = Array.from({ length: chunk.rowCount }, () => ({}));
  for (const [column, name] of names.entries())
    chunk.visitColumnValues(column, (value, row) => {
      rows[row]![name] = cellOf(value);
    });
  return rows;
}

/** Converts a value for {@link Row}: whole numbers become numbers, times microseconds. */
function cellOf(value: DuckDBValue): Cell {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof DuckDBTimestampValue) return Number(value.micros);
  if (value instanceof DuckDBArrayValue) return value.items as readonly number[];
  return value as Cell;
}

/** Converts parameters for DuckDB. */
export const boundValues = (parameters: Parameters): Record<string, DuckDBValue> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, boundValue(value)]));

const boundValue = (value: Parameter): DuckDBValue =>
  typeof value === 'object' ? timestampValue(value.micros) : value;
