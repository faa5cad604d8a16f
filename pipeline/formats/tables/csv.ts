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
/** Lines of which one must be whole: a recording may begin in the middle of a line. */
const FIRST_LINES = 3;
/** Share of the cells of a column of numbers that may be damaged; with more, it is a column of texts. */
const MAX_DAMAGED = 0.25;
/** Share of them that may be words: labels are not damaged. */
const MAX_WORDS = 0.05;
const WORD = /^\p{L}[\p{L} _-]+$/u;
/** What programs write where a value is missing. */
const MISSING = /^(null|none|na|missing)$/i;

/** Characters that show what a table looks like. */
const LOOK = 262_144;

/** The table that starts with this text; null if its first lines are not rows of numbers. */
export function lookAtCsv(head: string, isWhole: boolean): CsvLook | null {
  const all = head.slice(0, LOOK).split(endOf(head));
  const lines = (isWhole && head.length <= LOOK ? all : all.slice(0, -1))
    .filter((line) => line.trim() !== '')
    .slice(0, 20);
  for (const separator of SEPARATORS) {
    const rows = lines.map((line) => cellsOf(line, separator));
    // The first lines may be damaged.
    for (let at = 0; at < Math.min(FIRST_LINES, rows.length); at++) {
      const look = lookBy(rows, at, separator);
      if (look) return look;
    }
  }
  return null;
}

/** The look of a table by its line `at`: names, or numbers. */
function lookBy(lines: readonly string[][], at: number, separator: CsvLook['separator']): CsvLook | null {
  const cells = lines[at]!;
  if (cells.length < MIN_NUMBERS) return null;
  const hasHeader = isNames(cells) && !cells.includes('');
  // Names that do not fit the columns: which is which would be a guess.
  const isMisfit = (line: readonly string[]) => isNames(line) && line.length >= cells.length - 1;
  if ((!hasHeader && isNames(cells)) || lines.slice(0, at).some(isMisfit)) return null;
  const rows = hasHeader ? lines.toSpliced(at, 1) : lines;
  const fitting = rows.filter(
    (row) =>
      row.length === cells.length &&
      row.filter((cell) => NUMBER.test(cell)).length >= MIN_NUMBERS &&
      // A list in a cell is typical of receivers' logs.
      !row.some((cell) => /[[\]]/.test(cell)),
  );
  if (fitting.length === 0 || fitting.length < MIN_FITTING * rows.length) return null;
  return { separator, header: hasHeader ? cells : null, columns: cells.length };
}

const isNames = (cells: readonly string[]): boolean => cells.every((cell) => !NUMBER.test(cell));

/** What ends the lines of a text: carriage returns where it has no line feed (old terminals and spreadsheets). */
const endOf = (text: string): '\n' | '\r' => (text.includes('\n') ? '\n' : '\r');

const cellsOf = (line: string, separator: string | RegExp): string[] =>
  line
    .trim()
    .split(separator)
    .map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));

/**
 * Each column by its name (`1`, `2`, ... if there are no names). Lines with too few or too many columns are
 * skipped. Columns of texts contain texts; an empty or damaged cell in a column of numbers is NaN.
 * @param texts names of columns that are texts, also if they look like numbers
 * @throws AllowanceExceeded before it uses more memory: a small compressed file can hold any number of rows
 */
export async function readCsv(
  text: string,
  allowance = new Allowance(),
  texts: readonly string[] = [],
): Promise<Table> {
  const look = lookAtCsv(text, true);
  if (!look) throw new Error('its first lines are not rows of numbers');
  const { header, columns } = look;
  const damaged: string[] = [];
  // Of each column: cells that are not empty, those that are no numbers, and those of them that are words.
  const filledCells = new Array<number>(columns).fill(0);
  const [others, words] = [[...filledCells], [...filledCells]];
  let count = 0;
  for await (const { cells, number } of rowsOf(text, look)) {
    if (cells.length !== columns) {
      allowance.take(TEXT_BYTES);
      damaged.push(`line ${number}: ${cells.length} columns, but most have ${columns}`);
      continue;
    }
    // Before the next row, so that a file that is too large is refused early.
    allowance.takeNumbers(columns);
    count++;
    cells.forEach((cell, i) => {
      if (cell === '') return;
      filledCells[i]!++;
      if (!NUMBER.test(cell)) others[i]!++;
      if (isWord(cell)) words[i]!++;
    });
  }
  const nameOf = (column: number): string => header?.[column] ?? String(column + 1);
  const isText = others.map(
    (other, i) => texts.includes(nameOf(i)) || areTexts(filledCells[i]!, other, words[i]!),
  );
  allowance.take(isText.filter(Boolean).length * count * TEXT_BYTES);
  const filled = isText.map((is) => (is ? new Array<string>(count) : new Float64Array(count)));
  let at = 0;
  for await (const { cells, number } of rowsOf(text, look)) {
    if (cells.length !== columns) continue;
    filled.forEach((column, i) => {
      const cell = cells[i]!;
      if (column instanceof Float64Array) column[at] = numberOf(cell);
      else column[at] = cell;
      if (column instanceof Float64Array && others[i]! > 0 && cell !== '' && !NUMBER.test(cell)) {
        allowance.take(TEXT_BYTES);
        damaged.push(
          `line ${number}: \`${cell.slice(0, MAX_SHOWN)}\` in column ${nameOf(i)} is not a number`,
        );
      }
    });
    at++;
  }
  const arrays = filled.map((column, i) => {
    const name = nameOf(i);
    return column instanceof Float64Array
      ? numberArray(name, [count], column)
      : textArray(name, [count], column);
  });
  return { arrays, unread: [], damaged, isColumns: true };
}

/** Whether a column is one of texts, by its cells that are filled, those that are no numbers, and the words of them. */
const areTexts = (filled: number, others: number, words: number): boolean =>
  others > MAX_DAMAGED * filled || words > MAX_WORDS * filled;

const isWord = (cell: string): boolean => WORD.test(cell) && !NUMBER.test(cell) && !MISSING.test(cell);

/** Characters of a damaged cell in a message. */
const MAX_SHOWN = 32;
/** Memory of a short text, bytes. */
const TEXT_BYTES = 64;
/** Between them, other work gets its turn. */
const LINES_AT_ONCE = 4096;

/** The lines that are neither empty nor the header, numbered from 1. */
async function* rowsOf(
  text: string,
  look: CsvLook,
): AsyncGenerator<{ cells: readonly string[]; number: number }> {
  const ending = endOf(text);
  let isHeaderAhead = look.header !== null;
  for (let at = 0, number = 1; at < text.length; number++) {
    if (number % LINES_AT_ONCE === 0) await setImmediate();
    const end = text.indexOf(ending, at);
    const line = text.slice(at, end < 0 ? text.length : end);
    at += line.length + 1;
    if (line.trim() === '') continue;
    if (isHeaderAhead && isHeader(line, look)) {
      isHeaderAhead = false;
      continue;
    }
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
