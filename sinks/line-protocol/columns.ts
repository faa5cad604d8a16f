import type { Column } from '../shared/columns.js';
import { FIELDS, fieldType } from '../shared/line-protocol/points.js';
import type { Row } from '../shared/line-protocol/rows.js';

/** Columns of a kind of row, with the SQL type that stands for each. */
export type Columns = Readonly<Record<string, string>>;

const SQL_TYPES = { float: 'DOUBLE', integer: 'BIGINT', string: 'VARCHAR', boolean: 'BOOLEAN' } as const;

function columnsOf(fields: readonly Column<never>[], tags: readonly string[]): Columns {
  return Object.fromEntries([
    ...['environment', ...tags].map((tag) => [tag, 'VARCHAR']),
    ...fields.map((field) => [field.name, SQL_TYPES[fieldType(field)]]),
  ]) as Columns;
}

export const POSE_FRAME_COLUMNS = columnsOf(FIELDS.poseFrame, ['name', 'origin']);
export const PERSON_COLUMNS = columnsOf(FIELDS.person, ['origin']);
export const EVENT_COLUMNS = columnsOf(FIELDS.event, ['type', 'severity', 'source', 'origin']);
export const MEASURE_COLUMNS: Columns = {
  ...columnsOf(FIELDS.measure, ['name', 'source', 'origin', 'subject']),
  person: 'BIGINT',
};

/** Runs a statement, with texts for its `$` parameters. */
export type Ask = (sql: string, parameters: Readonly<Record<string, string>>) => Promise<readonly Row[]>;

/**
 * The tables and columns of a database. A server creates them when the first point with them arrives, and a
 * statement that names others is an error: so what is missing is asked for anew, and NULL stands for it.
 */
export class Schema {
  #known: ReadonlyMap<string, ReadonlySet<string>> = new Map();

  /** The wanted columns of tables in one relation, with the time as `us`, microseconds; null: no table exists. */
  async relation(ask: Ask, tables: readonly string[], wanted: Columns): Promise<string | null> {
    const isKnown = (): boolean =>
      tables.every((table) => Object.keys(wanted).every((column) => this.#known.get(table)?.has(column)));
    if (!isKnown()) this.#known = await tablesOf(ask);
    const selects = tables.flatMap((table) => {
      const columns = this.#known.get(table);
      return columns ? [selectOf(table, columns, wanted)] : [];
    });
    return selects.length === 0 ? null : `(${selects.join(' UNION ALL ')})`;
  }

  /** Call after a statement was refused: a table may have been deleted. */
  forget(): void {
    this.#known = new Map();
  }
}

function selectOf(table: string, known: ReadonlySet<string>, wanted: Columns): string {
  const columns = Object.entries(wanted).map(([name, type]) =>
    known.has(name) ? `"${name}"` : `CAST(NULL AS ${type}) AS "${name}"`,
  );
  return `SELECT "time", CAST("time" AS BIGINT) / 1000 AS "us", ${columns.join(', ')} FROM "iox"."${table}"`;
}

async function tablesOf(ask: Ask): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await ask(
    `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'iox'`,
    {},
  );
  const tables = new Map<string, Set<string>>();
  for (const row of rows) {
    const table = String(row['table_name']);
    tables.set(table, (tables.get(table) ?? new Set<string>()).add(String(row['column_name'])));
  }
  return tables;
}
