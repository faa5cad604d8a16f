import { ApiKeys } from '../../api/service/accounts/api-keys.js';
import { Users } from '../../api/service/accounts/users.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { addressKey } from '../../api/service/limits/addresses.js';
import { KnownAddresses } from '../../api/service/limits/known-addresses.js';
import { DEFAULT_LIMITS, Limits } from '../../api/service/limits/limits.js';
import { openService, type TestService } from './support.js';

const BASE = '/form-b/api/v1';
let service: TestService;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const admin = (): string => service.token('admin');
const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
  const response = await fetch(service.server.address + BASE + path, {
    method,
    headers: {
      Authorization: `Bearer ${admin()}`,
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = text === '' ? {} : (JSON.parse(text) as { data?: unknown; error?: { code: string } });
  return { status: response.status, ...answer };
};
const logIn = async (username: string, password: string) => {
  const { status, data } = await call('POST', '/auth/token', { username, password });
  return { status, ...(data as { access_token: string; refresh_token: string }) };
};
const refresh = async (token: string) => {
  const { status, data } = await call('POST', '/auth/refresh', { refresh_token: token });
  return { status, ...(data as { access_token: string; refresh_token: string }) };
};
const statusWith = async (headers: Record<string, string>): Promise<number> =>
  (await fetch(`${service.server.address}${BASE}/topologies/${service.main.topology.id}`, { headers }))
    .status;

test('a refresh token works once and gives a new pair', async () => {
  const first = await logIn('viewer', 'pw');
  const second = await refresh(first.refresh_token);
  expect(second.status).toBe(200);
  expect(await statusWith({ Authorization: `Bearer ${second.access_token}` })).toBe(200);
  expect((await refresh(second.refresh_token)).status).toBe(200);
});

test('reusing a refresh token revokes its session, and no other', async () => {
  const stolen = await logIn('viewer', 'pw');
  const other = await logIn('viewer', 'pw');
  const next = await refresh(stolen.refresh_token);
  expect((await refresh(stolen.refresh_token)).status).toBe(401);
  expect((await refresh(next.refresh_token)).status).toBe(401);
  expect((await refresh(other.refresh_token)).status).toBe(200);
});

test('a revoked session cannot be refreshed; revoking nonsense returns no error', async () => {
  const { refresh_token: token } = await logIn('viewer', 'pw');
  expect((await call('POST', '/auth/revoke', { refresh_token: token })).status).toBe(204);
  expect((await refresh(token)).status).toBe(401);
  expect((await call('POST', '/auth/revoke', { refresh_token: 'nonsense' })).status).toBe(204);
});

test('of two parallel requests with one refresh token one succeeds, and the session is revoked', async () => {
  const first = await logIn('viewer', 'pw');
  const both = await Promise.all([refresh(first.refresh_token), refresh(first.refresh_token)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  const won = both.find(({ status }) => status === 200)!;
  expect((await refresh(won.refresh_token)).status).toBe(401);
  expect(await statusWith({ Authorization: `Bearer ${won.access_token}` })).toBe(401);
});

test.each([
  ['is stolen', (token: string) => refresh(token).then(() => refresh(token))],
  ['is revoked', (token: string) => call('POST', '/auth/revoke', { refresh_token: token })],
  ['ends by a new password', () => call('PUT', '/auth/users/viewer', { password: 'another one' })],
  ['ends by a removal', () => call('DELETE', '/auth/users/viewer')],
])('access tokens of a session that %s are rejected', async (_, end) => {
  const { access_token, refresh_token } = await logIn('viewer', 'pw');
  const bearer = { Authorization: `Bearer ${access_token}` };
  expect(await statusWith(bearer)).toBe(200);
  await end(refresh_token);
  expect(await statusWith(bearer)).toBe(401);
});

test('a new user with the name of a removed one does not inherit tokens', async () => {
  const { access_token } = await logIn('viewer', 'pw');
  await call('DELETE', '/auth/users/viewer');
  await call('POST', '/auth/users', { name: 'viewer', role: 'operator' });
  expect(await statusWith({ Authorization: `Bearer ${access_token}` })).toBe(401);
});

test('rejects a token whose parts are not JSON', async () => {
  const part = (text: string) => Buffer.from(text).toString('base64url');
  const token = `${part('{"alg":"HS256","typ":"JWT"}')}.${part('no JSON')}.${part('signature')}`;
  expect((await refresh(token)).status).toBe(401);
  expect((await call('POST', '/auth/revoke', { refresh_token: token })).status).toBe(204);
  expect(await statusWith({ Authorization: `Bearer ${token}` })).toBe(401);
});

test('an access token cannot be used to refresh', async () => {
  const { access_token: token } = await logIn('viewer', 'pw');
  expect((await refresh(token)).status).toBe(401);
});

test('a new signing key logs nobody out', async () => {
  const before = await logIn('viewer', 'pw');
  expect((await call('POST', '/auth/signing-keys/rotate')).status).toBe(201);
  expect(await statusWith({ Authorization: `Bearer ${before.access_token}` })).toBe(200);
  expect((await refresh(before.refresh_token)).status).toBe(200);
});

test('users can be created, changed and removed; tokens and roles follow at once', async () => {
  const made = await call('POST', '/auth/users', { name: 'ada', role: 'viewer' });
  expect(made.status).toBe(201);
  const { password } = made.data as { password: string };
  expect((await call('POST', '/auth/users', { name: 'ada', role: 'viewer' })).status).toBe(409);
  const { access_token: token, refresh_token } = await logIn('ada', password);
  const bearer = { Authorization: `Bearer ${token}` };
  expect((await call('GET', '/auth/users', undefined, bearer)).status).toBe(403);
  expect(await call('PUT', '/auth/users/ada', { role: 'admin' })).toMatchObject({
    status: 200,
    data: { name: 'ada', role: 'admin' },
  });
  expect((await call('GET', '/auth/users', undefined, bearer)).status).toBe(200);
  await call('PUT', '/auth/users/ada', { password: 'another one' });
  expect((await refresh(refresh_token)).status).toBe(401);
  expect((await logIn('ada', 'another one')).status).toBe(200);
  expect((await call('DELETE', '/auth/users/ada')).status).toBe(204);
  expect(await statusWith(bearer)).toBe(401);
  expect((await call('DELETE', '/auth/users/ada')).status).toBe(404);
});

test('a name is given once, even to parallel requests', async () => {
  const make = () => call('POST', '/auth/users', { name: 'ada', role: 'viewer' });
  expect((await Promise.all([make(), make()])).map(({ status }) => status).sort()).toEqual([201, 409]);
});

test('a new password does not restore a user removed meanwhile', async () => {
  const changed = call('PUT', '/auth/users/viewer', { password: 'another one' });
  const removed = call('DELETE', '/auth/users/viewer');
  await Promise.all([changed, removed]);
  expect((await call('GET', '/auth/users')).data).not.toContainEqual({ name: 'viewer', role: 'viewer' });
});

test('the last admin keeps the role', async () => {
  expect((await call('DELETE', '/auth/users/admin')).status).toBe(409);
  expect((await call('PUT', '/auth/users/admin', { role: 'viewer' })).status).toBe(409);
});

test('the list of users is paged, and has no passwords', async () => {
  const { data, pagination } = (await call('GET', '/auth/users?per_page=2&page=2')) as {
    data?: unknown;
    pagination?: unknown;
  };
  expect(data).toEqual([{ name: 'viewer', role: 'viewer' }]);
  expect(pagination).toEqual({
    page: 2,
    per_page: 2,
    total: 3,
    total_pages: 2,
    has_next: false,
    has_prev: true,
  });
});

test('an API key is shown once, grants its role over HTTP and WebSocket, and expires', async () => {
  const made = await call('POST', '/auth/api-keys', { name: 'dashboard', role: 'viewer' });
  expect(made.status).toBe(201);
  const { key, id } = made.data as { key: string; id: string };
  expect((await call('GET', '/auth/api-keys')).data).toMatchObject([
    { id, name: 'dashboard', role: 'viewer' },
  ]);
  expect(JSON.stringify((await call('GET', '/auth/api-keys')).data)).not.toContain(key.split('_')[2]);
  for (const file of readdirSync(service.stateFolder))
    expect(readFileSync(join(service.stateFolder, file), 'latin1')).not.toContain(key.split('_')[2]);
  const headers = { 'X-API-Key': key };
  expect(await statusWith(headers)).toBe(200);
  const socket = new WebSocket(`${service.server.address.replace('http', 'ws')}/ws/pose`, { headers });
  await once(socket, 'open');
  socket.terminate();
  expect((await call('DELETE', `/auth/api-keys/${id}`)).status).toBe(204);
  expect(await statusWith(headers)).toBe(401);
});

test('rejects an expired API key', async () => {
  const { key } = new ApiKeys(service.stateFolder).create('old', 'viewer', '2026-01-01T00:00:00.000Z');
  expect(await statusWith({ 'X-API-Key': key })).toBe(401);
});

test('refuses to create an expired key; shows a future expiry in UTC', async () => {
  const make = (expires_at: string) =>
    call('POST', '/auth/api-keys', { name: 'grafana', role: 'viewer', expires_at });
  expect(await make('2026-01-01T00:00:00Z')).toMatchObject({
    status: 422,
    error: { details: { field: 'expires_at' } },
  });
  expect((await make('2999-01-01T02:00:00+02:00')).data).toMatchObject({
    expires_at: '2999-01-01T00:00:00.000Z',
  });
});

test.each([
  '',
  'csiflow',
  'csiflow_0123456789ab_00',
  `csiflow_0123456789ab_${'0'.repeat(64)}`,
  `csiflow___proto___${'0'.repeat(64)}`,
])('rejects the key %j', async (key) => {
  expect(await statusWith({ 'X-API-Key': key })).toBe(401);
});

test('changes by the command line in the state folder apply at once', async () => {
  const users = new Users(service.stateFolder);
  await users.add('grace', 'viewer', 'written beside');
  expect((await logIn('grace', 'written beside')).status).toBe(200);
});

test('counts all parallel password attempts', async () => {
  const strict = await openService({ ...DEFAULT_LIMITS, wrong_passwords: { requests: 2, seconds: 900 } });
  try {
    const attempt = () => strict.post(`${BASE}/auth/token`, { username: 'viewer', password: 'wrong' });
    const statuses = (await Promise.all([1, 2, 3, 4].map(attempt))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([401, 401, 429, 429]);
  } finally {
    await strict.close();
  }
});

test('correct passwords do not count towards the lock', async () => {
  const strict = await openService({ ...DEFAULT_LIMITS, wrong_passwords: { requests: 1, seconds: 900 } });
  try {
    const attempt = () => strict.post(`${BASE}/auth/token`, { username: 'viewer', password: 'pw' });
    expect((await attempt()).status).toBe(200);
    expect((await attempt()).status).toBe(200);
  } finally {
    await strict.close();
  }
});

test('wrong passwords lock a name only for their own address', async () => {
  const strict = await openService({ ...DEFAULT_LIMITS, wrong_passwords: { requests: 2, seconds: 900 } });
  const attempt = (password: string, localAddress: string) =>
    postFrom(localAddress, `${strict.server.address}${BASE}/auth/token`, { username: 'viewer', password });
  try {
    const strange = await Promise.all([1, 2, 3].map(() => attempt('wrong', '127.0.0.2')));
    expect(strange.sort()).toEqual([401, 401, 429]);
    expect(await attempt('pw', '127.0.0.2')).toBe(429);
    expect(await attempt('pw', '127.0.0.1')).toBe(200);
  } finally {
    await strict.close();
  }
});

test('a name tried from many addresses is slowed: four attempts wait, others are refused', async () => {
  const limits = limitsAfter(2, 20);
  for (const name of ['viewer', 'nobody']) {
    const tries = Array.from({ length: 8 }, (_, index) => limits.takePassword(name, `203.0.113.${index}`));
    const outcomes = (await Promise.allSettled(tries)).map(({ status }) => status);
    expect(outcomes.filter((outcome) => outcome === 'fulfilled')).toHaveLength(6);
    await expect(
      Promise.all(Array.from({ length: 5 }, () => limits.takePassword(name, '198.51.100.1'))),
    ).rejects.toThrow('Too many requests');
  }
});

test('an attack on a name does not slow logins from known addresses or this machine, even after a restart', async () => {
  await limitsAfter(1, 3_600_000).returnPassword('viewer', '192.0.2.1');
  const limits = limitsAfter(1, 3_600_000);
  await limits.takePassword('viewer', '203.0.113.0');
  const waiting = [1, 2, 3, 4].map((index) => limits.takePassword('viewer', `203.0.113.${index}`));
  await expect(limits.takePassword('viewer', '198.51.100.1')).rejects.toThrow('Too many requests');
  for (const address of ['192.0.2.1', '127.0.0.1', addressKey('::1')]) {
    for (let count = 0; count < 10; count++) {
      await limits.takePassword('viewer', address);
      await limits.returnPassword('viewer', address);
    }
  }
  expect(await Promise.race([...waiting, Promise.resolve('they wait')])).toBe('they wait');
  await expect(limits.takePassword('viewer', '127.0.0.2')).rejects.toThrow('Too many requests');
});

test('known addresses are bounded per name, and no name is stored', () => {
  const known = new KnownAddresses(service.stateFolder);
  known.add('admin', '192.0.2.1');
  for (let index = 0; index <= 20; index++) known.add('viewer', `203.0.113.${index}`);
  known.add('viewer', '203.0.113.1');
  known.add('viewer', '198.51.100.1');
  const has = (index: number) => known.has('viewer', `203.0.113.${index}`);
  expect([0, 1, 2, 3, 20].map(has)).toEqual([false, true, false, true, true]);
  expect(known.has('admin', '192.0.2.1')).toBe(true);
  expect(known.has('viewer', '192.0.2.1')).toBe(false);
  const file = join(service.stateFolder, 'known-addresses.json');
  expect(readFileSync(file, 'utf8')).not.toMatch(/admin|viewer/);
  const full = Array.from({ length: 1_000 }, (_, index) => ({ name: `${index}`, address: '192.0.2.1' }));
  writeFileSync(file, JSON.stringify({ version: 1, known: full }));
  known.add('admin', '192.0.2.2');
  const kept = JSON.parse(readFileSync(file, 'utf8')) as { known: readonly { name: string }[] };
  expect(kept.known).toHaveLength(1_000);
  expect(kept.known[0]).toEqual(full[1]);
  expect(known.has('admin', '192.0.2.2')).toBe(true);
});

test('a login makes its address known', async () => {
  const url = `${service.server.address}${BASE}/auth/token`;
  const attempt = (password: string) => postFrom('127.0.0.2', url, { username: 'viewer', password });
  const isKnown = () => new KnownAddresses(service.stateFolder).has('viewer', '127.0.0.2');
  expect(await attempt('wrong')).toBe(401);
  expect(isKnown()).toBe(false);
  expect(await attempt('pw')).toBe(200);
  expect(isKnown()).toBe(true);
});

test('a name is locked after too many wrong passwords, known or not', async () => {
  const strict = await openService({ ...DEFAULT_LIMITS, wrong_passwords: { requests: 2, seconds: 900 } });
  try {
    for (const username of ['viewer', 'nobody']) {
      const attempt = (password: string) => strict.post(`${BASE}/auth/token`, { username, password });
      expect((await attempt('wrong')).status).toBe(401);
      expect((await attempt('wrong')).status).toBe(401);
      const locked = await attempt('pw');
      expect(locked.status).toBe(429);
      expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(800);
    }
  } finally {
    await strict.close();
  }
});

/**
 * Limits of a service restarted over the same state folder. A name counts as under attack after this many
 * tries.
 */
const limitsAfter = (requests: number, slowMs: number): Limits =>
  new Limits(
    new KnownAddresses(service.stateFolder),
    { ...DEFAULT_LIMITS, wrong_passwords_anywhere: { requests, seconds: 900 } },
    slowMs,
  );

/** Status of a call from another of this machine's addresses. */
const postFrom = (localAddress: string, url: string, body: object): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' };
    request(url, { method: 'POST', localAddress, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end(JSON.stringify(body));
  });
