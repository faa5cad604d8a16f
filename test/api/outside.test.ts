import { generateKeyPairSync } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import { afterEach, expect, test } from 'vitest';
import { ApiKeys } from '../../api/service/accounts/api-keys.js';
import { DEFAULT_LIMITS } from '../../api/service/limits/limits.js';
import { Hosts } from '../../api/service/limits/hosts.js';
import { openService, type TestService } from './support.js';

let service: TestService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});
const HEALTH = '/api/v1/health';

test.each([
  ['localhost', true],
  ['localhost:8000', true],
  ['LOCALHOST', true],
  ['127.0.0.1:8000', true],
  ['[::1]:8000', true],
  ['192.168.1.20', true],
  ['ward.example', true],
  ['evil.example', false],
  ['localhost.evil.example', false],
  ['ward.example:80:80', false],
  ['', false],
  [undefined, false],
])('the host %j is answered: %s', (host, allowed) => {
  const hosts = new Hosts(['ward.example']);
  expect(hosts.allows(host)).toBe(allowed);
  // An accepted name is remembered, and makes no other acceptable.
  expect(hosts.allows('ward.example')).toBe(true);
  expect(hosts.allows(host)).toBe(allowed);
});

test('rejects a foreign Host with 421, over HTTP', async () => {
  service = await openService();
  const { port } = new URL(service.server.address);
  const asked = request({ port, host: '127.0.0.1', path: HEALTH, headers: { Host: 'evil.example' } }).end();
  const [response] = (await once(asked, 'response')) as [{ statusCode: number; resume(): void }];
  response.resume();
  expect(response.statusCode).toBe(421);
});

/** Two hosts, one of them known, in either order: a proxy may use one, csiflow the other. */
const TWO_HOSTS = ['Host: localhost\r\nHost: evil.example\r\n', 'Host: evil.example\r\nhost: localhost\r\n'];
const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';

test.each(TWO_HOSTS)('rejects two Host headers with 400, and closes the connection: %j', async (hosts) => {
  service = await openService();
  for (const head of [`GET ${HEALTH} HTTP/1.1\r\n${hosts}`, `GET /ws/pose HTTP/1.1\r\n${hosts}${UPGRADE}`]) {
    const socket = connect(Number(new URL(service.server.address).port), '127.0.0.1');
    let text = '';
    socket.on('data', (data: Buffer) => (text += data.toString()));
    socket.write(`${head}\r\n`);
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('Send exactly one Host header: this request has 2');
  }
});

test('rejects a foreign Host with 421, on the WebSocket', async () => {
  service = await openService();
  const socket = connect(Number(new URL(service.server.address).port), '127.0.0.1');
  socket.write(
    'GET /ws/pose HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  expect(head.toString()).toMatch(/^HTTP\/1\.1 421 /);
});

test('pages of an allowed origin may call; others may not', async () => {
  service = await openService(DEFAULT_LIMITS, { origins: ['https://dash.example'] });
  const from = (origin: string, method: string) =>
    fetch(service!.server.address + HEALTH, {
      method,
      headers: { Origin: origin, 'Access-Control-Request-Method': 'GET' },
    });
  const named = await from('https://dash.example', 'GET');
  expect(named.headers.get('access-control-allow-origin')).toBe('https://dash.example');
  expect(named.headers.get('access-control-expose-headers')).toContain('X-RateLimit-Remaining');
  const before = await from('https://dash.example', 'OPTIONS');
  expect(before.status).toBe(204);
  expect(before.headers.get('access-control-allow-headers')).toContain('Authorization');
  expect((await from('https://evil.example', 'GET')).headers.get('access-control-allow-origin')).toBeNull();
});

test('with a certificate it speaks HTTPS', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-tls-'));
  try {
    const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', certificate], {
      stdio: 'ignore',
    });
    const tls = { certificate: readFileSync(certificate), key: readFileSync(key) };
    service = await openService(DEFAULT_LIMITS, { tls });
    expect(service.server.address).toMatch(/^https:/);
    const asked = secureRequest(service.server.address + HEALTH, { ca: tls.certificate }).end();
    const [response] = (await once(asked, 'response')) as [{ statusCode: number; resume(): void }];
    response.resume();
    expect(response.statusCode).toBe(200);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('accepts tokens of an external identity provider with their role; rejects others', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const keys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'RS256' }] };
  const provider = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(keys));
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  try {
    service = await openService(DEFAULT_LIMITS, {
      identityProvider: {
        jwks: address,
        issuer: 'https://id.example/',
        audience: 'csiflow',
        roleClaim: 'roles',
      },
    });
    const base = { iss: 'https://id.example/', aud: ['csiflow'], sub: 'ada', roles: ['viewer', 'admin'] };
    const sign = (claims: object, key = privateKey) =>
      jwt.sign(claims, key, { algorithm: 'RS256', keyid: 'k1', expiresIn: 60 });
    const users = '/form-b/api/v1/auth/users';
    const status = async (token: string) => (await service!.get(users, token)).status;
    expect(await status(sign(base))).toBe(200);
    expect(await status(sign({ ...base, roles: ['viewer'] }))).toBe(403);
    expect(await status(sign({ ...base, roles: [] }))).toBe(401);
    expect(await status(sign({ ...base, aud: 'another' }))).toBe(401);
    expect(await status(sign({ ...base, iss: 'https://other.example/' }))).toBe(401);
    expect(await status(sign(base, stranger))).toBe(401);
    expect(await status(jwt.sign(base, privateKey, { algorithm: 'RS256', keyid: 'k1' }))).toBe(401);
    const confused = jwt.sign(base, publicKey.export({ type: 'spki', format: 'der' }), {
      algorithm: 'HS256',
      keyid: 'k1',
    });
    expect(await status(confused)).toBe(401);
    expect(await status(service.token('admin'))).toBe(200);
    // Its clock is ahead of ours, or behind it.
    const second = Math.floor(Date.now() / 1000);
    expect(await status(sign({ ...base, nbf: second + 10 }))).toBe(200);
    expect(await status(sign({ ...base, nbf: second + 100 }))).toBe(401);
    expect(await status(service.token('admin', { expiresIn: -5 }))).toBe(401);
    // The provider is offline: holders of its tokens keep access.
    provider.closeAllConnections();
    provider.close();
    expect(await status(sign(base))).toBe(200);
  } finally {
    provider.close();
  }
});

test('metrics and rooms are public, unless a login is required', async () => {
  service = await openService();
  for (const path of ['/metrics', '/scene.json']) expect((await service.get(path)).status).toBe(200);
  await service.close();
  service = await openService(undefined, { loginRequired: true });
  for (const path of ['/metrics', '/scene.json']) {
    expect((await service.get(path)).status).toBe(401);
    expect((await fetch(service.server.address + path, { method: 'HEAD' })).status).toBe(401);
    expect((await service.get(path, service.token('viewer'))).status).toBe(200);
  }
  // The page itself discloses nothing, and must be available for login; so must health checks.
  for (const path of ['/', '/livez', '/readyz', '/health'])
    expect((await service.get(path)).status).toBe(200);
});

test('an API key also works as a bearer token for the metrics, which is all that Prometheus can send', async () => {
  service = await openService(undefined, { loginRequired: true });
  const { key } = new ApiKeys(service.stateFolder).create('prometheus', 'viewer', null);
  expect((await service.get('/metrics', key)).status).toBe(200);
  expect((await service.get('/api/v1/pose/latest', key)).status).not.toBe(401);
  expect((await service.get('/metrics', `${key.slice(0, -1)}x`)).status).toBe(401);
});

test('invented credentials for the metrics are limited like others', async () => {
  const limits = { ...DEFAULT_LIMITS, wrong_credentials: { requests: 2, seconds: 60 } };
  service = await openService(limits, { loginRequired: true });
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await service.get('/metrics', `made-up-${i}`)).status);
  expect(statuses).toEqual([401, 401, 429]);
});
