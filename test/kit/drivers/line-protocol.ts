import { lineProtocol } from '../../../sinks/line-protocol/line-protocol.js';
import { startInfluxStub } from '../../support/influx-stub.js';
import { resultIdentity, resultRecord } from '../../support/records.js';
import type { SinkDriver } from '../sink.js';
import { identityOf } from './influxdb.js';

/** In this process: the paths and answers of InfluxDB 3. */
export const sink: SinkDriver = {
  component: lineProtocol,
  config: { url: 'http://127.0.0.1:8181' },
  invalid: [
    { server: 'influxdb' },
    { url: 'http://user:password@influxdb:8181' },
    { username: 'a:b' },
    { username: 'csiflow', token: 'secret' },
    { password: 'secret' },
  ],
  backend: async () => {
    const stub = await startInfluxStub();
    return {
      config: { url: stub.url, database: 'csi', batch_points: 7 },
      read: async () =>
        Promise.resolve([...stub.points.values()].flatMap((point) => identityOf(point) ?? [])),
      close: () => stub.close(),
    };
  },
  record: resultRecord,
  identity: resultIdentity,
};
