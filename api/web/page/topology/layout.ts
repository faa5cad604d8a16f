export interface Edge {
  readonly from: string;
  readonly to: string;
}

export interface Placed {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

/** Sizes of a node and of the space around it, pixels. */
export const NODE = { width: 176, height: 68 } as const;
const GAP = { across: 16, down: 30 } as const;

/**
 * Rows from top to bottom: each node is one row below its lowest input, and as close as possible to the
 * middle of its inputs, so that few edges cross.
 *
 * @param visible width of the page, pixels: rows that fit are in its middle, wider ones start at the left
 */
export function layOut(
  ids: readonly string[],
  edges: readonly Edge[],
  visible: number,
): { readonly nodes: readonly Placed[]; readonly width: number; readonly height: number } {
  const inputs = new Map(ids.map((id) => [id, edges.filter(({ to }) => to === id).map(({ from }) => from)]));
  const rows = rowsOf(ids, inputs);
  const widest = Math.max(1, ...rows.map(({ length }) => length));
  const column = NODE.width + GAP.across;
  const width = widest * column;
  const spread = Math.min(width, visible);
  const middles = new Map<string, number>();
  const nodes = rows.flatMap((row, index) => {
    const wanted = (id: string): number =>
      mean((inputs.get(id) ?? []).map((input) => middles.get(input) ?? spread / 2));
    const sorted = row.toSorted((one, other) => wanted(one) - wanted(other));
    const step = Math.max(column, spread / sorted.length);
    return sorted.map((id, place) => {
      const middle = (place + 0.5) * step;
      middles.set(id, middle);
      return { id, x: middle - NODE.width / 2, y: GAP.down / 2 + index * (NODE.height + GAP.down) };
    });
  });
  return { nodes, width, height: rows.length * (NODE.height + GAP.down) };
}

function rowsOf(ids: readonly string[], inputs: ReadonlyMap<string, readonly string[]>): readonly string[][] {
  const rows: string[][] = [];
  const rowOf = new Map<string, number>();
  const addToRow = (id: string): number => {
    const known = rowOf.get(id);
    if (known !== undefined) return known;
    const row = Math.max(-1, ...(inputs.get(id) ?? []).map(addToRow)) + 1;
    rowOf.set(id, row);
    (rows[row] ??= []).push(id);
    return row;
  };
  ids.forEach(addToRow);
  return rows;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
