import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageFile } from '../../pipeline/base/paths.js';
import { loadTopology } from '../../pipeline/config/index.js';
import type { Data, Environment } from '../../pipeline/model/index.js';
import { components } from '../../api/components.js';
import { csiflow } from '../support/csiflow.js';
import { COLUMN_FACTS } from '../../sinks/shared/column-facts.js';
import {
  missingFields,
  missingPoints,
  unknownFields,
  unknownMeasures,
  unknownPoints,
} from '../support/dictionary.js';
import { RUN_TO_END } from '../support/motion-run.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-dictionary-'));
let environment: Environment;
let lines: readonly string[];
let records: readonly Data[];

/** Two and a half minutes of the demo's flat, through all of its operators. */
beforeAll(async () => {
  const demo = parse(readFileSync(packageFile('topologies/demo.yaml'), 'utf8')) as Record<string, never>;
  const { operators, sinks } = demo as unknown as {
    operators: Record<string, Record<string, unknown>>;
    sinks: { history: { from: string[] } };
  };
  operators['poses']!['calibration'] = packageFile('topologies/environments/demo-flat.calibration.json');
  const file = join(folder, 't.yaml');
  const from = sinks.history.from;
  writeFileSync(
    file,
    JSON.stringify({
      id: 'demo',
      environment: packageFile('topologies/environments/demo-flat.yaml'),
      sources: { flat: { type: 'simulator', rate_hz: 50, seed: 5, duration_s: 150, speed: 0 } },
      operators,
      sinks: {
        lines: { type: 'file', from, path: 'out.ndjson' },
        history: { type: 'duckdb', from, path: 'out.duckdb' },
      },
    }),
  );
  environment = loadTopology(file, components, { env: {} }).topology!.environments[0]!;
  const { code, output } = await csiflow(...RUN_TO_END, file);
  expect(code, output).toBe(0);
  lines = readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'));
  records = lines.map((line) => ({ processingMs: 0, ...(JSON.parse(line) as Data) }));
}, 1_200_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('lines match the dictionary completely, except for faults of links', () => {
  expect(unknownFields(lines)).toEqual([]);
  expect(missingFields(lines).filter((path) => !path.includes('leftOut'))).toEqual([]);
});

test('points match the dictionary completely', () => {
  expect(unknownPoints(records)).toEqual([]);
  expect(missingPoints(records)).toEqual([]);
});

test('each column of the store has values', async () => {
  const empty: string[] = [];
  for (const [table, facts] of Object.entries(COLUMN_FACTS)) {
    const names = Object.keys(facts);
    const sql = `SELECT ${names.map((name) => `count(${name}) AS ${name}`).join(', ')} FROM ${table}`;
    const { out } = await csiflow('query', sql, '--from', join(folder, 'out.duckdb'), '--format', 'csv');
    const counts = out.trimEnd().split('\n')[1]!.split(',');
    expect(counts).toHaveLength(names.length);
    empty.push(...names.filter((_, index) => counts[index] === '0').map((name) => `${table}: ${name}`));
  }
  expect(empty).toEqual([]);
});

test('each measure is one that a component declares', () => {
  expect(unknownMeasures(records, environment)).toEqual([]);
});

test('the store holds the same measures and columns', async () => {
  const sql = 'SELECT DISTINCT name FROM measures ORDER BY ALL';
  const { out } = await csiflow('query', sql, '--from', join(folder, 'out.duckdb'), '--format', 'csv');
  const names = new Set(records.flatMap((record) => (record.port === 'measure' ? [record.name] : [])));
  expect(out.trimEnd().split('\n').slice(1)).toEqual([...names].sort());
});
