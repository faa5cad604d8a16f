import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import type { Sink } from '../../pipeline/component/index.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { readerConformance } from '../kit/reader.js';
import { testContext } from '../support/context.js';

const open = async (folder: string, config: object = {}): Promise<Sink> => {
  const { context } = testContext({ folder });
  const full = Value.Default(duckdb.config, { path: 'store.duckdb', ...config });
  const sink = duckdb.create(full as never, context);
  await sink.open();
  return sink;
};

readerConformance('duckdb', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-duckdb-'));
  const sink = await open(folder);
  return {
    reader: sink.reader!,
    put: async (records) => {
      await sink.write(records, 1);
      await sink.flush();
    },
    close: async () => {
      await sink.close();
      await rm(folder, { recursive: true });
    },
  };
});
