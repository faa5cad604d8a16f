import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { lineProtocol } from '../../sinks/line-protocol/line-protocol.js';
import { withDefaults } from '../kit/definition.js';
import { readerConformance } from '../kit/reader.js';
import { sinkConformance } from '../kit/sink.js';
import { blocksOf } from '../support/code-blocks.js';
import { testContext } from '../support/context.js';
import { measure, poseFrame, resultIdentity, resultRecord } from '../support/records.js';
import { startInflux3, type Influx3Server } from '../support/servers/influx3.js';

let influx: Influx3Server;
let databases = 0;
beforeAll(async () => {
  influx = await startInflux3();
}, 60_000);
afterAll(async () => {
  await influx.server.stop();
});

const ownDatabase = () => ({ url: influx.url, token: influx.token, database: `test-${++databases}` });

async function opened(config: object): Promise<Sink> {
  const sink = lineProtocol.create(withDefaults(lineProtocol, config) as never, testContext().context);
  await sink.open();
  return sink;
}

readerConformance('InfluxDB 3', async () => {
  const sink = await opened(ownDatabase());
  return {
    reader: sink.reader!,
    put: async (records) => {
      expect(await sink.write(records, 1)).toEqual([]);
    },
    close: () => sink.close(),
  };
});

sinkConformance('line-protocol over the SQL engine of InfluxDB 3', {
  component: lineProtocol,
  config: {},
  backend: () => {
    const config = ownDatabase();
    return Promise.resolve({
      config,
      read: async () => {
        const sink = await opened(config);
        const environment = 'test-room';
        const [poses, events, measures] = await Promise.all([
          sink.reader!.poses({ environment }),
          sink.reader!.events({ environment }),
          sink.reader!.measures({ environment }),
        ]);
        await sink.close();
        return [...poses, ...events, ...measures].map(resultIdentity);
      },
    });
  },
  record: resultRecord,
  identity: resultIdentity,
});

test('a column that appears later is read, and rows without it are read on', async () => {
  const sink = await opened(ownDatabase());
  const environment = 'test-room';
  const untracked = poseFrame(0, { people: 0 });
  await sink.write([untracked], 1);
  expect(await sink.reader!.poses({ environment })).toEqual([untracked]);
  const tracked = poseFrame(1, { people: 2 });
  await sink.write([tracked], 1);
  expect(await sink.reader!.poses({ environment })).toEqual([untracked, tracked]);
  await sink.close();
});

test('a field of another type is rejected, and only its record fails', async () => {
  const config = ownDatabase();
  const response = await fetch(`${influx.url}/api/v3/write_lp?db=${config.database}&precision=nanosecond`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${influx.token}` },
    body: 'motion,environment=test-room,name=motion value="text" 1700000000000000000',
  });
  expect(response.status).toBe(204);
  const sink = await opened(config);
  const failures = await sink.write([poseFrame(0), measure(0), poseFrame(1)], 1);
  expect(failures.map(({ record, code }) => [record, code])).toEqual([[measure(0), 'influxdb.refused']]);
  expect(await sink.reader!.countPoses({ environment: 'test-room' })).toBe(2);
  await sink.close();
});

test('the query of the guide counts the people of a room', async () => {
  const [text] = blocksOf('sql').flatMap(({ page, text }) =>
    page === 'docs/line-protocol.md' ? [text] : [],
  );
  const config = ownDatabase();
  const sink = await opened(config);
  const now = Date.now() * 1000;
  const frame = { ...poseFrame(0, { people: 2 }), environment: 'ward-3', time: now - 60_000_000 };
  expect(await sink.write([frame], 1)).toEqual([]);
  await sink.close();
  const response = await fetch(`${influx.url}/api/v3/query_sql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${influx.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ db: config.database, q: text, format: 'json' }),
  });
  const answer = await response.text();
  expect(JSON.parse(answer)).toMatchObject([{ 'avg(occupancy.person_count)': 2 }]);
});
