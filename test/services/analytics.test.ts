import { afterAll, beforeAll, expect } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { withDefaults } from '../kit/definition.js';
import { analyticsConformance } from '../support/analytics-conformance.js';
import { testContext } from '../support/context.js';
import { INFLUX_USERS, startInflux, type InfluxServer } from '../support/servers/influx.js';

let influx: InfluxServer;
beforeAll(async () => {
  influx = await startInflux();
});
afterAll(async () => {
  await influx.server.stop();
});

analyticsConformance('InfluxDB 1', async () => {
  const config = { url: influx.url, database: 'analytics', username: 'admin', password: INFLUX_USERS.admin };
  const sink: Sink = influxdb.create(withDefaults(influxdb, config) as never, testContext().context);
  await sink.open();
  return {
    reader: sink.reader!,
    put: async (records) => {
      expect(await sink.write(records, 1)).toEqual([]);
      await sink.flush();
    },
    close: () => sink.close(),
  };
});
