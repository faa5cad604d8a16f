import type { TableSelection } from '../../pipeline/component/index.js';

const DAY_US = 86_400_000_000;

/** The column of a table by which its rows are chosen and divided. */
export const timeColumn = (table: string): string => (table === 'tracks' ? 'first_seen' : '"time"');

/** The days (UTC) of which a selection has rows, as text: `2026-11-23`. */
export function daysSql({ table, start, end }: Pick<TableSelection, 'table' | 'start' | 'end'>): string {
  const time = timeColumn(table);
  const from = start === undefined ? 'true' : `${time} >= make_timestamp(${start})`;
  const to = end === undefined ? 'true' : `${time} < make_timestamp(${end})`;
  return `SELECT DISTINCT strftime(${time}, '%Y-%m-%d') AS day FROM ${table} WHERE ${from} AND ${to} ORDER BY day`;
}

/** The part of a selection that is of one day. */
export function ofDay<S extends Pick<TableSelection, 'start' | 'end'>>(selection: S, day: string): S {
  const first = Date.parse(`${day}T00:00:00Z`) * 1000;
  const { start = -Infinity, end = Infinity } = selection;
  return { ...selection, start: Math.max(first, start), end: Math.min(first + DAY_US, end) };
}

/** Where a day's rows go, below the folder of an export, as programs that read partitions expect it. */
export const dayFile = (day: string, { table, format }: Pick<TableSelection, 'table' | 'format'>): string =>
  `date=${day}/${table}.${format}`;
