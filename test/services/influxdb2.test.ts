import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { withDefaults } from '../kit/definition.js';
import { readerConformance } from '../kit/reader.js';
import { resultIdentity, resultRecord } from '../support/records.js';
import { sinkConformance } from '../kit/sink.js';
import { testContext } from '../support/context.js';
import { measure, poseFrame } from '../support/records.js';
import { startInflux2, type Influx2Server } from '../support/servers/influx2.js';

let influx: Influx2Server;
let buckets = 0;
beforeAll(async () => {
  influx = await startInflux2();
});
afterAll(async () => {
  await influx.server.stop();
});

/** The configuration of a sink with its own bucket. */
async function ownBucket() {
  const database = `test-${++buckets}`;
  await influx.makeBucket(database);
  return { url: influx.url, database, token: influx.token };
}

const make = (config: object): Sink =>
  influxdb.create(withDefaults(influxdb, config) as never, testContext().context);

readerConformance('InfluxDB 2', async () => {
  const sink = make(await ownBucket());
  await sink.open();
  return {
    reader: sink.reader!,
    put: async (records) => {
      expect(await sink.write(records, 1)).toEqual([]);
    },
    close: () => sink.close(),
  };
});

sinkConformance('influxdb over InfluxDB 2', {
  component: influxdb,
  config: {},
  backend: async () => {
    const config = await ownBucket();
    return {
      config,
      read: async () => {
        const sink = make(config);
        await sink.open();
        const environment = 'test-room';
        const [poses, events, measures] = await Promise.all([
          sink.reader!.poses({ environment }),
          sink.reader!.events({ environment }),
          sink.reader!.measures({ environment }),
        ]);
        await sink.close();
        return [...poses, ...events, ...measures].map(resultIdentity);
      },
    };
  },
  record: resultRecord,
  identity: resultIdentity,
});

describe('a token', () => {
  test('that is invalid ends the start with a plain error that does not show it', async () => {
    const sink = make({ ...(await ownBucket()), token: 'canary-5c1e' });
    const start = sink.open();
    await expect(start).rejects.toMatchObject({ code: 'influxdb.credentials' });
    await expect(start).rejects.toThrow('rejects the token (401)');
    await expect(start).rejects.not.toThrow('canary-5c1e');
  });

  test('is required', async () => {
    const sink = make({ ...(await ownBucket()), token: null });
    await expect(sink.open()).rejects.toThrow('rejects an anonymous user');
  });
});

test('a missing bucket ends the start', async () => {
  const sink = make({ url: influx.url, database: 'nowhere', token: influx.token });
  const start = sink.open();
  await expect(start).rejects.toMatchObject({ code: 'influxdb.database' });
  await expect(start).rejects.toThrow('no bucket mapped to it');
});

test('retention_days becomes the retention of the bucket', async () => {
  const config = await ownBucket();
  const sink = make({ ...config, retention_days: 90 });
  await sink.open();
  await sink.close();
  expect(await influx.retentionOf(config.database)).toBe(90 * 86_400);
});

test('rejects continuous queries, with the alternative', async () => {
  const sink = make({ ...(await ownBucket()), full_rate_days: 7 });
  await expect(sink.open()).rejects.toThrow('create a task there');
});

test('influxd is killed and restarted: confirmed records are stored', async () => {
  const config = await ownBucket();
  const sink = make(config);
  await sink.open();
  for (let from = 0; from < 2_000; from += 500) {
    const records = Array.from({ length: 500 }, (_, index) => measure(from + index));
    expect(await sink.write(records, 1)).toEqual([]);
    await influx.server.crash();
    await expect(sink.write(records, 1)).rejects.toMatchObject({ code: 'influxdb.unavailable' });
    await influx.server.start();
    // It responds before it is ready; like the runtime, this retries.
    await expect.poll(() => sink.write(records, 1).catch(() => null)).toEqual([]);
  }
  const found = await sink.reader!.measures({ environment: 'test-room' });
  expect(found.map(({ time }) => time)).toEqual(
    Array.from({ length: 2_000 }, (_, index) => measure(index).time),
  );
  await sink.close();
}, 60_000);

test('the server rejects a field of another type, and only its record fails', async () => {
  const config = await ownBucket();
  const response = await fetch(`${influx.url}/write?db=${config.database}&precision=n`, {
    method: 'POST',
    headers: { Authorization: `Token ${influx.token}` },
    body: 'motion,environment=test-room,name=motion value="text" 1700000000000000000',
  });
  expect(response.status).toBe(204);
  const sink = make(config);
  await sink.open();
  const failures = await sink.write([poseFrame(0), measure(0), poseFrame(1)], 1);
  expect(failures.map(({ record, code }) => [record, code])).toEqual([[measure(0), 'influxdb.refused']]);
  expect(await sink.reader!.countPoses({ environment: 'test-room' })).toBe(2);
  await sink.close();
});
