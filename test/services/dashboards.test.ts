import { dashboardConformance } from '../support/dashboard-conformance.js';
import { askInflux } from '../support/servers/ask-influx.js';
import { INFLUX_USERS, startInflux } from '../support/servers/influx.js';

dashboardConformance('InfluxDB 1', async () => {
  const { url, server } = await startInflux();
  const { reader, writer } = INFLUX_USERS;
  return {
    sink: { url, database: 'csi', username: 'writer', password: '${secret:influxdb_password}' },
    env: { CSIFLOW_SECRET_INFLUXDB_PASSWORD: writer },
    query: (statement) => askInflux(`${url}/query?db=csi&u=reader&p=${reader}`, statement),
    stop: () => server.stop(),
  };
});
