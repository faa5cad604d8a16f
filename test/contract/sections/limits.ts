import { expect } from 'vitest';
import type { Rows } from '../contract.js';
import { lately, type Form } from '../service.js';

const HOUR = 3600;

/** Rate limits. Runs last, because it exhausts one. */
export function limits({ service, row, elsewhere }: Rows): void {
  const calls = [
    ['/pose/latest', 'viewer'],
    ['/nothing/here', 'viewer'],
    ['/pose/latest', 'nobody'],
    ['/health', 'nobody'],
  ] as const;
  for (const header of ['Limit', 'Remaining', 'Reset', 'Window'].map((name) => `X-RateLimit-${name}`)) {
    row('8.1', header, async () => {
      for (const form of ['a', 'b'] as const) {
        for (const [path, as] of calls)
          expect((await service().get(form, path, { as })).headers.get(header)).toMatch(/^\d+$/);
      }
    });
  }

  const limitOf = async (form: Form, method: string, path: string, body?: object) => {
    const { headers } = await service().call(form, method, path, { as: 'viewer', body });
    return [Number(headers.get('X-RateLimit-Limit')), Number(headers.get('X-RateLimit-Window'))];
  };
  row('8.2', 'REST API', async () => {
    expect(await limitOf('a', 'GET', '/pose/latest')).toEqual([1000, HOUR]);
    expect(await limitOf('a', 'GET', '/analytics/healthcare')).toEqual([1000, HOUR]);
    expect(await limitOf('a', 'PUT', '/config', {})).toEqual([1000, HOUR]);
  });
  elsewhere('8.2', 'WebSocket', 'test/api/ws.test.ts');
  elsewhere('8.2', 'Streaming', 'test/api/ws.test.ts');
  elsewhere('8.2', 'Webhook', 'test/sinks/webhook.test.ts');

  row('8.3', 'Pose data (GET)', async () => {
    for (const path of ['/pose/latest', `/pose/history?${lately()}`, '/pose/tracking/1'])
      expect(await limitOf('b', 'GET', path)).toEqual([1000, HOUR]);
  });
  row('8.3', 'Pose processing (POST)', async () => {
    for (const path of ['/pose/process', '/pose/query'])
      expect(await limitOf('b', 'POST', path, {})).toEqual([100, HOUR]);
  });
  row('8.3', 'Configuration', async () => {
    expect(await limitOf('b', 'PUT', '/config', {})).toEqual([50, HOUR]);
    expect(await limitOf('b', 'POST', '/system/stop')).toEqual([50, HOUR]);
  });
  row('8.3', 'Analytics', async () => {
    for (const path of [
      '/analytics/events',
      `/analytics/summary?${lately()}`,
      `/analytics/occupancy?${lately()}`,
    ])
      expect(await limitOf('b', 'GET', path)).toEqual([500, HOUR]);
  });
  row('8.3', 'Health checks', async () => {
    for (const path of [
      '/health',
      '/health/detailed',
      '/metrics',
      '/system/status',
      '/config',
      '/topologies',
    ])
      expect(await limitOf('b', 'GET', path)).toEqual([10_000, HOUR]);
  });
  row('8.3', 'Authentication', async () => {
    const logIn = (form: Form) =>
      service().post(form, '/auth/token', { username: 'nobody', password: 'none' }, { as: 'nobody' });
    let last = await logIn('b');
    expect(last.headers.get('X-RateLimit-Window')).toBe('60');
    expect(last.headers.get('X-RateLimit-Limit')).toBe('10');
    // The count restarts if a minute ends in between.
    for (let tries = 0; tries < 21 && last.status === 401; tries++) last = await logIn('b');
    expect([last.status, last.at('error.code')]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    const reset_at = expect.stringMatching(/^\d{4}-/) as string;
    expect(last.at('error.details')).toEqual({ limit: 10, window: 60, reset_at });
    expect(last.at('error.message')).toMatch(/\d+ second/);
    expect(Number(last.headers.get('Retry-After'))).toBeGreaterThan(0);
    // All mounts share one counter.
    const a = await logIn('a');
    expect([a.status, a.at('error.code')]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    const reset_time = reset_at;
    expect(a.at('error.details')).toEqual({ limit: 10, window_seconds: 60, reset_time });
  });
}
