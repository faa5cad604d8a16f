import { afterAll, beforeAll } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { withDefaults } from '../kit/definition.js';
import { readerConformance } from '../kit/reader.js';
import { testContext } from '../support/context.js';
import { INFLUX_USERS, startInflux, type InfluxServer } from '../support/servers/influx.js';

let influx: InfluxServer;
let databases = 0;
beforeAll(async () => {
  influx = await startInflux();
});
afterAll(async () => {
  await influx.server.stop();
});

const admin = { username: 'admin', password: INFLUX_USERS.admin };

/** A sink with a database of its own, as the administrator unless said otherwise. */
async function openSink(config: object = {}): Promise<Sink> {
  const { context } = testContext();
  const database = `test-${++databases}`;
  const sink = influxdb.create(
    withDefaults(influxdb, { url: influx.url, database, ...admin, ...config }) as never,
    context,
  );
  await sink.open();
  return sink;
}

readerConformance('InfluxDB 1', async () => {
  const sink = await openSink();
  return {
    reader: sink.reader!,
    put: async (records) => {
      const failures = await sink.write(records, 1);
      if (failures.length > 0) throw new Error(failures[0]!.reason);
      await sink.flush();
    },
    close: () => sink.close(),
  };
});
