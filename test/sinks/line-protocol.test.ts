import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lineProtocol } from '../../sinks/line-protocol/line-protocol.js';
import { lineOf } from '../../sinks/shared/line-protocol/line.js';
import { Literal } from '../../sinks/shared/line-protocol/points.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { startReceiver, type Call, type Receiver } from '../support/http-receiver.js';
import { measure, poseFrame, START } from '../support/records.js';

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

const answering = (status: number, body: string, headers: Record<string, string> = {}): void => {
  server.answer = (_, response) => {
    response.writeHead(status, headers).end(body);
  };
};

const motion = () => measure(0, { name: 'motion', subject: 'link-1', value: 0.5 });

test('InfluxDB 3 gets the bytes that it documents', async () => {
  const sink = make({ token: 'apiv3_secret' });
  await sink.open();
  expect(await sink.write([motion()], 1)).toEqual([]);
  const [ping, write] = server.calls as [Call, Call];
  expect(ping.path).toBe('/ping');
  expect(write.path).toBe('/api/v3/write_lp?db=ward%203&precision=nanosecond&accept_partial=false');
  expect(write.headers).toMatchObject({
    authorization: 'Bearer apiv3_secret',
    'content-type': 'text/plain; charset=utf-8',
  });
  expect(write.body).toMatch(
    new RegExp(
      `^motion,environment=[\\w-]+,name=motion,origin=live,source=csiflow,subject=link-1 value=0\\.5 ${START}000$`,
    ),
  );
});

test('QuestDB gets them at its own path, with its login', async () => {
  const sink = make({ server: 'questdb', username: 'admin', password: 'quest' });
  await sink.open();
  expect(await sink.write([motion()], 1)).toEqual([]);
  expect(server.calls.at(-1)!.path).toBe('/write?precision=n');
  expect(server.calls.at(-1)!.headers.authorization).toBe(
    `Basic ${Buffer.from('admin:quest').toString('base64')}`,
  );
});

test('Grafana Live gets them in the stream of a name, and accepts them with 200', async () => {
  const sink = make({ server: 'grafana', token: 'glsa_secret' });
  answering(200, '{"database": "ok", "version": "12.1.0"}');
  await sink.open();
  expect(sink.describe!()).toMatchObject({ version: '12.1.0' });
  expect(await sink.write([motion()], 1)).toEqual([]);
  const [health, push] = server.calls as [Call, Call];
  expect(health.path).toBe('/api/health');
  expect(push.path).toBe('/api/live/push/ward%203');
  expect(push.headers.authorization).toBe('Bearer glsa_secret');
  answering(204, '');
  await expect(sink.write([motion()], 1)).rejects.toThrow('answers a write with 204, not with 200');
});

test('tags are escaped, and sorted', () => {
  const point = {
    measurement: 'motion',
    tags: { name: 'a b', environment: 'c,d=e' },
    fields: { value: new Literal('1'), id: new Literal('"x"') },
    timestamp: '5',
  };
  expect(lineOf(point)).toBe('motion,environment=c\\,d\\=e,name=a\\ b value=1,id="x" 5');
});

/** As InfluxDB 3 answers a request with one bad line if `accept_partial` is false. */
const refusal = (line: number): string =>
  JSON.stringify({
    error: 'parsing failed for write_lp endpoint',
    data: { original_line: '...', line_number: line, error_message: 'invalid column type' },
  });

test('only the record that the server rejects becomes a dead letter, and no part of it is stored', async () => {
  const stored: string[] = [];
  server.answer = ({ path, body }, response) => {
    const bad = body.split('\n').findIndex((line) => line.includes('name=bad'));
    if (bad >= 0) response.writeHead(400).end(refusal(bad + 1));
    else {
      if (path !== '/ping') stored.push(...body.split('\n'));
      response.writeHead(204).end();
    }
  };
  const sink = make();
  await sink.open();
  const records = [motion(), measure(1, { name: 'bad' }), poseFrame(2), measure(3, { name: 'presence' })];
  const failures = await sink.write(records, 1);
  expect(failures).toMatchObject([
    {
      code: 'influxdb.refused',
      retriable: false,
      reason: expect.stringContaining('invalid column type') as string,
    },
  ]);
  expect(failures[0]!.record).toBe(records[1]);
  expect(stored.filter((line) => /^(motion|occupancy)/.test(line)).length).toBeGreaterThanOrEqual(3);
});

// Lines without a number, as other servers than InfluxDB 3 answer, and as proxies do.
test.each([
  ['influxdb3', 400, 204],
  ['influxdb3', 422, 204],
  ['influxdb3', 413, 204],
  ['questdb', 400, 204],
  ['questdb', 422, 204],
  ['questdb', 413, 204],
  ['grafana', 400, 200],
  ['grafana', 422, 200],
  ['grafana', 413, 200],
] as const)('%s refuses with %i: all but the bad record are stored', async (kind, refused, accepted) => {
  const stored: string[] = [];
  server.answer = ({ body }, response) => {
    const lines = body === '' ? [] : body.split('\n');
    if (lines.some((line) => line.includes('name=bad'))) response.writeHead(refused).end('no');
    else {
      stored.push(...lines);
      response.writeHead(accepted).end('{"database": "ok", "version": "1"}');
    }
  };
  const sink = make({ server: kind });
  await sink.open();
  const records = [0, 1, 2, 3, 4].map((at) =>
    measure(at, { name: at === 3 ? 'bad' : 'presence', value: at }),
  );
  const failures = await sink.write(records, 1);
  expect(failures).toMatchObject([{ code: 'influxdb.refused', retriable: false }]);
  expect(failures[0]!.reason).toContain('no');
  expect(failures.map(({ record }) => record)).toEqual([records[3]]);
  expect(stored.map((line) => / value=(\d)/.exec(line)?.[1]).sort()).toEqual(['0', '1', '2', '4']);
});

describe('answers', () => {
  test.each([
    [401, '{"error": "the request was not authenticated"}', 'influxdb.credentials', false],
    [403, '', 'influxdb.credentials', false],
    [503, 'not yet', 'influxdb.unavailable', true],
    [429, '', 'influxdb.busy', true],
    [200, '<html>', 'influxdb.unavailable', true],
  ] as const)('%i to a write: %s', async (status, body, code, retriable) => {
    const sink = make();
    await sink.open();
    answering(status, body);
    await expect(sink.write([motion()], 1)).rejects.toMatchObject({ code, retriable });
  });

  test('wrong credentials abort the start; an offline server does not', async () => {
    answering(401, '{"error": "the request was not authenticated"}');
    await expect(make().open()).rejects.toThrow('rejects the credentials (401)');
    await make({ url: 'http://127.0.0.1:9' }).open();
  });

  test('a server that asks for time is not called until then', async () => {
    const sink = make();
    await sink.open();
    answering(503, '', { 'Retry-After': '60' });
    await expect(sink.write([motion()], 1)).rejects.toMatchObject({ code: 'influxdb.busy' });
    const calls = server.calls.length;
    await expect(sink.write([motion()], 1)).rejects.toThrow('asked not to be called');
    expect(server.calls.length).toBe(calls);
  });
});
