import { request } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addressKey } from '../../api/service/limits/addresses.js';
import { DEFAULT_LIMITS } from '../../api/service/limits/limits.js';
import { poseFrame } from '../support/fake-topology.js';
import { until } from '../support/waiting.js';
import { openService, type TestService } from './support.js';

const START = '/form-a/api/v1/system/start';
const PEOPLE = '/form-b/api/v1/pose/history?start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z';
let service: TestService;
beforeEach(async () => {
  service = await openService(DEFAULT_LIMITS, { answerMs: 300 });
});
afterEach(() => service.close());

const send = async (body: string, token?: string, path = START) => {
  const response = await fetch(service.server.address + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body,
  });
  return { status: response.status, text: await response.text() };
};

test.each([
  ['nested deeply', `{"configuration":{"z":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`],
  ['with a long text', `{"z":"${'x'.repeat(1e6)}"}`],
  ['with a long name', `{"${'x'.repeat(1e6)}":1}`],
  ['with many fields', `{${Array.from({ length: 50_000 }, (_, index) => `"z${index}":1`).join(',')}}`],
])('a body %s gets a short answer that names the problem', async (_what, body) => {
  const { status, text } = await send(body, service.token('operator'));
  expect(status).toBe(422);
  expect(text.length).toBeLessThan(10_000);
  expect(JSON.parse(text)).toMatchObject({ error: { code: 'VALIDATION_ERROR' } });
});

test('rejects a body with very many values before it is validated', async () => {
  const names = Array.from({ length: 90_000 }, (_, index) => `"${index}":1`).join(',');
  const operator = service.token('operator');
  const { status, text } = await send(`{${names}}`, operator, '/form-a/api/v1/pose/query');
  expect(status).toBe(422);
  expect(text).toContain('more than 10000 values');
  const larger = `{"z":"${'x'.repeat(2 ** 20)}"}`;
  expect((await send(larger, operator, '/form-a/api/v1/pose/query')).status).toBe(413);
});

test('counts empty lists as values: each takes time to parse', async () => {
  const lists = Array.from({ length: 250 }, () => `${'['.repeat(60)}${']'.repeat(60)}`).join(',');
  const { status, text } = await send(`{"z":[${lists}]}`, service.token('operator'));
  expect(status).toBe(422);
  expect(text).toContain('more than 10000 values');
});

test('ignores the body of an unauthorised call', async () => {
  expect((await send('{')).status).toBe(401);
  expect((await send('{', service.token('viewer'))).status).toBe(403);
  expect((await send('{', service.token('operator'))).status).toBe(400);
});

test('an answer to a broken body does not repeat a password', async () => {
  const { status, text } = await send('{"username":"a","password": canary}', undefined, '/api/v1/auth/token');
  expect(status).toBe(400);
  expect(text).not.toContain('canary');
});

test('rejects a body of another type, even one sent in chunks', async () => {
  const asked = request(service.server.address + START, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.token('operator')}`, 'Content-Type': 'text/plain' },
  });
  asked.write('piece');
  asked.end();
  const [response] = (await once(asked, 'response')) as [{ statusCode: number; resume(): void }];
  response.resume();
  expect(response.statusCode).toBe(400);
});

test('a read call that takes too long is answered 504', async () => {
  service.main.publish(poseFrame(1));
  service.main.reader.countPersons = () => new Promise(() => undefined);
  const response = await service.get(PEOPLE, service.token('viewer'));
  expect(response.status).toBe(504);
  expect(await response.json()).toMatchObject({ success: false, error: { code: 'TIMEOUT' } });
});

test('so is a slow POST query; its work counts as running until it ends', async () => {
  const { main } = service;
  const viewer = service.token('viewer');
  const asked: (() => void)[] = [];
  main.reader.summaries = () =>
    new Promise((resolve) => {
      asked.push(() => {
        resolve([]);
      });
    });
  const query = {
    time_range: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
    aggregation: { type: 'hourly_summary' },
  };
  const ask = () => service.post('/form-b/api/v1/pose/query', { query }, viewer);
  const late = await Promise.all(Array.from({ length: 64 }, ask));
  expect(late.map(({ status }) => status)).toEqual(late.map(() => 504));
  main.reader.countPersons = () =>
    new Promise((resolve) => {
      asked.push(() => {
        resolve(0);
      });
    });
  const more = await Promise.all(Array.from({ length: 65 }, () => service.get(PEOPLE, viewer)));
  expect(more.filter(({ status }) => status === 504)).toHaveLength(64);
  expect(more.filter(({ status }) => status === 503)).toHaveLength(1);
  for (const end of asked.splice(0)) end();
  main.reader.countPersons = () => Promise.resolve(0);
  expect((await service.get(PEOPLE, viewer)).status).toBe(200);
});

test('too many parallel calls are answered 503, except health, until others end', async () => {
  const patient = await openService();
  try {
    let release: (count: number) => void = () => undefined;
    const counted = new Promise<number>((resolve) => (release = resolve));
    patient.main.reader.countPersons = () => counted;
    const token = patient.token('viewer');
    const calls = Array.from({ length: 129 }, () => patient.get(PEOPLE, token));
    const refused = await Promise.race(calls);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('x-ratelimit-limit')).toBe('1000');
    expect((await patient.get('/api/v1/health')).status).toBe(200);
    release(0);
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(128);
    expect((await patient.get(PEOPLE, token)).status).toBe(200);
  } finally {
    await patient.close();
  }
});

test('pipelined requests start one after the other, and are answered in order', async () => {
  const patient = await openService();
  const socket = connect(Number(new URL(patient.server.address).port), '127.0.0.1');
  try {
    const begun: ((count: number) => void)[] = [];
    patient.main.reader.countPersons = () => new Promise((resolve) => begun.push(resolve));
    const token = patient.token('viewer');
    const ask = `GET ${PEOPLE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    let answer = '';
    socket.on('data', (data: Buffer) => (answer += data.toString()));
    socket.write(ask.repeat(3));
    await until('the calls', () => begun.length === 1);
    // Work started by the first call would be visible by the end of a later one.
    const later = patient.get(PEOPLE, token);
    await until('the calls', () => begun.length > 1);
    expect(begun).toHaveLength(2);
    begun.pop()!(0);
    expect((await later).status).toBe(200);
    for (let turn = 1; turn <= 3; turn++) {
      await until('the calls', () => begun.length === turn);
      begun.at(-1)!(turn);
    }
    await until('the answers', () => answer.match(/"total":/g)?.length === 3);
    expect(answer.match(/"total":\d/g)).toEqual(['"total":1', '"total":2', '"total":3']);
  } finally {
    socket.destroy();
    await patient.close();
  }
});

test.each([
  ['an invalid line', 'nonsense\r\n\r\n'],
  [
    'two lengths',
    'GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
  ],
  [
    'a length and pieces',
    'POST /api/v1/health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['huge headers', `GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nBig: ${'x'.repeat(40_000)}\r\n\r\n`],
])('a request with %s is refused, and its connection closed', async (_what, text) => {
  const socket = connect(Number(new URL(service.server.address).port), '127.0.0.1');
  socket.write(text);
  let answer = '';
  socket.on('data', (data: Buffer) => (answer += data.toString()));
  await once(socket, 'close');
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect((await service.get('/api/v1/health')).status).toBe(200);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['', ''],
])('calls of %j are counted by %j', (address, key) => {
  expect(addressKey(address)).toBe(key);
  // Remembered keys, of which only the newest are kept.
  expect(addressKey(address)).toBe(key);
  for (let index = 0; index < 2_000; index++) addressKey(`10.0.${index >> 8}.${index & 255}`);
  expect(addressKey(address)).toBe(key);
});
