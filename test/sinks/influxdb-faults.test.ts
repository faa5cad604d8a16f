import { afterEach, beforeEach, expect, test } from 'vitest';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { counter, measure, runnerOf, sum, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { Connection } from '../../sinks/influxdb/connection.js';
import { pointsOf } from '../../sinks/shared/line-protocol/points.js';
import { TagValues } from '../../sinks/shared/line-protocol/tags.js';
import { startReceiver } from '../support/http-receiver.js';
import { startInfluxStub, type InfluxStub, type StubAnswer } from '../support/influx-stub.js';

let stub: InfluxStub;
beforeEach(async () => {
  stub = await startInfluxStub();
});
afterEach(() => stub.close());

/**
 * A thousand measures to InfluxDB and to a table beside it; returns the content of both, and the status of
 * the run.
 */
async function run() {
  const table = new Table();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 1_000, block: 5 } },
        sums: { component: sum, from: ['in'], config: { span: 1 } },
        influx: { component: influxdb, from: ['sums'], config: { url: stub.url, batch_points: 20 } },
        table: { component: table.component, from: ['sums'] },
      },
      temporaryFolder(),
    ),
  );
  await runner.start();
  await runner.finished();
  const stored = () =>
    [...stub.points.values()]
      .map(({ tags, fields, timestamp }) => `${tags['name']}@${Number(timestamp) / 1_000}=${fields['value']}`)
      .sort();
  return { runner, stored, rows: [...table.rows].sort() };
}

/** Replaces one answer in ten. */
function everyTenth(answer: StubAnswer): void {
  let writes = 0;
  stub.onWrite = () => (++writes % 10 === 3 ? answer : undefined);
}

test.each<[string, StubAnswer]>([
  ['refused for the moment', { status: 503 }],
  ['deferred by the server', { status: 429, headers: { 'Retry-After': '0.05' } }],
  ['cut within the answer', { status: 204, cut: true }],
  ['met by strangers: the credentials are not known', { status: 401 }],
])(
  'one write in ten is %s: everything is stored in the end, once',
  async (_, answer) => {
    everyTenth(answer);
    const { stored, rows, runner } = await run();
    await expect.poll(() => stored().length).toBe(rows.length);
    expect(stored()).toEqual(rows);
    await expect.poll(() => runner.status().state).toBe('running');
  },
  30_000,
);

test('the dead letters and the store together hold every record', async () => {
  const unlucky = (line: string) => Number(/ (\d+)$/.exec(line)![1]) % 7_000_000 === 0;
  stub.onWrite = (lines) => (lines.some(unlucky) ? { status: 400, body: '{"error":"seven"}' } : undefined);
  const { stored, rows, runner } = await run();
  const { failed } = runner.status().nodes.find(({ id }) => id === 'influx')!;
  expect(failed).toBe(rows.filter((row) => Number(/@(\d+)/.exec(row)![1]) % 7_000 === 0).length);
  expect(stored()).toEqual(rows.filter((row) => Number(/@(\d+)/.exec(row)![1]) % 7_000 !== 0));
});

test.each([
  ['another API', '{"hello":"world"}', '`{"hello":"world"}`'],
  ['invalid results', '{"results":{}}', '`{"results":{}}`'],
  ['null', 'null', '`null`'],
  ['a list of nothing', '{"results":[null]}', '`{"results":[null]}`'],
  [
    'a page',
    '<html>login</html>',
    `text that is not JSON (Unexpected token '<', "<html>login</html>" is not valid JSON)`,
  ],
  ['nothing', '', 'text that is not JSON (Unexpected end of JSON input)'],
])('a server that answers with %s is named with its answer', async (_, body, shown) => {
  const server = await startReceiver();
  server.answer = (_call, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  const url = new URL(server.url).origin;
  const none = { username: null, password: null, token: null };
  const connection = await Connection.to({ url, database: 'ward', ...none, timeoutMs: 1000 });
  await expect(connection.query('SHOW DATABASES')).rejects.toThrow(
    `${url} answers a query with ${shown}, not with \`results\``,
  );
  const points = pointsOf(measure('motion', 1, 1), new TagValues([]));
  await expect(connection.write(points, null)).rejects.toThrow('answers a write with 200 (application/json)');
  connection.close();
  await server.close();
});
