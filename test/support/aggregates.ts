import type { Aggregate, AggregateQuery } from '../../pipeline/component/index.js';
import type { Measure } from '../../pipeline/model/index.js';

/** A reader's `aggregates` in plain loops: for expectations, and for fake readers. */
export function aggregatesOf(measures: readonly Measure[], query: AggregateQuery): Aggregate[] {
  const { environment, start, end, names, bucket, offset = 0 } = query;
  const groups = new Map<string, { name: string; subject: string | null; start: number; values: number[] }>();
  for (const { name, subject, time, value, source, environment: room } of measures) {
    if (room !== environment || source !== 'csiflow' || !names.includes(name)) continue;
    if (!(time >= start && time < end)) continue;
    if (query.subject === null && subject !== null) continue;
    const from = Math.floor((time - offset) / bucket) * bucket + offset;
    const key = JSON.stringify([from, name, subject]);
    const group = groups.get(key) ?? { name, subject, start: from, values: [] };
    groups.set(key, { ...group, values: [...group.values, value] });
  }
  return [...groups.values()]
    .map(({ values, ...group }) => ({
      ...group,
      count: values.length,
      sum: values.reduce((sum, value) => sum + value, 0),
      min: Math.min(...values),
      max: Math.max(...values),
    }))
    .sort(
      (a, b) => a.start - b.start || compare(a.name, b.name) || compare(a.subject ?? '', b.subject ?? ''),
    );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
