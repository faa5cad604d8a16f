import { afterAll, beforeAll } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { injectionConformance } from '../support/injection.js';
import { INFLUX_USERS, startInflux, type InfluxServer } from '../support/servers/influx.js';

let influx: InfluxServer;
beforeAll(async () => {
  influx = await startInflux();
});
afterAll(async () => {
  await influx.server.stop();
});

injectionConformance('InfluxDB 1', async () => {
  // May drop anything, if asked to.
  const account = { username: 'admin', password: INFLUX_USERS.admin };
  const config = { url: influx.url, database: 'injection', ...account };
  const sink: Sink = influxdb.create(withDefaults(influxdb, config) as never, testContext().context);
  await sink.open();
  return {
    reader: sink.reader!,
    put: async (records) => {
      await sink.write(records, 1);
      await sink.flush();
    },
    close: () => sink.close(),
  };
});
