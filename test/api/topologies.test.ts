import { afterEach, beforeEach, expect, test } from 'vitest';
import { openService, type TestService } from './support.js';

const BASE = '/form-b/api/v1/topologies/test';

let service: TestService;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

test('shows the state of each node', async () => {
  const response = await service.get(BASE, service.token('viewer'));
  expect(await response.json()).toMatchObject({
    data: {
      id: 'test',
      status: 'running',
      nodes: [{ id: 'routers', type: 'udp', dropped: { kernel_buffer: 3 }, missing: 5 }],
    },
  });
});

test('another topology is not found', async () => {
  expect((await service.get('/form-b/api/v1/topologies/other', service.token('viewer'))).status).toBe(404);
});

test('a plan of a broken file names the position of the error', async () => {
  const response = await service.post(`${BASE}/plan`, { topology: 'broken' }, service.token('operator'));
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({
    error: { details: { field: 'test.yaml:3:5', reason: 'config.field.unknown no such field' } },
  });
});

test('a plan returns a hash, and apply rejects another one', async () => {
  const token = service.token('admin');
  const planned = (await (await service.post(`${BASE}/plan`, { topology: 'fine' }, token)).json()) as {
    data: { hash: string };
  };
  expect(planned.data.hash).toBe('hash-1');
  const stale = await service.post(`${BASE}/apply`, { topology: 'fine', hash: 'hash-0' }, token);
  expect(stale.status).toBe(409);
  expect((await service.post(`${BASE}/apply`, { topology: 'fine', hash: 'hash-1' }, token)).status).toBe(200);
});
