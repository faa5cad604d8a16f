import { JsonDuckDBValueConverter, StatementType, type DuckDBConnection } from '@duckdb/node-api';
import type { DuckDBPreparedStatement, DuckDBResult, DuckDBType, DuckDBValue, Json } from '@duckdb/node-api';
import { queryRefused, type Asked, type AskLimits } from '../../pipeline/component/index.js';
import { errorText } from '../../pipeline/base/error-text.js';
import { TABLE_NAMES } from '../shared/tables.js';

/** Data that a query may read. */
const READABLE: readonly string[] = [...TABLE_NAMES, 'tracks', 'keypoints'];
/** Functions that may stand in FROM: the others read files, settings, or run text as SQL. */
const FROM_FUNCTIONS = ['range', 'generate_series', 'unnest'];

/**
 * Checks a query and prepares it. DuckDB itself parses it, so what is checked is what runs: one SELECT, on the tables
 * of a store and on no other files.
 * @throws Error `query.refused` with what is wrong
 */
export async function prepareAsked(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  checkTree(await parsed(connection, sql));
  const statement = await connection.prepare(sql).catch((error: unknown) => {
    throw queryRefused(errorText(error), error);
  });
  if (statement.statementType !== StatementType.SELECT) throw queryRefused(ONLY_SELECT);
  if (statement.parameterCount > 0)
    throw queryRefused('it has parameters ($1, ?): write the values into the query');
  return statement;
}

const ONLY_SELECT =
  'only one SELECT can be asked: a query changes nothing, and attaches, loads or writes nothing';

/** The query as a tree, by DuckDB's own parser. */
async function parsed(connection: DuckDBConnection, sql: string): Promise<Tree> {
  const read = await connection.runAndReadAll('SELECT json_serialize_sql($sql::VARCHAR)::VARCHAR', { sql });
  const tree = JSON.parse(String(read.getRows()[0]![0])) as Tree;
  if (tree['error'] === true) {
    const message = String(tree['error_message']);
    throw queryRefused(/^Only SELECT/.test(message) ? ONLY_SELECT : message);
  }
  if ((tree['statements'] as readonly Tree[]).length !== 1) throw queryRefused(ONLY_SELECT);
  return tree;
}

type Tree = Readonly<Record<string, unknown>>;

function checkTree(tree: Tree): void {
  const parts = [...partsOf(tree)];
  const named = parts.filter((part) => 'cte_map' in part).flatMap(({ cte_map: map }) => namesOf(map as Tree));
  for (const name of named)
    if (!/^\w+$/.test(name)) throw queryRefused(`${name}: name the queries of WITH by letters, digits and _`);
  const known = new Set([...READABLE, ...named].map((name) => name.toLowerCase()));
  for (const part of parts) {
    if (part['type'] === 'TABLE_FUNCTION') checkFunction(part['function'] as Tree);
    if (part['type'] === 'BASE_TABLE') checkTable(part, known);
  }
}

function checkFunction({ function_name: name }: Tree): void {
  if (FROM_FUNCTIONS.includes(String(name).toLowerCase())) return;
  throw queryRefused(
    `${String(name)} cannot be read from: a query reads the tables of the store (${READABLE.join(', ')}), and no files`,
  );
}

function checkTable(
  { catalog_name: catalog, schema_name: schema, table_name: table }: Tree,
  known: ReadonlySet<string>,
): void {
  const own = catalog === '' && (schema === '' || schema === 'main');
  if (own && known.has(String(table).toLowerCase())) return;
  const name = [catalog, schema, table].filter((part) => part !== '').join('.');
  throw queryRefused(`there is no table ${name}: the tables are ${READABLE.join(', ')}`);
}

const namesOf = ({ map }: Tree): readonly string[] =>
  (map as readonly { readonly key: string }[]).map(({ key }) => key);

function* partsOf(value: unknown): Generator<Tree> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Tree;
  for (const part of Object.values(value)) yield* partsOf(part);
}

/** Rows as they come, until a limit is reached: what is beyond it is never computed. */
export async function readAsked(result: DuckDBResult, { maxRows, maxBytes }: AskLimits): Promise<Asked> {
  const types = result.columnTypes();
  const columns = result.columnNames().map((name, at) => ({ name, type: String(types[at]) }));
  const rows: Json[][] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) return { columns, rows, truncated: false };
    for (const given of chunk.getRows()) {
      const row = given.map((value, at) => cellOf(value, types[at]!));
      bytes += JSON.stringify(row).length;
      if (rows.length >= maxRows || bytes > maxBytes) return { columns, rows, truncated: true };
      rows.push(row);
    }
  }
}

/** As JSON: whole numbers as numbers where that is exact, times as DuckDB writes them (UTC). */
function cellOf(value: DuckDBValue, type: DuckDBType): Json {
  if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value);
  return JsonDuckDBValueConverter(value, type, JsonDuckDBValueConverter) ?? null;
}
