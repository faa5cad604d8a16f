import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Tokens } from '../../api/service/accounts/tokens.js';
import { Users } from '../../api/service/accounts/users.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-users-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('the first start creates an admin with a working password stored nowhere; the next start creates none', async () => {
  const password = await new Users(folder).makeFirstAdmin();
  const again = new Users(folder);
  expect(await again.makeFirstAdmin()).toBeNull();
  expect(await again.check('admin', password!)).toEqual({ name: 'admin', role: 'admin' });
  expect(readFileSync(join(folder, 'users.json'), 'utf8')).not.toContain(password);
  expect(statSync(join(folder, 'users.json')).mode & 0o077).toBe(0);
});

test('the first user must be an admin: nobody could create another', async () => {
  const users = new Users(folder);
  await expect(users.add('ada', 'viewer', 'a password')).rejects.toThrow('the first user must be an admin');
  expect(await users.add('ada', 'admin', 'a password')).toBe(true);
  expect(await users.add('ada', 'viewer', 'a password')).toBe(false);
});

test('a file has the owner of its folder, whichever user writes it, and leaves no other file', async () => {
  const root = process.getuid?.() === 0;
  if (root) chownSync(folder, 12_345, 12_346);
  await new Users(folder).add('ada', 'admin', 'a password');
  expect(statSync(join(folder, 'users.json')).uid).toBe(statSync(folder).uid);
  expect(readdirSync(folder)).toEqual(['users.json']);
});

test.each([
  ['of a newer csiflow', '{"version":2,"users":[]}', 'state.newer', 'was written by a newer csiflow'],
  ['of an older one', '{"version":0,"users":[]}', 'state.older', 'was written by an older csiflow'],
  ['without a layout', '{"version":"1"}', 'state.corrupt', 'does not state its layout'],
  ['without its users', '{"version":1}', 'state.corrupt', 'is damaged'],
  ['truncated', '{"version":1,"users":[{"name":"admin","pass', 'state.corrupt', 'is damaged'],
  ['empty', '', 'state.corrupt', 'is damaged'],
])('a file of users %s is rejected by name, and not overwritten', (_, content, code, message) => {
  const file = join(folder, 'users.json');
  writeFileSync(file, content);
  expect(() => new Users(folder)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(`${file} ${message}`) as string }),
  );
  expect(readFileSync(file, 'utf8')).toBe(content);
});

test('tokens remain valid across a restart, since the key is kept', () => {
  const account = { name: 'admin', role: 'admin' } as const;
  const { refresh } = new Tokens(folder).issue(account);
  expect(new Tokens(folder).refresh(refresh, () => account)).not.toBeNull();
});
