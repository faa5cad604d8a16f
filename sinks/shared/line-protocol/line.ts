import type { Point } from './points.js';

/**
 * A point in the line protocol: `measurement,tag=value field=1i 1700000000000000000`. Its fields are text of the
 * protocol already, and names are those of csiflow's columns.
 */
export function lineOf({ measurement, tags, fields, timestamp }: Point): string {
  const sorted = Object.entries(tags).sort(([one], [other]) => (one < other ? -1 : 1));
  const key = [measurement, ...sorted.map(([name, value]) => `${name}=${escaped(value)}`)].join(',');
  const values = Object.entries(fields).map(([name, value]) => `${name}=${value.toString()}`);
  return `${key} ${values.join(',')} ${timestamp}`;
}

/** A tag's value, escaped; `encodeTag` has replaced what the protocol cannot express. */
const escaped = (value: string): string => value.replace(/[,= ]/g, '\\$&');
