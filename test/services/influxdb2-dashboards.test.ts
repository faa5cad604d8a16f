import { dashboardConformance } from '../support/dashboard-conformance.js';
import { askInflux } from '../support/servers/ask-influx.js';
import { startInflux2 } from '../support/servers/influx2.js';

dashboardConformance({
  'InfluxDB 2': async () => {
    const { url, server, token } = await startInflux2();
    return {
      sink: { url, database: 'csi', token: '${secret:influxdb_token}' },
      env: { CSIFLOW_SECRET_INFLUXDB_TOKEN: token },
      query: (statement) => askInflux(`${url}/query?db=csi`, statement, token),
      stop: () => server.stop(),
    };
  },
});
