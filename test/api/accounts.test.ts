import { Users } from '../../api/auth/users.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_LIMITS } from '../../api/limits/limits.js';
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

test('a refresh token is good once and gives a new pair', async () => {
  const first = await logIn('viewer', 'pw');
  const second = await refresh(first.refresh_token);
  expect(second.status).toBe(200);
  expect(await statusWith({ Authorization: `Bearer ${second.access_token}` })).toBe(200);
  expect((await refresh(second.refresh_token)).status).toBe(200);
});

test('who comes with a used refresh token ends the whole login, and no other', async () => {
  const stolen = await logIn('viewer', 'pw');
  const other = await logIn('viewer', 'pw');
  const next = await refresh(stolen.refresh_token);
  expect((await refresh(stolen.refresh_token)).status).toBe(401);
  expect((await refresh(next.refresh_token)).status).toBe(401);
  expect((await refresh(other.refresh_token)).status).toBe(200);
});

test('a revoked login cannot be refreshed; revoking nonsense says nothing', async () => {
  const { refresh_token: token } = await logIn('viewer', 'pw');
  expect((await call('POST', '/auth/revoke', { refresh_token: token })).status).toBe(204);
  expect((await refresh(token)).status).toBe(401);
  expect((await call('POST', '/auth/revoke', { refresh_token: 'nonsense' })).status).toBe(204);
});

test('an access token does not refresh', async () => {
  const { access_token: token } = await logIn('viewer', 'pw');
  expect((await refresh(token)).status).toBe(401);
});

test('a new signing key logs nobody out', async () => {
  const before = await logIn('viewer', 'pw');
  expect((await call('POST', '/auth/signing-keys/rotate')).status).toBe(201);
  expect(await statusWith({ Authorization: `Bearer ${before.access_token}` })).toBe(200);
  expect((await refresh(before.refresh_token)).status).toBe(200);
});

test('users are made, changed and removed; their tokens and roles follow at once', async () => {
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

test('the last admin stays one', async () => {
  expect((await call('DELETE', '/auth/users/admin')).status).toBe(409);
  expect((await call('PUT', '/auth/users/admin', { role: 'viewer' })).status).toBe(409);
});

test('the list of users comes in pages, without passwords', async () => {
  const { data, pagination } = (await call('GET', '/auth/users?per_page=2&page=2')) as {
    data?: unknown;
    pagination?: unknown;
  };
  expect(data).toEqual([{ name: 'admin', role: 'admin' }]);
  expect(pagination).toEqual({
    page: 2,
    per_page: 2,
    total: 3,
    total_pages: 2,
    has_next: false,
    has_prev: true,
  });
});

test('an API key is shown once, opens what its role may, over HTTP and WebSocket, and ends', async () => {
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

test('an expired API key opens nothing', async () => {
  const { data } = await call('POST', '/auth/api-keys', {
    name: 'old',
    role: 'viewer',
    expires_at: '2026-01-01T00:00:00Z',
  });
  expect(await statusWith({ 'X-API-Key': (data as { key: string }).key })).toBe(401);
});

test.each([
  '',
  'csiflow',
  'csiflow_0123456789ab_00',
  `csiflow_0123456789ab_${'0'.repeat(64)}`,
  `csiflow___proto___${'0'.repeat(64)}`,
])('the key %j opens nothing', async (key) => {
  expect(await statusWith({ 'X-API-Key': key })).toBe(401);
});

test('what the command line writes to the state folder counts at once', async () => {
  const users = new Users(service.stateFolder);
  await users.set('grace', 'viewer', 'written beside');
  expect((await logIn('grace', 'written beside')).status).toBe(200);
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
