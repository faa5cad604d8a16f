import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuditLog, type AuditEntry } from '../../api/service/audit/audit-log.js';
import { isAudited } from '../../api/rest/serving/record-actions.js';
import { ENDPOINTS } from '../../api/rest/endpoints.js';
import { AuditEntrySchema } from '../../api/rest/accounts/audit.js';
import { testContext } from '../support/context.js';
import { openService, type TestService } from './support.js';

const A = '/form-a/api/v1';
const B = '/form-b/api/v1';

let service: TestService;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

interface Listed {
  readonly data: readonly AuditEntry[];
  readonly pagination: { readonly total: number };
}

const listed = async (query = ''): Promise<Listed> => {
  const response = await service.get(`${B}/audit${query}`, service.token('admin'));
  expect(response.status).toBe(200);
  return (await response.json()) as Listed;
};

test('a control action is logged with user, address, action and result', async () => {
  const response = await service.post(
    `${A}/system/stop`,
    { force: true, save_state: false },
    service.token('operator'),
  );
  const { data } = await listed();
  expect(data.every((entry) => Value.Check(AuditEntrySchema, entry))).toBe(true);
  expect(data).toMatchObject([
    {
      account: 'operator',
      role: 'operator',
      address: '127.0.0.1',
      request_id: response.headers.get('x-request-id'),
      action: 'POST /system/stop',
      details: { force: true, save_state: false },
      outcome: 'done',
      status: 202,
      code: null,
    },
  ]);
});

test('refused actions are logged too: by state, by role, without a credential, malformed', async () => {
  await service.post(`${B}/system/start`, {}, service.token('operator'));
  await service.post(`${B}/system/stop`, {}, service.token('viewer'));
  await service.post(`${B}/system/stop`, {});
  await service.post(`${A}/system/stop`, { force: 'yes' }, service.token('operator'));
  const { data } = await listed('?outcome=refused');
  expect(data.map(({ account, status, code }) => [account, status, code])).toEqual([
    ['operator', 409, 'RESOURCE_CONFLICT'],
    ['viewer', 403, 'AUTHORIZATION_ERROR'],
    [null, 401, 'AUTHENTICATION_ERROR'],
    ['operator', 422, 'VALIDATION_ERROR'],
  ]);
});

test('every endpoint that may change something is logged', () => {
  const silent = ENDPOINTS.filter((endpoint) => !isAudited(endpoint));
  const changing = silent.filter(({ method }) => method !== 'GET').map(({ path }) => path);
  expect(changing.filter((path) => path !== '/pose/query' && path !== '/pose/process')).toEqual([]);
});

test('reading records is logged, other reading is not', async () => {
  const path = `${B}/topologies/test/nodes/routers/records?wait_ms=0`;
  expect((await service.get(path, service.token('operator'))).status).toBe(200);
  await service.get(`${B}/system/status`, service.token('viewer'));
  const { data } = await listed();
  expect(data).toMatchObject([
    { action: 'GET /topologies/:id/nodes/:node/records', details: { id: 'test', node: 'routers' } },
  ]);
});

test('no secret is logged, wherever it was placed', async () => {
  const admin = service.token('admin');
  const canary = 'canary-0123456789';
  const good = { username: 'viewer', password: 'pw' };
  await service.post(`${B}/auth/token`, good);
  await service.post(`${B}/auth/token`, { username: canary, password: canary });
  await service.post(`${B}/auth/token`, { username: 'viewer', password: canary });
  await service.post(`${B}/auth/revoke`, { refresh_token: canary });
  await service.post(`${B}/auth/users`, { name: 'ada', role: 'viewer', password: canary }, admin);
  await service.post(`${B}/topologies/test/plan`, { topology: canary }, admin);
  await service.post(`${B}/system/start`, { [canary]: canary }, admin);
  await fetch(`${service.server.address}${B}/auth/api-keys/${canary}`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${admin}` },
  });
  const { data } = await listed();
  expect(data.length).toBe(8);
  expect(data.filter(({ action }) => action === 'POST /auth/token')).toMatchObject([
    { details: { user: 'viewer' }, outcome: 'done' },
    { details: { user: null }, status: 401 },
    { details: { user: 'viewer' }, repeated: 0 },
  ]);
  const files = readdirSync(service.stateFolder).filter((name) => name.startsWith('audit'));
  expect(files).toEqual(['audit-strangers.jsonl', 'audit.jsonl']);
  for (const name of files) {
    const file = join(service.stateFolder, name);
    expect(readFileSync(file, 'utf8')).not.toContain(canary);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
});

test('the log is for admins, paged, by time and account', async () => {
  expect((await service.get(`${B}/audit`, service.token('operator'))).status).toBe(403);
  for (let count = 0; count < 3; count++)
    await service.post(`${B}/system/start`, {}, service.token('operator'));
  const page = await listed('?page=2&per_page=2');
  expect(page.pagination.total).toBe(3);
  expect(page.data).toHaveLength(1);
  expect((await listed('?account=viewer')).data).toEqual([]);
  expect((await listed('?end_time=2020-01-01T00:00:00Z')).pagination.total).toBe(0);
});

const entry = (number: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
  time: new Date(number * 1000).toISOString(),
  account: 'operator',
  role: 'operator',
  address: '127.0.0.1',
  request_id: String(number),
  action: 'POST /system/stop',
  details: {},
  outcome: 'done',
  status: 202,
  code: null,
  repeated: 0,
  ...more,
});
const ALL = { offset: 0, limit: 1e6 };

test('its files are bounded and keep the newest actions; strangers displace nothing', async () => {
  const audit = new AuditLog(service.stateFolder, testContext().context.log, { bytes: 2_000, files: 3 });
  await audit.note(entry(0));
  const refused = { account: null, role: null, outcome: 'refused', status: 401, code: 'X' } as const;
  for (let number = 1; number <= 200; number++)
    await audit.note(entry(number, { ...refused, address: `192.0.2.${number}` }));
  const { entries } = await audit.read({}, ALL);
  expect(entries[0]).toMatchObject({ request_id: '0', account: 'operator' });
  expect(entries.at(-1)).toMatchObject({ request_id: '200' });
  expect(entries.length).toBeLessThan(60);
  const strangers = readdirSync(service.stateFolder).filter((name) => name.startsWith('audit-strangers'));
  expect(strangers).toHaveLength(3);
  for (const name of strangers)
    expect(statSync(join(service.stateFolder, name)).size).toBeLessThan(2_000 + 500);
  await audit.close();
});

test('repeated refusals are counted, not logged one by one', async () => {
  const audit = new AuditLog(service.stateFolder, testContext().context.log);
  for (let number = 0; number < 1_000; number++)
    await audit.note(entry(number, { outcome: 'refused', status: 403, code: 'AUTHORIZATION_ERROR' }));
  await audit.close();
  const { entries } = await audit.read({}, ALL);
  expect(entries).toMatchObject([
    { request_id: '0', repeated: 0 },
    { request_id: '999', repeated: 998 },
  ]);
});

test('a line truncated by a power cut does not hide the others', async () => {
  const { context } = testContext();
  const audit = new AuditLog(service.stateFolder, context.log);
  await audit.note(entry(1));
  await audit.close();
  appendFileSync(join(service.stateFolder, 'audit.jsonl'), '{"time":"20\n');
  expect((await audit.read({}, ALL)).entries).toHaveLength(1);
});
