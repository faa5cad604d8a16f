import type { DuckDBConnection } from '@duckdb/node-api';
import { checkLayout } from '../../pipeline/state/index.js';
import { KEYPOINT_NAMES } from '../../pipeline/model/index.js';
import { createTable, KEYPOINT_SIZE } from './columns.js';
import { TABLE_NAMES, TABLES } from './tables.js';

/** Incremented with each change of the tables. */
const SCHEMA_VERSION = 1;

/**
 * Creates the tables and views of a new store, and checks those of an existing one.
 * @throws Error if the file is not a csiflow store, or one of another version: `state.newer`, `state.older`
 */
export async function prepareSchema(
  connection: DuckDBConnection,
  path: string,
  readOnly: boolean,
): Promise<void> {
  const tables = (
    await connection.runAndReadAll(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'",
    )
  )
    .getRows()
    .map(([name]) => String(name));
  if (tables.length === 0 && !readOnly) {
    await createSchema(connection);
    return;
  }
  if (!tables.includes('csiflow_schema'))
    throw new Error(`${path} is a database that csiflow did not create. Set a separate file for the store.`);
  const version = (
    await connection.runAndReadAll('SELECT max(version) FROM csiflow_schema')
  ).getRows()[0]?.[0];
  checkLayout(path, version, SCHEMA_VERSION);
}

async function createSchema(connection: DuckDBConnection): Promise<void> {
  await connection.run('BEGIN TRANSACTION');
  for (const name of TABLE_NAMES) await connection.run(createTable(TABLES[name]));
  for (const view of VIEWS) await connection.run(view);
  await connection.run('CREATE TABLE csiflow_schema (version INTEGER)');
  await connection.run(`INSERT INTO csiflow_schema VALUES (${SCHEMA_VERSION})`);
  await connection.run('COMMIT');
}

/** Metres, from whole millimetres. */
const keypointAt = (offset: number): string => `keypoints[(k - 1) * ${KEYPOINT_SIZE} + ${offset}] / 1000`;

const VIEWS = [
  `CREATE VIEW tracks AS
     SELECT environment, track_id, min(track_since) AS since, min("time") AS first_seen, max("time") AS last_seen,
       count(*) AS frames, avg(confidence) AS mean_confidence, arg_max(track_state, "time") AS state
     FROM persons WHERE track_id IS NOT NULL GROUP BY environment, track_id, track_since`,
  `CREATE VIEW keypoints AS
     SELECT "time", environment, frame_id, person_index, track_id, articulated,
       [${KEYPOINT_NAMES.map((name) => `'${name}'`).join(', ')}][k] AS keypoint,
       ${keypointAt(1)} AS x, ${keypointAt(2)} AS y, ${keypointAt(3)} AS z, ${keypointAt(4)} AS error
     FROM (SELECT *, unnest(range(1, ${KEYPOINT_NAMES.length + 1})) AS k
       FROM persons WHERE keypoints IS NOT NULL)`,
];
