/**
 * The assignment of rows to columns with the lowest total cost (Hungarian method with potentials, after Kuhn
 * 1955 and Munkres 1957; O(rows^2 * columns)). The number of pairs is the size of the smaller side.
 * @param costs [row][column], finite @returns the column of each row, -1 if it has none
 */
export function assign(costs: readonly (readonly number[])[]): number[] {
  const rows = costs.length;
  const columns = costs[0]?.length ?? 0;
  if (rows === 0 || columns === 0) return costs.map(() => -1);
  if (rows > columns) return transposed(assign(transpose(costs)), rows);

  const rowPotential = new Float64Array(rows);
  const columnPotential = new Float64Array(columns);
  const rowOf = new Int32Array(columns).fill(-1);
  for (let row = 0; row < rows; row++) augment(costs, row, rowPotential, columnPotential, rowOf);
  return transposed(Array.from(rowOf), rows);
}

/** Assigns `row` a column along the cheapest path of exchanges (Dijkstra on reduced costs). */
function augment(
  costs: readonly (readonly number[])[],
  row: number,
  rowPotential: Float64Array,
  columnPotential: Float64Array,
  rowOf: Int32Array,
): void {
  const columns = rowOf.length;
  const distance = new Float64Array(columns).fill(Infinity);
  const before = new Int32Array(columns).fill(-1);
  const done = new Uint8Array(columns);
  let current = row;
  let from = -1;
  let reached = 0;
  for (;;) {
    let next = -1;
    for (let column = 0; column < columns; column++) {
      if (done[column]) continue;
      const reduced = costs[current]![column]! - rowPotential[current]! - columnPotential[column]!;
      if (reached + reduced < distance[column]!) {
        distance[column] = reached + reduced;
        before[column] = from;
      }
      if (next < 0 || distance[column]! < distance[next]!) next = column;
    }
    reached = distance[next]!;
    done[next] = 1;
    from = next;
    if (rowOf[next]! < 0) break;
    current = rowOf[next]!;
  }
  // Potentials first, as they need the old assignment.
  rowPotential[row]! += reached;
  for (let column = 0; column < columns; column++) {
    if (!done[column] || column === from) continue;
    const slack = reached - distance[column]!;
    columnPotential[column]! -= slack;
    rowPotential[rowOf[column]!]! += slack;
  }
  for (let column = from; column >= 0; column = before[column]!) {
    const previous = before[column]!;
    rowOf[column] = previous < 0 ? row : rowOf[previous]!;
  }
}

const transpose = (costs: readonly (readonly number[])[]): number[][] =>
  costs[0]!.map((_, column) => costs.map((row) => row[column]!));

/** The inverse of an assignment: `length` entries, -1 if none. */
function transposed(assignment: readonly number[], length: number): number[] {
  const result = new Array<number>(length).fill(-1);
  assignment.forEach((to, from) => {
    if (to >= 0) result[to] = from;
  });
  return result;
}
