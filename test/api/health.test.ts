import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DetailedHealthSchema, HealthSchema, MetricsSchema } from '../../api/contract/health.js';
import { answerLiveness } from '../../api/rest/serving/liveness.js';
import { Hosts } from '../../api/service/limits/hosts.js';
import { KnownAddresses } from '../../api/service/limits/known-addresses.js';
import { Limits } from '../../api/service/limits/limits.js';
import { openService, type TestService } from './support.js';

const A = '/form-a/api/v1';
const B = '/form-b/api/v1';

let service: TestService;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => {
  vi.restoreAllMocks();
  return service.close();
});

const data = async (response: Response): Promise<Record<string, unknown>> => {
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Record<string, unknown> }).data;
};

describe('GET /health', () => {
  test.each([
    ['running', 'healthy'],
    ['degraded', 'degraded'],
    ['failed', 'unhealthy'],
    ['stopped', 'stopped'],
    ['starting', 'starting'],
  ] as const)('reports a system that is %s: %s, bare and without credentials', async (state, said) => {
    service.main.state = state;
    for (const base of [A, B]) {
      const body: unknown = await (await service.get(`${base}/health`)).json();
      expect(Value.Check(HealthSchema, body)).toBe(true);
      expect(body).toMatchObject({ status: said });
    }
  });
});

describe('GET /health/detailed', () => {
  test.each([A, B])('has all fields under %s, measured', async (base) => {
    service.main.reader.ping = async () => 1.5;
    await service.get(`${B}/system/status`, service.token('viewer'));
    const body = await data(await service.get(`${base}/health/detailed`, service.token('viewer')));
    expect([...Value.Errors(DetailedHealthSchema, body)]).toEqual([]);
    expect(body).toMatchObject({
      overall_status: 'healthy',
      components: {
        api: { status: 'healthy' },
        database: { connection_pool: '1/1', query_time_ms: 1.5 },
        cache: { connected_clients: 0 },
        neural_network: { status: 'unavailable', model_loaded: false, gpu_memory_usage: '0 MB' },
        csi_processor: { status: 'active', buffer_usage: '0%' },
      },
    });
  });

  test('a store that does not answer is unavailable', async () => {
    service.main.reader.ping = () => Promise.reject(new Error('away'));
    const { components } = await data(await service.get(`${B}/health/detailed`, service.token('viewer')));
    expect(components).toMatchObject({
      database: { status: 'unavailable', connection_pool: '0/1', query_time_ms: 0 },
    });
  });

  test('requires a credential', async () => {
    expect((await service.get(`${B}/health/detailed`)).status).toBe(401);
  });
});

describe('GET /metrics', () => {
  test.each([A, B])('has all groups under %s', async (base) => {
    const body = await data(await service.get(`${base}/metrics`, service.token('viewer')));
    expect([...Value.Errors(MetricsSchema, body)]).toEqual([]);
    const { timestamp, ...groups } = body['current'] as Record<string, unknown>;
    expect(Object.keys(groups)).toEqual(['performance', 'resources', 'business']);
    expect(typeof timestamp).toBe('string');
    expect(body['historical']).toEqual([]);
  });

  test.each(['performance', 'resources', 'business'])(
    'metric_type=%s returns only that group',
    async (type) => {
      const body = await data(await service.get(`${B}/metrics?metric_type=${type}`, service.token('viewer')));
      expect(Object.keys(body['current'] as object).sort()).toEqual([type, 'timestamp'].sort());
    },
  );

  test.each([
    ['metric_type=weather', 422],
    ['start_time=2026-01-02T00:00:00Z&end_time=2026-01-01T00:00:00Z', 422],
    ['start_time=2025-01-02T00:00:00Z&end_time=2026-01-01T00:00:00Z', 400],
    ['metric=performance', 422],
  ])('rejects ?%s with %i', async (query, status) => {
    expect((await service.get(`${B}/metrics?${query}`, service.token('viewer'))).status).toBe(status);
  });
});

describe('probes at the root', () => {
  test('livez is 200 whatever the topology does; readyz only while it runs', async () => {
    expect((await service.get('/readyz')).status).toBe(200);
    service.main.state = 'failed';
    expect((await service.get('/livez')).status).toBe(200);
    await expect
      .poll(async () => (await service.get('/readyz')).text())
      .toBe('the topology test is failed\n');
    expect((await service.get('/readyz')).status).toBe(503);
  });

  test.each(['GET', 'HEAD'])('%s of livez has the same answer before Koa as from it', async (method) => {
    const answerOf = async (path: string) => {
      const response = await fetch(service.server.address + path, {
        method,
        headers: { 'X-Request-Id': 'r-1' },
      });
      const { date, 'x-ratelimit-reset': reset, ...headers } = Object.fromEntries(response.headers);
      expect(date).toMatch(/GMT$/);
      expect(Number(reset)).toBeGreaterThan(Date.now() / 1000);
      return { status: response.status, headers, body: await response.text() };
    };
    // With a query, Koa answers.
    expect(await answerOf('/livez')).toEqual(await answerOf('/livez?a'));
  });

  test('livez leaves all but plain calls to Koa', async () => {
    const left: string[] = [];
    const asked = {
      hosts: new Hosts([]),
      limits: new Limits(new KnownAddresses(service.stateFolder)),
      form: 'a',
    } as const;
    const server = createServer(
      answerLiveness(asked, ({ method, url }, response) => {
        left.push(`${method} ${url}`);
        response.end();
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const call = async (path: string, options: RequestInit = {}) =>
      (await fetch(address + path, options)).text();
    expect(await call('/livez')).toBe('ok\n');
    expect(left).toEqual([]);
    await call('/livez?a');
    await call('/livez/');
    await call('/livez', { method: 'POST' });
    await call('/livez', { headers: { Origin: 'http://127.0.0.1' } });
    await call('/readyz');
    server.close();
    expect(left).toEqual(['GET /livez?a', 'GET /livez/', 'POST /livez', 'GET /livez', 'GET /readyz']);
  });

  test('readyz is 503 while a store does not answer', async () => {
    service.main.reader.ping = () => Promise.reject(new Error('away'));
    const response = await service.get('/readyz');
    expect(response.status).toBe(503);
    expect(await response.text()).toBe('the store history does not answer\n');
  });

  test('readyz asks the stores at most once a second', async () => {
    let asked = 0;
    service.main.reader.ping = async () => ++asked;
    // A busy machine may need longer than a second for the calls.
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    await Promise.all(Array.from({ length: 20 }, () => service.get('/readyz')));
    expect(asked).toBe(1);
    now.mockReturnValue(performance.now() + 1001);
    await service.get('/readyz');
    now.mockRestore();
    expect(asked).toBe(2);
  });
});
