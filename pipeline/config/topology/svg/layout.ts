/** A node in the picture; its size in pixels. */
export interface Box {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly from: string;
  readonly to: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  /** Middles of the boxes. */
  readonly middles: ReadonlyMap<string, Point>;
  /** For each line, the points between its boxes: the edges of each column that it passes. */
  readonly bends: readonly (readonly Point[])[];
  readonly width: number;
  readonly height: number;
}

/** A box, or the point where a line passes a column. */
interface Cell {
  readonly width: number;
  readonly height: number;
  readonly before: Cell[];
  readonly after: Cell[];
  readonly column: number;
  y: number;
}

const GAP = { across: 16, along: 64 } as const;
const MARGIN = 16;
const SWEEPS = 12;

/**
 * Columns from left to right: each box is one column after its last input, and close to what it is joined to.
 * Lines that pass columns have a point in each, so that they do not cross boxes.
 * @throws Error for a ring of lines, or a line of an unknown box
 */
export function layOut(boxes: readonly Box[], lines: readonly Line[]): Layout {
  const columnOf = columnsOf(boxes, lines);
  const cells = new Map(boxes.map((box) => [box.id, cellOf(columnOf.get(box.id)!, box)]));
  const columns: Cell[][] = [];
  const add = (cell: Cell): Cell => {
    (columns[cell.column] ??= []).push(cell);
    return cell;
  };
  for (const cell of cells.values()) add(cell);
  const passes = lines.map(({ from, to }) => {
    const last = cells.get(to)!;
    let before = cells.get(from)!;
    const passed: Cell[] = [];
    while (before.column + 1 < last.column) {
      const cell = add(cellOf(before.column + 1, { width: 0, height: 8 }));
      join(before, cell);
      passed.push(cell);
      before = cell;
    }
    join(before, last);
    return passed;
  });
  for (const column of columns) spread(column, () => 0);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const forward = sweep % 2 === 0;
    for (const column of forward ? columns : columns.toReversed()) {
      spread(column, (cell) => mean(forward ? cell.before : cell.after) ?? cell.y);
    }
  }
  return placed(columns, cells, passes);
}

const cellOf = (column: number, { width, height }: Omit<Box, 'id'>): Cell => {
  return { width, height, column, before: [], after: [], y: 0 };
};

function join(from: Cell, to: Cell): void {
  from.after.push(to);
  to.before.push(from);
}

function columnsOf(boxes: readonly Box[], lines: readonly Line[]): ReadonlyMap<string, number> {
  const inputs = new Map<string, string[]>(boxes.map(({ id }) => [id, []]));
  for (const { from, to } of lines) {
    if (!inputs.has(from)) throw new Error(`a line starts at ${from}, which is not a box`);
    const into = inputs.get(to);
    if (!into) throw new Error(`a line ends at ${to}, which is not a box`);
    into.push(from);
  }
  const columns = new Map<string, number | null>();
  const columnOf = (id: string): number => {
    const known = columns.get(id);
    if (known === null) throw new Error(`a ring of lines passes ${id}`);
    if (known !== undefined) return known;
    columns.set(id, null);
    const column = Math.max(-1, ...inputs.get(id)!.map(columnOf)) + 1;
    columns.set(id, column);
    return column;
  };
  return new Map(boxes.map(({ id }) => [id, columnOf(id)]));
}

/** Sorts a column by where its cells should be, and moves them apart. */
function spread(column: Cell[], wantedOf: (cell: Cell) => number): void {
  const wanted = new Map(column.map((cell) => [cell, wantedOf(cell)]));
  column.sort((one, other) => wanted.get(one)! - wanted.get(other)!);
  let end = -Infinity;
  for (const cell of column) {
    cell.y = Math.max(wanted.get(cell)!, end + cell.height / 2);
    end = cell.y + cell.height / 2 + GAP.across;
  }
  const shift = column.reduce((sum, cell) => sum + wanted.get(cell)! - cell.y, 0) / column.length;
  for (const cell of column) cell.y += shift;
}

const mean = (cells: readonly Cell[]): number | null =>
  cells.length === 0 ? null : cells.reduce((sum, { y }) => sum + y, 0) / cells.length;

function placed(
  columns: readonly (readonly Cell[])[],
  cells: ReadonlyMap<string, Cell>,
  passes: readonly (readonly Cell[])[],
): Layout {
  const all = columns.flat();
  const top = Math.min(0, ...all.map(({ y, height }) => y - height / 2));
  const bottom = Math.max(0, ...all.map(({ y, height }) => y + height / 2));
  const edges: { readonly left: number; readonly right: number }[] = [];
  let x = MARGIN;
  for (const column of columns) {
    const width = Math.max(...column.map((cell) => cell.width));
    edges.push({ left: x, right: x + width });
    x += width + GAP.along;
  }
  const positionOf = ({ column, y }: Cell) => ({ ...edges[column]!, y: y - top + MARGIN });
  const middleOf = ({ left, right, y }: ReturnType<typeof positionOf>): Point => ({
    x: (left + right) / 2,
    y,
  });
  return {
    middles: new Map([...cells].map(([id, cell]) => [id, middleOf(positionOf(cell))])),
    bends: passes.map((passed) =>
      passed.map(positionOf).flatMap(({ left, right, y }) => [
        { x: left, y },
        { x: right, y },
      ]),
    ),
    width: Math.max(x - GAP.along, MARGIN) + MARGIN,
    height: bottom - top + 2 * MARGIN,
  };
}
