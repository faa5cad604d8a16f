import type { Figure } from './bootstrap.js';

/** The format of a column's figures. `rooms` is a share of rooms, with their number. */
export type Unit = 'share' | 'rooms' | 'm' | 'mm' | 'deg' | 'per_h' | 'number' | 'score' | 'count';

export interface Column {
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
}

export interface Row {
  readonly name: string;
  /** An answer that needs no CSI. */
  readonly baseline: boolean;
  /** By column; a missing one does not apply. */
  readonly cells: Readonly<Record<string, Figure>>;
}

export interface Table {
  readonly id: string;
  readonly title: string;
  /** What was simulated or played, and how it was counted. */
  readonly method: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

const WRITTEN: Readonly<Record<Unit, (value: number) => string>> = {
  share: (value) => `${(100 * value).toFixed(1)} %`,
  rooms: (value) => `${(100 * value).toFixed(0)} %`,
  m: (value) => `${value.toFixed(2)} m`,
  mm: (value) => `${value.toFixed(0)} mm`,
  deg: (value) => `${value.toFixed(0)} deg`,
  per_h: (value) => value.toFixed(2),
  number: (value) => value.toFixed(2),
  score: (value) => value.toFixed(3),
  count: (value) => value.toFixed(0),
};

/**
 * `0.42 m (0.38 to 0.47)`, `0 of 20 (0 to 17 %)`. An interval that is no wider than the figure's last digit is left
 * out: the rooms agree, and a bootstrap of them cannot say how rare others are.
 */
export function cellText(figure: Figure | undefined, unit: Unit): string {
  if (!figure) return '';
  if (unit === 'rooms' && figure.rooms > 0) return roomsText(figure);
  const written = (value: number) => (Number.isNaN(value) ? '-' : WRITTEN[unit](value));
  if (Number.isNaN(figure.low) || written(figure.low) === written(figure.high)) return written(figure.value);
  const bare = (value: number) => written(value).replace(/ .*/, '');
  return `${written(figure.value)} (${bare(figure.low)} to ${bare(figure.high)})`;
}

const roomsText = ({ value, low, high, rooms }: Figure): string =>
  `${Math.round(value * rooms)} of ${rooms} (${(100 * low).toFixed(0)} to ${WRITTEN.rooms(high)})`;

export function tableText({ title, method, columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const head = line(['', ...columns.map((column) => column.title)]);
  const rule = line(['---', ...columns.map(() => '---')]);
  const body = rows.map(({ name, baseline, cells }) =>
    line([baseline ? `*${name}*` : name, ...columns.map(({ id, unit }) => cellText(cells[id], unit))]),
  );
  return [`## ${title}`, '', method, '', head, rule, ...body, ''].join('\n');
}

/** The cell of a row, for bounds. @throws Error if there is none */
export function cell(table: Table, row: string, column: string): Figure {
  const found = table.rows.find(({ name }) => name === row)?.cells[column];
  if (!found) throw new Error(`${table.id} has no cell ${column} in a row ${row}`);
  return found;
}
