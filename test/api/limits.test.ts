import { once } from 'node:events';
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Sessions } from '../../api/service/accounts/sessions.js';
import { DEFAULT_LIMITS } from '../../api/service/limits/limits.js';
import { ENDPOINTS } from '../../api/rest/endpoints.js';
import { openService, type TestService } from './support.js';

const ONE = { requests: 1, seconds: 3_600 };
const EACH_ONCE = {
  ...DEFAULT_LIMITS,
  form_a: ONE,
  authentication: ONE,
  pose_data: ONE,
  pose_processing: ONE,
  configuration: ONE,
  analytics: ONE,
  health: ONE,
};
const BASE = { a: '/form-a/api/v1', b: '/form-b/api/v1' } as const;

let service: TestService;
beforeEach(async () => {
  service = await openService(EACH_ONCE);
});
afterEach(() => service.close());

const NAMES = ['limit', 'remaining', 'reset', 'window'];
const limitOf = (response: Response) => NAMES.map((name) => response.headers.get(`x-ratelimit-${name}`));

test('the limits are those of the interface', () => {
  expect(DEFAULT_LIMITS).toMatchObject({
    form_a: { requests: 1000, seconds: 3600 },
    authentication: { requests: 10, seconds: 60 },
    pose_data: { requests: 1000, seconds: 3600 },
    pose_processing: { requests: 100, seconds: 3600 },
    configuration: { requests: 50, seconds: 3600 },
    analytics: { requests: 500, seconds: 3600 },
    health: { requests: 10_000, seconds: 3600 },
  });
});

/** A call of each category. */
const CALLS = [
  ['pose_data', 'GET', '/pose/latest'],
  ['pose_processing', 'POST', '/pose/process'],
  ['configuration', 'POST', '/system/stop'],
  ['configuration', 'PUT', '/config'],
  ['analytics', 'GET', '/analytics/events'],
  ['health', 'GET', '/health/detailed'],
] as const;

const call = (form: 'a' | 'b', method: string, path: string, token = service.token('admin')) =>
  fetch(service.server.address + BASE[form] + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(method !== 'GET' && { body: '{}' }),
  });

describe.each(['a', 'b'] as const)('Form %s', (form) => {
  test.each(CALLS)('a call of %s beyond its limit: %s %s', async (category, method, path) => {
    expect(ENDPOINTS.find((one) => one.method === method && one.path === path)?.limit).toBe(category);
    const first = await call(form, method, path);
    expect(first.status).not.toBe(429);
    expect(limitOf(first)).toEqual(['1', '0', expect.stringMatching(/^\d{10}$/), '3600']);
    const second = await call(form, method, path);
    expect(second.status).toBe(429);
    expect(limitOf(second).slice(0, 2)).toEqual(['1', '0']);
    const seconds = Number(second.headers.get('retry-after'));
    const reset = Number(second.headers.get('x-ratelimit-reset')) * 1000;
    const answered = Date.parse(second.headers.get('date')!);
    expect(Math.abs(reset - (answered + seconds * 1000))).toBeLessThanOrEqual(2_000);
    const body = (await second.json()) as { error: { message: string; details: Record<string, unknown> } };
    const time = form === 'a' ? 'reset_time' : 'reset_at';
    expect(body.error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      message: `Too many requests: wait ${seconds} seconds`,
      details: { limit: 1, [form === 'a' ? 'window_seconds' : 'window']: 3600 },
    });
    expect(Date.parse(String(body.error.details[time]))).toBeGreaterThan(Date.now());
  });

  test('a caller with another credential, or in the other form, has a separate count', async () => {
    await call(form, 'GET', '/pose/latest');
    expect((await call(form, 'GET', '/pose/latest')).status).toBe(429);
    expect((await call(form, 'GET', '/pose/latest', service.token('viewer'))).status).not.toBe(429);
    expect((await call(form === 'a' ? 'b' : 'a', 'GET', '/pose/latest')).status).not.toBe(429);
  });
});

test('Form A counts all of REST together, Form B by category', async () => {
  await call('a', 'GET', '/pose/latest');
  expect((await call('a', 'PUT', '/config')).status).toBe(429);
  await call('b', 'GET', '/pose/latest');
  expect((await call('b', 'PUT', '/config')).status).not.toBe(429);
});

test('reading the system, its configuration and its topologies uses none of their changes', () => {
  const about = /^\/(system|config|topologies|webhooks|audit|auth\/(users|api-keys))(\/|$)/;
  const reads = ENDPOINTS.filter(({ method, path }) => method === 'GET' && about.test(path));
  const taps = reads.filter(({ path }) => path.endsWith('/records')).map(({ path }) => path);
  const counted = reads.filter(({ path }) => !taps.includes(path));
  expect(counted.length).toBeGreaterThan(10);
  expect(counted.map(({ path, limit }) => `${path} ${limit}`)).toEqual(
    counted.map(({ path }) => `${path} health`),
  );
  const changes = ENDPOINTS.filter(({ method, path }) => method !== 'GET' && about.test(path));
  expect(changes.map(({ limit }) => limit)).toEqual(changes.map(() => 'configuration'));
});

test('login attempts are counted by address, over both forms', async () => {
  const logIn = (form: 'a' | 'b') =>
    service.post(`${BASE[form]}/auth/token`, { username: 'viewer', password: 'no' });
  expect((await logIn('a')).status).toBe(401);
  expect((await logIn('b')).status).toBe(429);
});

const ask = (path: string, token?: string, method = 'GET') =>
  fetch(service.server.address + path, {
    method,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
  });

describe('requests refused to everybody', () => {
  test.each([
    ['a path that is nowhere', 404, '/api/v1/nowhere', 'GET', undefined],
    ['a path at the root that is nowhere', 404, '/favicon.ico', 'GET', undefined],
    ['a method that does not exist', 405, '/api/v1/pose/latest', 'OPTIONS', undefined],
    ['a call without a credential', 401, '/api/v1/pose/latest', 'GET', undefined],
    ['a path that is nowhere, with a made-up token', 404, '/api/v1/nowhere', 'GET', 'made-up'],
  ])('%s uses no call of any limit', async (_what, status, path, method, token) => {
    for (let time = 0; time < 3; time++) {
      const response = await ask(path, token, method);
      expect(response.status).toBe(status);
      expect(limitOf(response).slice(0, 2)).toEqual(['1', '1']);
    }
    expect((await ask('/api/v1/pose/latest', 'made-up')).status).toBe(401);
    expect((await call('b', 'GET', '/pose/latest')).status).not.toBe(429);
  });

  test('a foreign Host uses no call of any limit', async () => {
    for (let time = 0; time < 3; time++)
      expect(await statusOf('/api/v1/pose/latest', { Host: 'evil.example' })).toBe(421);
    expect((await ask('/api/v1/pose/latest', 'made-up')).status).toBe(401);
  });

  test('a WebSocket without a credential uses no call of any limit', async () => {
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
    const headers = { ...upgrade, 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==' };
    for (let time = 0; time < 3; time++) expect(await statusOf('/ws/pose', headers)).toBe(401);
    expect((await ask('/api/v1/pose/latest', 'made-up')).status).toBe(401);
  });
});

test('/health at the root answers like that of the interface, and is counted by address', async () => {
  const response = await ask('/health');
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ status: 'healthy', version: expect.any(String) as string });
  expect(limitOf(response).slice(0, 2)).toEqual(['1', '0']);
  expect((await ask('/api/v1/health')).status).toBe(429);
});

test('invented credentials have a limit of their own, which affects nobody else', async () => {
  await service.close();
  service = await openService({ ...DEFAULT_LIMITS, wrong_credentials: { requests: 2, seconds: 60 } });
  const latest = '/api/v1/pose/latest';
  const byKey = () => fetch(service.server.address + latest, { headers: { 'X-API-Key': 'made-up' } });
  expect((await ask(latest, 'made-up')).status).toBe(401);
  expect((await byKey()).status).toBe(401);
  expect((await ask(latest, 'made-up')).status).toBe(429);
  expect((await byKey()).status).toBe(429);
  // Others at the same address: with an expired token, an ended session, no token, and a valid one.
  expect((await ask(latest, service.token('viewer', { expiresIn: -60 }))).status).toBe(401);
  const refreshed = service.token('viewer');
  new Sessions(service.stateFolder).end('test-viewer');
  expect((await ask(latest, refreshed)).status).toBe(401);
  expect((await ask(latest)).status).toBe(401);
  expect((await ask(latest, service.token('admin'))).status).toBe(404);
  expect((await ask('/api/v1/health', 'made-up')).status).toBe(200);
});

/** `fetch` does not allow these headers. */
async function statusOf(path: string, headers: Record<string, string>): Promise<number> {
  const asked = request(service.server.address + path, { headers }).end();
  const [response] = (await once(asked, 'response')) as [{ statusCode: number; resume(): void }];
  response.resume();
  return response.statusCode;
}

test.each([
  ['another name', 421, '/pose/latest', { Host: 'evil.example' }],
  ['nothing there', 404, '/nowhere', {}],
  ['a body of another type', 401, '/system/stop', { 'Content-Type': 'text/plain' }],
])('the answer to %s has the headers of the limit (%i)', async (_what, status, path, headers) => {
  for (const base of Object.values(BASE)) {
    const method = path.endsWith('stop') ? 'POST' : 'GET';
    const asked = request(service.server.address + base + path, { method, headers }).end();
    const [response] = (await once(asked, 'response')) as [
      { statusCode: number; headers: Record<string, string>; resume(): void },
    ];
    response.resume();
    expect(response.statusCode).toBe(status);
    for (const name of NAMES) expect(response.headers[`x-ratelimit-${name}`]).toMatch(/^\d+$/);
  }
});
