import { bucketsOf, type Aggregate, type AggregateQuery } from '../../pipeline/component/index.js';
import { Conditions } from './conditions.js';
import type { Snapshot } from './pool.js';
import { BUCKET } from './summaries.js';

/**
 * Measures aggregated by the database. A month in buckets of five minutes gives tens of thousands of sums:
 * reading them costs more than computing them, unless they arrive by column, as plain numbers, with numbers
 * for names too.
 */
export async function aggregatesOf(snapshot: Snapshot, query: AggregateQuery): Promise<Aggregate[]> {
  const { length, first } = bucketsOf(query);
  if (query.names.length === 0) return [];
  const names = [...new Set(query.names)].sort();
  const conditions = Conditions.of(query).addOneOf('name', names).add("source = 'csiflow'");
  if (query.subject === null) conditions.add('subject IS NULL');
  const words = names.map((_, index) => `$name${index}`).join(', ');
  const columns = await snapshot.columns(
    `SELECT list_position([${words}], name)::INTEGER AS name, subject, (${BUCKET})::DOUBLE AS start,
       count(*)::DOUBLE AS count, sum(value) AS sum, min(value) AS min, max(value) AS max
     FROM measures ${conditions.where} GROUP BY ALL ORDER BY start, name, subject NULLS FIRST`,
    { ...conditions.parameters, length: BigInt(length), first: BigInt(first) },
  );
  const [name, start, count, sum, min, max] = ['name', 'start', 'count', 'sum', 'min', 'max'].map(
    (column) => columns[column] as readonly number[] | undefined,
  );
  // A result without rows has no columns.
  const subjects = (columns['subject'] ?? []) as readonly (string | null)[];
  return subjects.map((subject, row) => ({
    name: names[name![row]! - 1]!,
    subject,
    start: start![row]!,
    count: count![row]!,
    sum: sum![row]!,
    min: min![row]!,
    max: max![row]!,
  }));
}
