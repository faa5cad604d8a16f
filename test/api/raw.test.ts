import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../api/service/limits/limits.js';
import { complaints } from '../support/openapi.js';
import { openService, type TestService } from './support.js';

let service: TestService;
beforeEach(async () => {
  service = await openService(DEFAULT_LIMITS, { slowMs: { headers: 300, whole: 600, check: 50 } });
});
afterEach(async () => {
  // Whatever was sent, it keeps responding.
  expect((await service.get('/api/v1/health')).status).toBe(200);
  await service.close();
});

const open = (): Socket => connect(Number(new URL(service.server.address).port), '127.0.0.1');

/** All responses until the connection is closed. */
async function said(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString('latin1')));
  // A reset also ends the connection.
  socket.on('error', () => undefined);
  await once(socket, 'close');
  return text;
}

async function send(text: string): Promise<string> {
  const socket = open();
  socket.write(text, 'latin1');
  return said(socket);
}

const answers = (text: string): string[] => text.match(/HTTP\/1\.1 \d\d\d/g) ?? [];
const HEAD = 'Host: localhost\r\n';
const SMUGGLED = 'GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: smuggled\r\n\r\n';
const POST = `POST /form-a/api/v1/auth/token HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\n`;

test.each([
  [
    'a length beside pieces',
    `${POST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  [
    'pieces beside a length',
    `${POST}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  ['two lengths', `${POST}Content-Length: 0\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`],
  ['a list of lengths', `${POST}Content-Length: 0, 0\r\n\r\n${SMUGGLED}`],
  ['a signed length', `${POST}Content-Length: +0\r\n\r\n${SMUGGLED}`],
  ['a length below zero', `${POST}Content-Length: -1\r\n\r\n${SMUGGLED}`],
  ['a length that overflows', `${POST}Content-Length: 99999999999999999999999\r\n\r\n${SMUGGLED}`],
  ['a space before the colon', `${POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  [
    'a folded header',
    `${POST}Transfer-Encoding:\r\n chunked\r\nX: y\r\n Content-Length: 0\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  ['pieces that are not last', `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  ['pieces of an unknown kind', `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  [
    'chunks with an invalid size',
    `${POST}Transfer-Encoding: chunked\r\n\r\n0x5\r\nabcde\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  [
    'a piece longer than its size',
    `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\nabcde\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  [
    'lines that end in LF alone',
    `POST /api/v1/auth/token HTTP/1.1\nHost: localhost\nContent-Length: 4\n\n${SMUGGLED}`,
  ],
  ['a bare CR', `${POST}X: a\rContent-Length: 0\r\n\r\n${SMUGGLED}`],
  ['a zero byte in a header', `${POST}X: a\0b\r\nContent-Length: 0\r\n\r\n${SMUGGLED}`],
  ['no host', `GET /api/v1/health HTTP/1.1\r\n\r\n${SMUGGLED}`],
  ['another protocol', `GET /api/v1/health HTTP/9.9\r\n${HEAD}\r\n${SMUGGLED}`],
  ['TLS to a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['a line of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
])('%s: rejected, and what follows is not parsed as a request', async (_what, text) => {
  const answer = await send(text);
  expect(answers(answer)[0]).toMatch(/ 4\d\d$/);
  expect(answer.toLowerCase()).not.toContain('x-request-id: smuggled');
});

test('unreadable requests are answered like other errors: form, code, headers of the limit', async () => {
  const [head, body] = (await send(`${POST}Content-Length: x\r\n\r\n`)).split('\r\n\r\n') as [string, string];
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  for (const name of ['Limit', 'Remaining', 'Reset', 'Window'])
    expect(head).toMatch(new RegExp(`^X-RateLimit-${name}: \\d+\\r?$`, 'm'));
  expect(JSON.parse(body)).toMatchObject({
    error: { code: 'VALIDATION_ERROR', details: { field_errors: [{ field: 'request' }] } },
  });
  const b = await send('nonsense\r\n\r\n');
  expect(JSON.parse(b.split('\r\n\r\n')[1]!)).toMatchObject({
    success: false,
    error: { code: 'VALIDATION_ERROR' },
  });
});

test.each([
  ['one huge header', `GET /api/v1/health HTTP/1.1\r\n${HEAD}Big: ${'x'.repeat(40_000)}\r\n\r\n`],
  ['many headers', `GET /api/v1/health HTTP/1.1\r\n${HEAD}${'A: b\r\n'.repeat(10_000)}\r\n`],
  ['a long address', `GET /api/v1/health?x=${'y'.repeat(40_000)} HTTP/1.1\r\n${HEAD}\r\n`],
])('%s: 431', async (_what, text) => {
  const answer = await send(text);
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  expect(answer).toContain('X-RateLimit-Limit');
});

test.each([
  ['unfinished headers', `GET /api/v1/health HTTP/1.1\r\n${HEAD}`],
  ['a missing body', `${POST}Content-Length: 100\r\n\r\n{"us`],
  ['unfinished chunks', `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{"\r\n`],
])('%s: 408, and the connection is closed', async (_what, text) => {
  expect(await send(text)).toMatch(/^HTTP\/1\.1 408 /);
});

test('a request that arrives byte by byte times out', async () => {
  const socket = open();
  const drip = setInterval(() => socket.write('x'), 30);
  socket.write(`GET /api/v1/health HTTP/1.1\r\n${HEAD}Slow: `);
  const text = await said(socket);
  clearInterval(drip);
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
});

test('hundreds of slow connections delay nobody else', async () => {
  const slow = Array.from({ length: 300 }, open);
  const ended = slow.map(said);
  for (const socket of slow) socket.write(`GET /api/v1/health HTTP/1.1\r\n${HEAD}`);
  expect((await service.get('/api/v1/health')).status).toBe(200);
  await Promise.all(ended);
});

test('pipelined requests are answered one by one, in order', async () => {
  const socket = open();
  const request = (id: number, more = '') =>
    `GET /api/v1/health HTTP/1.1\r\n${HEAD}X-Request-Id: r-${id}\r\n${more}\r\n`;
  const text = Array.from({ length: 200 }, (_, id) => request(id, id === 199 ? 'Connection: close\r\n' : ''));
  socket.write(text.join(''));
  const ids = [...(await said(socket)).matchAll(/^X-Request-Id: r-(\d+)\r$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(Array.from({ length: 200 }, (_, id) => id));
});

test('when too many requests are pipelined, the first are answered, and the next gets the reason', async () => {
  const socket = open();
  socket.write(`GET /livez HTTP/1.1\r\n${HEAD}\r\n`.repeat(400));
  const text = await said(socket);
  const codes = answers(text).map((line) => line.slice(-3));
  expect(new Set(codes.slice(0, -1))).toEqual(new Set(['200']));
  expect(codes.length).toBeGreaterThan(250);
  expect(codes.length).toBeLessThan(260);
  expect(codes.at(-1)).toBe('429');
  expect(text).toContain('requests were sent ahead on this connection');
});

test.each([
  'CONNECT localhost:80',
  'TRACE /api/v1/health',
  'DELETE /api/v1/health',
  'PROPFIND /api/v1/health',
])('rejects %s', async (line) => {
  const answer = await send(`${line} HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
});

test('a client that disconnects midway leaves nothing behind', async () => {
  for (const text of [`${POST}Content-Length: 100\r\n\r\n{`, SMUGGLED, 'GET /api']) {
    const socket = open();
    await once(socket, 'connect');
    socket.write(text);
    socket.resetAndDestroy();
    await once(socket, 'close');
  }
});

test.each([
  ['two addresses', 'GET http://evil.example/api/v1/health HTTP/1.1', 'localhost'],
  ['an encoded way up', 'GET /api/v1/%2e%2e/%2e%2e/etc/passwd HTTP/1.1', 'localhost'],
  ['a way up', 'GET /../../../../etc/passwd HTTP/1.1', 'localhost'],
  ['a broken escape', 'GET /api/v1/topologies/%zz HTTP/1.1', 'localhost'],
  ['a zero byte', 'GET /api/v1/topologies/%00 HTTP/1.1', 'localhost'],
])('%s in the address gives no file and no internal error', async (_what, line, host) => {
  const answer = await send(`${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect(answer).not.toContain('root:');
  expect(answer).not.toMatch(/^HTTP\/1\.1 5/);
});

test('unreadable requests use no call of any limit, so that they lock nobody out', async () => {
  const limited = await openService({ ...DEFAULT_LIMITS, pose_data: { requests: 3, seconds: 60 } });
  const port = Number(new URL(limited.server.address).port);
  for (let count = 0; count < 5; count++) {
    const socket = connect(port, '127.0.0.1');
    socket.write('nonsense\r\n\r\n');
    const text = await said(socket);
    expect(answers(text)).toEqual(['HTTP/1.1 400']);
    expect(text).toContain('X-RateLimit-Remaining: 3');
  }
  await limited.close();
});

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';

test.each([
  ['without a credential', '/form-b/api/v1/ws/pose', HEAD, 401, 'AUTHENTICATION_ERROR'],
  ['with an invalid token', '/ws/pose?token=none', HEAD, 401, 'AUTHENTICATION_ERROR'],
  ['at an unknown path', '/form-b/api/v1/ws/elsewhere', HEAD, 404, 'RESOURCE_NOT_FOUND'],
  ['by another name', '/ws/pose', 'Host: evil.example\r\n', 421, 'VALIDATION_ERROR'],
])('a WebSocket %s is refused like a call', async (_what, path, host, status, code) => {
  const [head, body] = (await send(`GET ${path} HTTP/1.1\r\n${host}${UPGRADE}\r\n`)).split('\r\n\r\n') as [
    string,
    string,
  ];
  const [first, ...lines] = head.split('\r\n');
  expect(first).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const headers = new Headers(lines.map((line) => line.split(': ') as [string, string]));
  const answer: unknown = JSON.parse(body);
  expect(answer).toMatchObject({ error: { code }, request_id: headers.get('X-Request-Id') });
  expect(complaints('GET', path, { status, headers }, answer)).toEqual([]);
  expect(headers.get('X-RateLimit-Limit')).toBe('1000');
});

const OTHER = `${HEAD}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n`;

test('a call that requests another protocol is answered in this one', async () => {
  const answer = await send(`GET /api/v1/health HTTP/1.1\r\n${OTHER}\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toHaveProperty('status');
});

test('so is one with a body, even in two parts', async () => {
  const body = JSON.stringify({ username: 'nobody', password: 'nothing' });
  const socket = open();
  socket.write(
    `POST /form-b/api/v1/auth/token HTTP/1.1\r\n${OTHER}Content-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
  );
  await once(socket, 'connect');
  socket.write(body.slice(9));
  expect(await said(socket)).toMatch(/^HTTP\/1\.1 401 /);
});

test('a chunked one is asked to omit the header', async () => {
  const answer = await send(`${POST}${OTHER.replace(HEAD, '')}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('remove the header Upgrade');
});

test('a handshake of another version is refused like a call, with the supported ones', async () => {
  const token = service.token('viewer');
  const answer = await send(
    `GET /ws/pose?token=${token} HTTP/1.1\r\n${HEAD}${UPGRADE.replace('Version: 13', 'Version: 12')}\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toMatch(/^Sec-WebSocket-Version: 13, 8\r$/m);
  expect(answer).toMatch(/^X-RateLimit-Limit: \d+\r$/m);
  expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ error: { code: 'VALIDATION_ERROR' } });
});
