import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiKeys } from '../../api/service/accounts/api-keys.js';
import { Tokens } from '../../api/service/accounts/tokens.js';
import { Users } from '../../api/service/accounts/users.js';
import { lockFile } from '../../pipeline/base/file-lock.js';
import { openService, type TestService } from './support.js';

let accountsFolder: string;
const open: TestService[] = [];
beforeEach(() => {
  accountsFolder = mkdtempSync(join(tmpdir(), 'csiflow-accounts-'));
});
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
  rmSync(accountsFolder, { recursive: true });
});

const start = async (folder: string | null = accountsFolder): Promise<TestService> => {
  const service = await openService(undefined, folder === null ? {} : { accountsFolder: folder });
  open.push(service);
  return service;
};

const API = '/form-b/api/v1';
const LOGIN = { username: 'ada', password: 'a password' };
interface Pair {
  readonly data: { readonly access_token: string; readonly refresh_token: string };
}

test("processes that share an accounts folder accept each other's tokens, keys and users", async () => {
  await new Users(accountsFolder).add('ada', 'admin', 'a password');
  const [one, two, stranger] = [await start(), await start(), await start(null)];
  const login = await one.post(`${API}/auth/token`, LOGIN);
  const { access_token: token, refresh_token } = ((await login.json()) as Pair).data;
  for (const service of [one, two]) expect((await service.get(`${API}/auth/users`, token)).status).toBe(200);
  expect((await stranger.get(`${API}/auth/users`, token)).status).toBe(401);

  const made = await two.post(`${API}/auth/api-keys`, { name: 'grafana', role: 'viewer' }, token);
  const { key } = ((await made.json()) as { data: { key: string } }).data;
  const status = async ({ server }: TestService) =>
    (await fetch(`${server.address}${API}/system/status`, { headers: { 'X-API-Key': key } })).status;
  expect([await status(one), await status(two), await status(stranger)]).toEqual([200, 200, 401]);

  // A refresh token works once, in whichever process; the second use revokes the session everywhere.
  expect((await two.post(`${API}/auth/refresh`, { refresh_token })).status).toBe(200);
  expect((await one.post(`${API}/auth/refresh`, { refresh_token })).status).toBe(401);
  for (const service of [one, two]) expect((await service.get(`${API}/auth/users`, token)).status).toBe(401);
});

test('two processes that start with an empty folder agree on the first admin and the key', async () => {
  const folders = [new Users(accountsFolder), new Users(accountsFolder)];
  const passwords = await Promise.all(folders.map((users) => users.makeFirstAdmin()));
  expect(passwords.filter((password) => password !== null)).toHaveLength(1);
  const account = { name: 'admin', role: 'admin' } as const;
  const [first, second] = [new Tokens(accountsFolder), new Tokens(accountsFolder)];
  expect(second.refresh(first.issue(account).refresh, () => account)).not.toBeNull();
});

test('a change waits for the lock, then names its holder without writing anything', () => {
  const keys = new ApiKeys(accountsFolder);
  keys.create('first', 'viewer', null);
  const unlock = lockFile(join(accountsFolder, 'api-keys.json.lock'));
  writeFileSync(join(accountsFolder, 'api-keys.json.lock'), 'process 17 on ward-2');
  expect(() => keys.create('second', 'viewer', null)).toThrow(
    /api-keys\.json\.lock is locked by process 17 on ward-2/,
  );
  unlock();
  expect(keys.list().map(({ name }) => name)).toEqual(['first']);
  keys.create('third', 'viewer', null);
  expect(keys.list().map(({ name }) => name)).toEqual(['first', 'third']);
});
