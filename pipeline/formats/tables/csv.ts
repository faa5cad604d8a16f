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

/** The table that starts with this text; null if its first lines are not rows of numbers. */
export function lookAtCsv(head: string, isWhole: boolean): CsvLook | null {
  const all = head.split(/\r?\n/);
  const lines = (isWhole ? all : all.slice(0, -1)).filter((line) => line.trim() !== '').slice(0, 20);
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
 */
export function readCsv(text: string): Table {
  const look = lookAtCsv(text, true);
  if (!look) throw new Error('its first lines are not rows of numbers');
  const { separator, header, columns } = look;
  const unread: string[] = [];
  const rows: string[][] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || (header && rows.length === 0 && unread.length === 0 && isHeader(line, look)))
      continue;
    const cells = cellsOf(line, separator);
    if (cells.length === columns) rows.push(cells);
    else unread.push(`line ${index + 1}: ${cells.length} columns, but the first line has ${columns}`);
  }
  const arrays = Array.from({ length: columns }, (_, column) => {
    const name = header?.[column] ?? String(column + 1);
    const isText = rows.some((row) => row[column] !== '' && !NUMBER.test(row[column]!));
    if (isText)
      return textArray(
        name,
        [rows.length],
        rows.map((row) => row[column]!),
      );
    return numberArray(
      name,
      [rows.length],
      Float64Array.from(rows, (row) => numberOf(row[column]!)),
    );
  });
  return { arrays, unread, isColumns: true };
}

const isHeader = (line: string, { separator, header }: CsvLook): boolean =>
  cellsOf(line, separator).join('\n') === header!.join('\n');

function numberOf(cell: string): number {
  if (cell === '' || /nan/i.test(cell)) return NaN;
  if (/inf/i.test(cell)) return cell.startsWith('-') ? -Infinity : Infinity;
  return Number(cell);
}
