import { influxdb } from '../../../sinks/influxdb/influxdb.js';
import { startInfluxStub, type StubPoint } from '../../support/influx-stub.js';
import { HOP, START, resultIdentity, resultRecord } from '../../support/records.js';
import type { SinkDriver } from '../sink.js';

/** In this process; test/services/ runs the same kit with real servers. */
export const sink: SinkDriver = {
  component: influxdb,
  config: { url: 'http://127.0.0.1:8086' },
  invalid: [
    { url: 'influxdb' },
    { url: 'http://user:password@influxdb:8086' },
    { retention_days: 0 },
    { username: 'a:b' },
    { username: 'csiflow', token: 'secret' },
    { password: 'secret' },
    { retention_days: 7, full_rate_days: 14 },
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

/** For points that represent one record each: a frame's other points are its persons. */
export function identityOf({ measurement, tags, timestamp }: StubPoint): string | null {
  const port = measurement === 'occupancy' ? 'pose' : measurement === 'event' ? 'event' : 'measure';
  if (measurement === 'pose' || measurement === 'track') return null;
  if (port === 'pose' && tags['name'] !== 'frame') return null;
  return `${port} ${(Number(timestamp.slice(0, -3)) - START) / HOP}`;
}
