import type { Asked } from '../../pipeline/component/index.js';

export const ROW_FORMATS = ['table', 'csv', 'json', 'ndjson'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/** Rows for a terminal or for other programs. */
export function rowsText(asked: Asked, format: RowFormat): string {
  switch (format) {
    case 'table':
      return tableText(asked);
    case 'csv':
      return lines(
        [asked.columns.map(({ name }) => name), ...asked.rows].map((row) => row.map(csvCell).join(',')),
      );
    case 'json':
      return `${JSON.stringify(asked, null, 2)}\n`;
    case 'ndjson':
      return lines(asked.rows.map((row) => JSON.stringify(objectOf(asked, row))));
  }
}

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('');

/** A second column of the same name gets a number, as in DuckDB. */
function objectOf({ columns }: Asked, row: readonly unknown[]): Readonly<Record<string, unknown>> {
  const object: Record<string, unknown> = {};
  columns.forEach(({ name }, at) => {
    let key = name;
    for (let other = 1; Object.hasOwn(object, key); other++) key = `${name}_${other}`;
    object[key] = row[at];
  });
  return object;
}

/** RFC 4180: null is empty, an empty text is quoted. */
function csvCell(value: unknown): string {
  if (value === null) return '';
  const text = plain(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Wider cells are cut in a table. */
const MAX_WIDTH = 60;

function tableText({ columns, rows }: Asked): string {
  const numeric = columns.map(({ type }) => /INT|DOUBLE|FLOAT|DECIMAL/.test(type) && !type.endsWith(']'));
  const cells = [columns.map(({ name }) => shown(name)), ...rows.map((row) => row.map(shown))];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (numeric[at] ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd();
  const [head, ...body] = cells.map(line);
  return lines([head!, line(widths.map((width) => '-'.repeat(width))), ...body]);
}

function shown(value: unknown): string {
  if (value === null) return '-';
  // Names may come from a sender: their control characters must not reach the terminal.
  const text = plain(value).replaceAll(/\p{Cc}/gu, '\ufffd');
  return text.length <= MAX_WIDTH ? text : `${text.slice(0, MAX_WIDTH - 1)}\u2026`;
}
