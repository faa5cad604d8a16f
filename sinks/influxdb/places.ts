import { TooManyRows, type Place, type PlaceQuery } from '../../pipeline/component/index.js';
import type { Asking } from './aggregates.js';
import { Conditions } from './query.js';
import { rowsOf } from './rows.js';

/** Rows of one answer, and of all: InfluxQL cannot group by a field, so the rows themselves are read. */
const [PAGE, MAX_ROWS] = [20_000, 400_000];

/** Persons in sight by cell of the floor, ordered by y and x. @throws TooManyRows */
export async function placesOf(query: PlaceQuery, store: Asking): Promise<Place[]> {
  const { environment, start, end, size, cell } = query;
  const { where } = Conditions.of({ environment, start, end });
  const found = new Map<string, Place>();
  for (let offset = 0; ; offset += PAGE) {
    if (offset >= MAX_ROWS) throw new TooManyRows(MAX_ROWS);
    const [series] = await store.query(
      `SELECT "x", "y", "track_state" FROM ${store.from(['pose'])} ${where} LIMIT ${PAGE} OFFSET ${offset}`,
    );
    const rows = rowsOf(series!);
    for (const row of rows) {
      const [x, y, state] = [row['x'] as number, row['y'] as number, row['track_state']];
      const isCounted =
        (state === null || state === 'active') && x >= 0 && x < size.x && y >= 0 && y < size.y;
      if (isCounted) count(found, Math.floor(x / cell), Math.floor(y / cell));
    }
    if (rows.length < PAGE) return [...found.values()].sort((a, b) => a.y - b.y || a.x - b.x);
  }
}

function count(found: Map<string, Place>, x: number, y: number): void {
  const key = `${x} ${y}`;
  found.set(key, { x, y, persons: (found.get(key)?.persons ?? 0) + 1 });
}
