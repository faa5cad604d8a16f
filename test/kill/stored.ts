import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect } from 'vitest';
import type { AnySink, Reader } from '../../pipeline/component/index.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';

/** Output of a chain of kills: tables of the store, lines of the files; both as text. */
export interface Outcome {
  readonly rows: string;
  readonly lines: string;
}

/** @param except fields that differ between the compared inputs */
export async function outcomeOf(folder: string, ...except: readonly string[]): Promise<Outcome> {
  return { rows: await rowsOf(folder, except), lines: linesOf(folder, except) };
}

/** Reports the first difference, rather than all of ten thousand rows. */
export function expectSame(stored: string, wanted: string, what: string): void {
  if (stored === wanted) return;
  const [found, right] = [stored.split('\n'), wanted.split('\n')];
  const first = right.findIndex((row, index) => row !== found[index]);
  const around = (rows: readonly string[]) => rows.slice(Math.max(0, first - 3), first + 12);
  expect({ what, rows: found.length, first, around: around(found) }).toEqual({
    what,
    rows: right.length,
    first,
    around: around(right),
  });
}

export const alertsIn = (rows: string): readonly string[] =>
  [...rows.matchAll(/^events .*?"(room\/fall_detection\/\d+)"/gm)].map((match) => match[1]!).sort();

/**
 * Poses, events and measures of the InfluxDB equal those of the DuckDB beside it, value by value: both round
 * alike.
 * @returns the number of records compared
 */
export async function expectInInflux(
  config: Readonly<Record<string, unknown>>,
  folder: string,
): Promise<number> {
  const wanted = await readBack(duckdb, { path: join(folder, 'out.duckdb') });
  const found = await readBack(influxdb, config);
  expectSame(found.join('\n'), wanted.join('\n'), 'InfluxDB beside DuckDB');
  return found.length;
}

/** All records of a store from the nodes that both stores have, as text. */
async function readBack(component: AnySink, config: object): Promise<readonly string[]> {
  const sink = component.create(withDefaults(component, config) as never, testContext().context);
  await sink.open();
  try {
    return (await recordsOf(sink.reader!)).map((record) => JSON.stringify(record, sorted)).sort();
  } finally {
    await sink.close();
  }
}

async function recordsOf(reader: Reader): Promise<readonly object[]> {
  const query = { environment: 'room' };
  const measures = await reader.measures(query);
  return [
    ...(await reader.poses(query)).map((frame) => ({ ...frame, processingMs: 0 })),
    ...(await reader.events({ ...query, ownOnly: false })),
    // The measures of `order`, which only writes to DuckDB: each of its measures has a name of its own.
    ...measures.filter(({ name }) => !/^(frame_|pose_seen)/.test(name)),
  ];
}

/** Fields sorted by name: stores may use different orders. */
const sorted = (_: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** Lines of the files, sorted: two nodes that write to one sink have no order between them. */
function linesOf(folder: string, except: readonly string[]): string {
  const names = readdirSync(folder).filter((name) => /^out\.\d+\.ndjson$/.test(name));
  const lines = names.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'));
  return without(lines, ['processingMs', ...except]);
}

/** JSON lines without some of their fields, sorted. */
export function without(lines: readonly string[], fields: readonly string[]): string {
  const left = new Set(fields);
  return lines
    .map((line) =>
      JSON.stringify(JSON.parse(line), (key, value: unknown) => (left.has(key) ? undefined : value)),
    )
    .sort()
    .join('\n');
}

/** All rows as text, without fields that may differ between two runs of the same input. */
async function rowsOf(folder: string, except: readonly string[]): Promise<string> {
  const instance = await DuckDBInstance.create(join(folder, 'out.duckdb'), { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const parts: string[] = [];
  for (const table of ['poses', 'persons', 'events', 'measures']) {
    const left = [
      'epoch',
      ...(table === 'poses' ? ['processing_ms'] : []),
      ...(table === 'persons' ? [] : except),
    ];
    const found = await connection.runAndReadAll(
      `select * exclude (${left.join(', ')}) from ${table} order by all`,
    );
    for (const row of found.getRowsJson()) parts.push(`${table} ${JSON.stringify(row)}`);
  }
  connection.closeSync();
  instance.closeSync();
  return parts.join('\n');
}
