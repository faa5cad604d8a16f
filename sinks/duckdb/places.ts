import type { Place, PlaceQuery } from '../../pipeline/component/index.js';
import { Conditions } from './conditions.js';
import type { Snapshot } from './pool.js';

/** Persons in sight by cell of the floor, ordered by y and x. */
export async function placesOf(
  snapshot: Snapshot,
  { environment, start, end, size, cell }: PlaceQuery,
): Promise<Place[]> {
  const { where, parameters } = Conditions.of({ environment, start, end })
    .add("(track_state IS NULL OR track_state = 'active')")
    .add('x >= 0 AND x < $width AND y >= 0 AND y < $depth', { width: size.x, depth: size.y });
  const rows = await snapshot.query(
    `SELECT floor(x / $cell) AS across, floor(y / $cell) AS away, count(*) AS persons
     FROM persons ${where} GROUP BY across, away ORDER BY away, across`,
    { ...parameters, cell },
  );
  return rows.map((row) => ({
    x: row['across'] as number,
    y: row['away'] as number,
    persons: row['persons'] as number,
  }));
}
