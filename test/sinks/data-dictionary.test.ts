import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { dictionaryPage } from '../../api/cli/dictionary-page.js';
import { openDatabase, withConnection } from '../../sinks/shared/database.js';
import { COLUMN_FACTS, VIEW_COLUMNS } from '../../sinks/shared/column-facts.js';
import type { Column } from '../../sinks/shared/columns.js';
import { TABLE_NAMES, TABLES } from '../../sinks/shared/tables.js';
import { portsOf } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { measure, person, poseFrame, sensedEvent } from '../support/records.js';
import { unknownFields, unknownMeasures, unknownPoints } from '../support/dictionary.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-dictionary-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const records: readonly Data[] = [
  poseFrame(0, { persons: [person(0, 0), person(0, 1, { track: null })] }),
  sensedEvent(1),
  sensedEvent(2, { location: { x: 1.5, y: 2, z: 0.5 }, person: 3 }),
  measure(1, { name: 'motion', subject: null }),
  measure(2, { name: 'person_seconds', subject: '7' }),
];
const lines = records.map((record) =>
  JSON.stringify(record, (key, value: unknown) => (key === 'processingMs' ? undefined : value)),
);

describe('the data dictionary', () => {
  test('has the columns and types of a real store, and no others', async () => {
    const limits = { memoryLimitBytes: 64 * 2 ** 20, walLimitBytes: 16 * 2 ** 20 };
    const database = await openDatabase(join(folder, 'room.duckdb'), limits);
    const real = await withConnection(database.instance, async (connection) =>
      (
        await connection.runAndReadAll(
          "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE table_name NOT LIKE 'csiflow%' AND NOT internal ORDER BY table_name, column_index",
        )
      ).getRows(),
    ).finally(() => database.close());
    const reported = [
      ...TABLE_NAMES.flatMap((table) =>
        (TABLES[table].columns as readonly Column<never>[]).map(({ name, encoding }) => [
          table,
          name,
          encoding.type,
        ]),
      ),
      ...(['tracks', 'keypoints'] as const).flatMap((view) =>
        VIEW_COLUMNS[view].map((column) => [view, ...column]),
      ),
    ];
    expect(reported.map(String).sort()).toEqual(real.map(String).sort());
    const described = Object.entries(COLUMN_FACTS).flatMap(([table, facts]) =>
      Object.keys(facts).map((column) => `${table},${column}`),
    );
    expect(described.sort()).toEqual(
      real.map(([table, column]) => `${String(table)},${String(column)}`).sort(),
    );
  });

  test('has the fields of points and of lines', () => {
    expect(unknownFields(lines)).toEqual([]);
    expect(unknownPoints(records)).toEqual([]);
  });

  test('fails the comparison if something is missing', () => {
    const line = { ...(JSON.parse(lines[0]!) as object), hat: 'red', time: 'now' };
    expect(unknownFields([JSON.stringify(line)])).toEqual([
      'pose: time is text, not integer',
      'pose: hat is text, not known',
    ]);
    const environment = { links: [{ id: 'a' }] } as never;
    const [wrong, good] = [
      measure(1, { name: 'motion', subject: '4' }),
      measure(1, { name: 'motion', subject: 'a' }),
    ];
    expect(unknownMeasures([wrong, good], environment)).toEqual(['motion of person']);
  });

  test('lists the measures of every operator that emits some', () => {
    // Operators that pass on records of any kind, and `aggregate`, write measures that the topology names.
    const silent = components
      .list('operator')
      .filter(({ name }) => name !== 'aggregate')
      .filter((one) => portsOf(one).includes('measure') && !portsOf(one).includes('pose'))
      .filter(({ writes = [] }) => writes.length === 0);
    expect(
      silent.map(({ name }) => name),
      'each of these operators outputs measures: list them in `writes` of its definition (docs/own-operator.md), then run `npm run csiflow -- docs`',
    ).toEqual([]);
  });

  test('lists each table, measurement and measure', () => {
    const { text } = dictionaryPage(components);
    for (const word of [
      '### persons',
      '### keypoints',
      '### track',
      '`breathing_rate_bpm` | 1/min',
      '`persons[].track.since`',
    ])
      expect(text).toContain(word);
    expect(text).toContain(
      '| `zone_seconds` | s | zone | minute | [`watch-zones`](components/operators/watch-zones.md) |',
    );
  });
});
