import { once } from 'node:events';
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../api/limits/limits.js';
import { ENDPOINTS } from '../../api/rest/app.js';
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

/** A call of each category of section 8.3. */
const CALLS = [
  ['pose_data', 'GET', '/pose/latest'],
  ['pose_processing', 'POST', '/pose/process'],
  ['configuration', 'GET', '/system/status'],
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
    expect(Math.abs(reset - (Date.now() + seconds * 1000))).toBeLessThan(5_000);
    const body = (await second.json()) as { error: { message: string; details: Record<string, unknown> } };
    const time = form === 'a' ? 'reset_time' : 'reset_at';
    expect(body.error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      message: `Too many requests: wait ${seconds} seconds`,
      details: { limit: 1, [form === 'a' ? 'window_seconds' : 'window']: 3600 },
    });
    expect(Date.parse(String(body.error.details[time]))).toBeGreaterThan(Date.now());
  });

  test('a caller with another credential, or in the other form, has a count of its own', async () => {
    await call(form, 'GET', '/pose/latest');
    expect((await call(form, 'GET', '/pose/latest')).status).toBe(429);
    expect((await call(form, 'GET', '/pose/latest', service.token('viewer'))).status).not.toBe(429);
    expect((await call(form === 'a' ? 'b' : 'a', 'GET', '/pose/latest')).status).not.toBe(429);
  });
});

test('Form A counts all of REST together, Form B by category', async () => {
  await call('a', 'GET', '/pose/latest');
  expect((await call('a', 'GET', '/system/status')).status).toBe(429);
  await call('b', 'GET', '/pose/latest');
  expect((await call('b', 'GET', '/system/status')).status).toBe(200);
});

test('tries to log in are counted by address, over both forms', async () => {
  const logIn = (form: 'a' | 'b') =>
    service.post(`${BASE[form]}/auth/token`, { username: 'viewer', password: 'no' });
  expect((await logIn('a')).status).toBe(401);
  expect((await logIn('b')).status).toBe(429);
});

test.each([
  ['another name', 421, '/pose/latest', { Host: 'evil.example' }],
  ['nothing there', 404, '/nowhere', {}],
  ['a body of another type', 401, '/system/stop', { 'Content-Type': 'text/plain' }],
])('the headers of the limit are on the answer to %s (%i)', async (_what, status, path, headers) => {
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
