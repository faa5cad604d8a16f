import { setImmediate } from 'node:timers/promises';
import { Allowance } from './allowance.js';
import { numberArray, textArray, type Table } from './arrays.js';

/** A table as text: columns separated by `,`, `;`, tabs or blanks, with or without a line of names above. */
export interface CsvLook {
  readonly separator: string | RegExp;
  /** Names of the columns, or null. */
  readonly header: readonly string[] | null;
  readonly columns: number;
}

const SEPARATORS: readonly (string | RegExp)[] = [',', ';', '\t', / +/];
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^[+-]?(nan|inf(inity)?)$/i;

/** Minimum number of numbers in a line: log lines contain a few too. */
const MIN_NUMBERS = 8;

/** Share of the first lines that must be rows: some may be truncated. */
const MIN_FITTING = 0.75;

/** Characters that show what a table looks like. */
const LOOK = 262_144;

/** The table that starts with this text; null if its first lines are not rows of numbers. */
export function lookAtCsv(head: string, isWhole: boolean): CsvLook | null {
  const all = head.slice(0, LOOK).split(/\r?\n/);
  const lines = (isWhole && head.length <= LOOK ? all : all.slice(0, -1))
    .filter((line) => line.trim() !== '')
    .slice(0, 20);
  const [first, second] = lines;
  if (first === undefined) return null;
  for (const separator of SEPARATORS) {
    const cells = cellsOf(first, separator);
    if (cells.length < MIN_NUMBERS) continue;
    const hasHeader = cells.every((cell) => cell !== '' && !NUMBER.test(cell));
    const rows = (hasHeader ? lines.slice(1) : lines).map((line) => cellsOf(line, separator));
    if (hasHeader && second === undefined) continue;
    const fitting = rows.filter(
      (row) =>
        row.length === cells.length &&
        row.filter((cell) => NUMBER.test(cell)).length >= MIN_NUMBERS &&
        // A list in a cell is typical of receivers' logs.
        !row.some((cell) => /[[\]]/.test(cell)),
    );
    if (fitting.length >= MIN_FITTING * rows.length)
      return { separator, header: hasHeader ? cells : null, columns: cells.length };
  }
  return null;
}

const cellsOf = (line: string, separator: string | RegExp): string[] =>
  line
    .trim()
    .split(separator)
    .map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));

/**
 * Each column by its name (`1`, `2`, ... if there are no names). Lines with too few or too many columns are
 * skipped. Columns of texts contain texts; an empty cell in a column of numbers is NaN.
 * @throws AllowanceExceeded before it uses more memory: a small compressed file can hold any number of rows
 */
export async function readCsv(text: string, allowance = new Allowance()): Promise<Table> {
  const look = lookAtCsv(text, true);
  if (!look) throw new Error('its first lines are not rows of numbers');
  const { header, columns } = look;
  const unread: string[] = [];
  const isText = new Array<boolean>(columns).fill(false);
  let count = 0;
  for await (const { cells, number } of rowsOf(text, look)) {
    if (cells.length !== columns) {
      allowance.take(TEXT_BYTES);
      unread.push(`line ${number}: ${cells.length} columns, but the first line has ${columns}`);
      continue;
    }
    // Before the next row, so that a file that is too large is refused early.
    allowance.takeNumbers(columns);
    count++;
    cells.forEach((cell, i) => (isText[i] ||= cell !== '' && !NUMBER.test(cell)));
  }
  allowance.take(isText.filter(Boolean).length * count * TEXT_BYTES);
  const filled = isText.map((is) => (is ? new Array<string>(count) : new Float64Array(count)));
  let at = 0;
  for await (const { cells } of rowsOf(text, look)) {
    if (cells.length !== columns) continue;
    filled.forEach((column, i) => {
      if (column instanceof Float64Array) column[at] = numberOf(cells[i]!);
      else column[at] = cells[i]!;
    });
    at++;
  }
  const arrays = filled.map((column, i) => {
    const name = header?.[i] ?? String(i + 1);
    return column instanceof Float64Array
      ? numberArray(name, [count], column)
      : textArray(name, [count], column);
  });
  return { arrays, unread, isColumns: true };
}

/** Memory of a short text, bytes. */
const TEXT_BYTES = 64;
/** Between them, other work gets its turn. */
const LINES_AT_ONCE = 4096;

/** The lines that are neither empty nor the header, numbered from 1. */
async function* rowsOf(
  text: string,
  look: CsvLook,
): AsyncGenerator<{ cells: readonly string[]; number: number }> {
  let isFirst = true;
  for (let at = 0, number = 1; at < text.length; number++) {
    if (number % LINES_AT_ONCE === 0) await setImmediate();
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end);
    at += line.length + 1;
    if (line.trim() === '' || (isFirst && look.header && isHeader(line, look))) continue;
    isFirst = false;
    yield { cells: cellsOf(line, look.separator), number };
  }
}

const isHeader = (line: string, { separator, header }: CsvLook): boolean =>
  cellsOf(line, separator).join('\n') === header!.join('\n');

function numberOf(cell: string): number {
  if (cell === '' || /nan/i.test(cell)) return NaN;
  if (/inf/i.test(cell)) return cell.startsWith('-') ? -Infinity : Infinity;
  return Number(cell);
}
