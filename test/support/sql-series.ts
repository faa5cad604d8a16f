import type { Series } from '../../sinks/influxdb/connection.js';

type Row = Readonly<Record<string, unknown>>;

/**
 * Rows as Grafana shows them: texts name the series, numbers are its values.
 *
 * @param rows of `/api/v3/query_sql`, with times in UTC and without columns that have no value
 */
export function seriesOf(rows: readonly Row[]): readonly Series[] {
  const columns = [
    'time',
    ...new Set(rows.flatMap((row) => Object.keys(row).filter((name) => typeof row[name] === 'number'))),
  ];
  const found = new Map<string, { tags: Record<string, string>; values: unknown[][] }>();
  for (const row of rows) {
    const tags = Object.fromEntries(
      Object.entries(row).filter((cell): cell is [string, string] => isTag(cell)),
    );
    const name = JSON.stringify(tags);
    if (!found.has(name)) found.set(name, { tags, values: [] });
    const at = row['time'] === undefined ? null : Date.parse(`${row['time'] as string}Z`);
    found.get(name)!.values.push([at, ...columns.slice(1).map((column) => row[column] ?? null)]);
  }
  return [...found.values()].map((series) => ({ columns, ...series }));
}

const isTag = ([column, value]: [string, unknown]): boolean => column !== 'time' && typeof value === 'string';
