import {
  DuckDBArrayValue,
  DuckDBTimestampValue,
  timestampValue,
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBResultReader,
  type DuckDBValue,
} from '@duckdb/node-api';
import type { Cell } from '../shared/columns.js';
import type { Connectable } from '../shared/database.js';
import type { Row } from '../shared/rows.js';
import type { Parameter, Parameters } from './parameters.js';

/** Values of each column, one a row. */
export type Columns = Readonly<Record<string, readonly Cell[]>>;

/** Queries of one transaction: all of them see the same state of the store. */
export interface Snapshot {
  /** Values come in as parameters, never as part of the text. */
  query(sql: string, parameters: Parameters): Promise<readonly Row[]>;
  /** The same by column, for thousands of rows: of doubles, integers and texts alone. */
  columns(sql: string, parameters: Parameters): Promise<Columns>;
}

/** Connections for readers, each used by one at a time; further ones wait their turn. */
export class ReadPool {
  readonly #instance: Connectable;
  readonly #size: number;
  readonly #idle: Connection[] = [];
  readonly #waiting: (() => void)[] = [];
  #open = 0;
  #closed = false;

  constructor(instance: Connectable, size = 4) {
    this.#instance = instance;
    this.#size = size;
  }

  async read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    try {
      return await connection.transaction(work);
    } finally {
      this.#idle.push(connection);
      this.#waiting.shift()?.();
    }
  }

  /** Waits for the readers under way; those that come later are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#idle.length < this.#open) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    for (const connection of this.#idle.splice(0)) connection.close();
    this.#open = 0;
  }

  async #take(): Promise<Connection> {
    for (;;) {
      if (this.#closed) throw new Error('the store is closed');
      const idle = this.#idle.pop();
      if (idle) return idle;
      if (this.#open < this.#size) return this.#connect();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async #connect(): Promise<Connection> {
    this.#open++;
    try {
      return new Connection(await this.#instance.connect());
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

  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  async transaction<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    await this.#connection.run('BEGIN TRANSACTION READ ONLY');
    try {
      return await work(this);
    } finally {
      await this.#connection.run('ROLLBACK');
    }
  }

  async query(sql: string, parameters: Parameters): Promise<readonly Row[]> {
    return (await this.#run(sql, parameters)).convertRowObjects(cellOf);
  }

  async columns(sql: string, parameters: Parameters): Promise<Columns> {
    return (await this.#run(sql, parameters)).getColumnsObject() as Columns;
  }

  close(): void {
    this.#connection.closeSync();
  }

  async #run(sql: string, parameters: Parameters): Promise<DuckDBResultReader> {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = await this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    statement.bind(boundValues(parameters));
    return statement.runAndReadAll();
  }
}

/** A value as {@link Row} has it: whole numbers as numbers, times as microseconds. */
function cellOf(value: DuckDBValue): Cell {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof DuckDBTimestampValue) return Number(value.micros);
  if (value instanceof DuckDBArrayValue) return value.items as readonly number[];
  return value as Cell;
}

/** Parameters as DuckDB takes them. */
export const boundValues = (parameters: Parameters): Record<string, DuckDBValue> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, boundValue(value)]));

const boundValue = (value: Parameter): DuckDBValue =>
  typeof value === 'object' ? timestampValue(value.micros) : value;
