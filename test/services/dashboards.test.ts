import { dashboardConformance } from '../support/dashboard-conformance.js';
import { askInflux } from '../support/servers/ask-influx.js';
import { INFLUX_USERS, startInflux } from '../support/servers/influx.js';
import { startInflux3 } from '../support/servers/influx3.js';
import { seriesOf } from '../support/sql-series.js';

dashboardConformance({
  'InfluxDB 1': async () => {
    const { url, server } = await startInflux();
    const { reader, writer } = INFLUX_USERS;
    return {
      sink: { url, database: 'csi', username: 'writer', password: '${secret:influxdb_password}' },
      env: { CSIFLOW_SECRET_INFLUXDB_PASSWORD: writer },
      query: (statement) => askInflux(`${url}/query?db=csi&u=reader&p=${reader}`, statement),
      stop: () => server.stop(),
    };
  },
  'the SQL engine of InfluxDB 3': async () => {
    const { url, server, token } = await startInflux3();
    return {
      sink: { type: 'line-protocol', url, database: 'csi', token: '${secret:influxdb_token}' },
      env: { CSIFLOW_SECRET_INFLUXDB_TOKEN: token },
      dashboards: 'influxdb3',
      query: async (sql) => {
        const response = await fetch(`${url}/api/v3/query_sql`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ db: 'csi', q: sql, format: 'json' }),
        });
        const text = await response.text();
        if (!response.ok) throw new Error(`${sql}: ${text}`);
        return seriesOf(JSON.parse(text) as Record<string, unknown>[]);
      },
      stop: () => server.stop(),
    };
  },
});
