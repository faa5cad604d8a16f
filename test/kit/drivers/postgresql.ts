import { postgresql } from '../../../sinks/postgresql/postgresql.js';
import { HOP, START, resultIdentity, resultRecord } from '../../support/records.js';
import type { PostgresServer } from '../../support/servers/postgres.js';
import type { SinkDriver } from '../sink.js';

let postgres: PostgresServer;

/** test/services/postgresql.test.ts runs the kit with a real server. */
export const usePostgres = (started: PostgresServer): void => {
  postgres = started;
};

let databases = 0;

/** Configuration of a sink with a database of its own, as the superuser. */
export async function ownDatabase(): Promise<{ readonly config: object; readonly database: string }> {
  const database = `test_${++databases}`;
  await postgres.execute(`CREATE DATABASE ${database}`);
  const url = `postgresql://127.0.0.1:${postgres.port}/${database}`;
  return { database, config: { url, ...postgres.superuser } };
}

export const sink: SinkDriver = {
  component: postgresql,
  config: {},
  invalid: [
    { url: 'http://db:5432/csiflow' },
    { url: 'postgresql://db' },
    { url: 'postgresql://user:password@db/csiflow' },
    { url: 'postgresql://[/csiflow' },
    { schema: 'Drop Table' },
    { schema: '"a"' },
    { ca: 'ca.pem' },
    { username: '' },
    { batch_records: 0 },
  ],
  server: true,
  backend: async () => {
    const { config, database } = await ownDatabase();
    return {
      config: { ...config, batch_records: 7 },
      read: async () => {
        const rows = await postgres.execute(
          ['poses', 'events', 'measures']
            .map(
              (table) =>
                `SELECT '${table.slice(0, -1)}' AS port, extract(epoch FROM time) * 1000000 AS time FROM csiflow.${table}`,
            )
            .join(' UNION ALL ')
            .concat(' ORDER BY time'),
          database,
        );
        return rows.map(({ port, time }) => `${String(port)} ${(Number(time) - START) / HOP}`);
      },
    };
  },
  record: resultRecord,
  identity: resultIdentity,
};
