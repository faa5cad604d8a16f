import type { Row } from '../shared/line-protocol/rows.js';
import type { Series } from './connection.js';

/** The rows of a statement's series, each with the tags by which its series is grouped. */
export const rowsOf = (series: readonly Series[]): Row[] =>
  series.flatMap(({ tags, columns, values }) =>
    (values ?? []).map(
      (values) =>
        ({
          ...tags,
          ...Object.fromEntries(columns.map((column, at) => [column, values[at] ?? null])),
        }) as Row,
    ),
  );
