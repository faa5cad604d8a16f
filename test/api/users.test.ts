import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Tokens } from '../../api/auth/tokens.js';
import { Users } from '../../api/auth/users.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-users-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('the first start makes an admin whose password works and is kept nowhere; the next start makes none', async () => {
  const password = await new Users(folder).makeFirstAdmin();
  const again = new Users(folder);
  expect(await again.makeFirstAdmin()).toBeNull();
  expect(await again.check('admin', password!)).toEqual({ name: 'admin', role: 'admin' });
  expect(readFileSync(join(folder, 'users.json'), 'utf8')).not.toContain(password);
  expect(statSync(join(folder, 'users.json')).mode & 0o077).toBe(0);
});

test('a broken file of users is refused by name, and not written over', () => {
  writeFileSync(join(folder, 'users.json'), '{"version":2}');
  expect(() => new Users(folder)).toThrow(`${join(folder, 'users.json')} is no list of users of version 1`);
});

test('tokens of one start are good in the next, since the key is kept', () => {
  const { access } = new Tokens(folder).issue({ name: 'admin', role: 'admin' });
  expect(new Tokens(folder).check(access)).toMatchObject({ name: 'admin' });
});
