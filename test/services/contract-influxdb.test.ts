import { afterAll } from 'vitest';
import { contract } from '../contract/contract.js';
import { INFLUX_USERS, startInflux, type InfluxServer } from '../support/servers/influx.js';

let influx: InfluxServer | undefined;
afterAll(() => influx?.server.stop());

contract('InfluxDB', async () => {
  influx = await startInflux();
  return `type: influxdb, url: '${influx.url}', database: contract, username: admin, password: '${INFLUX_USERS.admin}'`;
});
