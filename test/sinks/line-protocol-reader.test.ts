import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isStore } from '../../pipeline/component/index.js';
import { lineProtocol } from '../../sinks/line-protocol/line-protocol.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { startReceiver, type Receiver } from '../support/http-receiver.js';
import { START } from '../support/records.js';

// test/services/influxdb3.test.ts runs the statements in the SQL engine of InfluxDB 3.

let server: Receiver;
beforeEach(async () => {
  server = await startReceiver();
});
afterEach(() => server.close());

const make = (config: object = {}) =>
  lineProtocol.create(
    withDefaults(lineProtocol, { url: new URL(server.url).origin, database: 'ward 3', ...config }) as never,
    testContext().context,
  );

async function reading(config: object = {}) {
  const sink = make(config);
  await sink.open();
  server.calls.length = 0;
  return { sink, reader: sink.reader! };
}

interface Asked {
  readonly db: string;
  readonly q: string;
  readonly format: string;
  readonly params: Readonly<Record<string, string>>;
}

const asked = (): readonly Asked[] => server.calls.map(({ body }) => JSON.parse(body) as Asked);

/** A database with `event`, whose points have had no place yet. */
const COLUMNS = [
  'time',
  'environment',
  'type',
  'severity',
  'source',
  'origin',
  'id',
  'confidence',
  'metadata',
];
const EVENT = {
  ...{ us: START, environment: 'ward', type: 'fall_detection', severity: 'critical', source: 'csiflow' },
  ...{ origin: 'live', id: 'e-1', confidence: 0.5, metadata: '{}' },
};

function answerRows(rows: readonly object[]): void {
  server.answer = ({ body }, response) => {
    const columns = COLUMNS.map((name) => ({ table_name: 'event', column_name: name }));
    response.end(JSON.stringify(body.includes('information_schema') ? columns : rows));
  };
}

test('InfluxDB 3 is a store; QuestDB and Grafana Live are not', () => {
  for (const [of, expected] of [
    ['influxdb3', true],
    ['questdb', false],
    ['grafana', false],
  ] as const) {
    expect(isStore(lineProtocol, withDefaults(lineProtocol, { server: of }))).toBe(expected);
    expect(make({ server: of }).reader !== undefined).toBe(expected);
  }
});

test('it is asked by SQL, with texts as parameters, and what is absent is null', async () => {
  answerRows([EVENT]);
  const { reader } = await reading({ token: 'apiv3_secret' });
  const types = ["x' OR '1'='1", 'fall_detection'];
  const events = await reader.events({
    environment: 'ward',
    start: START + 0.5,
    end: Infinity,
    types,
    limit: 5,
  });
  expect(events).toMatchObject([{ id: 'e-1', person: null, location: null, provenance: { origin: 'live' } }]);
  expect(server.calls.map(({ path }) => path)).toEqual(['/api/v3/query_sql', '/api/v3/query_sql']);
  expect(server.calls[1]!.headers).toMatchObject({
    authorization: 'Bearer apiv3_secret',
    'content-type': 'application/json',
  });
  const [, { db, q, format, params }] = asked() as [Asked, Asked];
  expect({ db, format, params }).toEqual({
    ...{ db: 'ward 3', format: 'json' },
    params: { environment0: 'ward', type1: types[0], type2: types[1], source3: 'csiflow' },
  });
  expect(q).toContain(`"time" >= '2023-11-14T22:13:20.000001Z'`);
  expect(q).toContain('("type" = $type1 OR "type" = $type2)');
  expect(q).toContain('CAST(NULL AS DOUBLE) AS "x"');
  expect(q).toContain('FROM "iox"."event"');
  expect(q).not.toContain("OR '1'");
});

test('tables are asked for once, and again after a refused query', async () => {
  answerRows([]);
  const { reader } = await reading();
  server.answer = ({ body }, response) => {
    const columns = ['frame_id', 'window_end', 'person_count', 'best_confidence', 'links', 'signal_quality'];
    const all = [...columns, 'processing_ms', 'name', 'origin', 'environment', 'time'];
    const models = ['name', 'version', 'trained_on', 'accuracy'].map((part) => `model_${part}`);
    const rows = [...all, ...models].map((name) => ({ table_name: 'occupancy', column_name: name }));
    response.end(JSON.stringify(body.includes('information_schema') ? rows : [{ count: 3 }]));
  };
  const schemas = () => asked().filter(({ q }) => q.includes('information_schema')).length;
  expect(await reader.countPoses({ environment: 'ward' })).toBe(3);
  expect(await reader.countPoses({ environment: 'ward' })).toBe(3);
  expect(schemas()).toBe(1);
  const answer = server.answer;
  server.answer = (_, response) => {
    response.writeHead(400).end("Error during planning: table 'public.iox.occupancy' not found");
  };
  await expect(reader.countPoses({ environment: 'ward' })).rejects.toMatchObject({ code: 'influxdb.query' });
  server.answer = answer;
  expect(await reader.countPoses({ environment: 'ward' })).toBe(3);
  expect(schemas()).toBe(2);
});

test('a database that no write has created yet is empty', async () => {
  const { reader } = await reading();
  server.answer = (_, response) => {
    response.writeHead(404).end('database not found: ward 3');
  };
  expect(await reader.events({ environment: 'ward' })).toEqual([]);
  expect(await reader.latestPose('ward')).toBeUndefined();
  expect(await reader.meanProcessingMs({ environment: 'ward' })).toBe(0);
});

describe('answers to a query', () => {
  test.each([
    [401, 'the request was not authenticated', 'influxdb.credentials', 'rejects the credentials (401)'],
    [400, 'Query would exceed file limit of 432 parquet files', 'influxdb.query', 'file limit of 432'],
    [503, 'not yet', 'influxdb.unavailable', 'is unavailable (503)'],
    [429, '', 'influxdb.busy', 'is unavailable (429)'],
    [404, '<html>', 'influxdb.database', 'no such path or database'],
    [200, '<html>', 'influxdb.unavailable', 'answers a query with `<html>`, not with rows'],
    [200, '[{"us": 1}', 'influxdb.unavailable', 'not with rows'],
    [200, '{"error": "x"}', 'influxdb.unavailable', 'not with rows'],
  ] as const)('%i %s', async (status, body, code, text) => {
    const { reader } = await reading();
    server.answer = (_, response) => {
      response.writeHead(status).end(body);
    };
    const call = reader.countEvents({ environment: 'ward' });
    await expect(call).rejects.toMatchObject({ code });
    await expect(call).rejects.toThrow(text);
  });
});

test('an abandoned call ends with its reason, and its request is closed', async () => {
  const { reader } = await reading();
  const end = new AbortController();
  const arrived = new Promise<IncomingMessage>((resolve) => {
    server.answer = (_, response) => {
      resolve(response.req);
    };
  });
  const refused = expect(reader.until(end.signal).ping()).rejects.toThrow('nobody waits');
  const { socket } = await arrived;
  const closed = once(socket, 'close');
  end.abort(new Error('nobody waits'));
  await refused;
  await closed;
});

test('a closed sink is not read', async () => {
  const { sink, reader } = await reading();
  await sink.close();
  await expect(reader.ping()).rejects.toThrow('is not open');
});
