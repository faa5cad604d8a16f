import { duckdb } from '../../../sinks/duckdb/duckdb.js';
import { resultIdentity, resultRecord } from '../../support/records.js';
import type { SinkDriver } from '../sink.js';

const environment = 'test-room';

export const sink: SinkDriver = {
  component: duckdb,
  config: { path: 'store.duckdb' },
  invalid: [
    {},
    { path: '' },
    { path: 'store.duckdb', retention_days: 0 },
    { path: 'store.duckdb', batch_rows: 0 },
  ],
  backend: async () => ({
    config: { path: 'store.duckdb', batch_rows: 7 },
    read: async ({ reader }) => {
      const [poses, events, measures] = await Promise.all([
        reader!.poses({ environment }),
        reader!.events({ environment }),
        reader!.measures({ environment }),
      ]);
      return [...poses, ...events, ...measures].map(resultIdentity);
    },
  }),
  record: resultRecord,
  identity: resultIdentity,
};
