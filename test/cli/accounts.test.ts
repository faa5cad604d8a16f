import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiKeys } from '../../api/service/accounts/api-keys.js';
import { Users } from '../../api/service/accounts/users.js';
import { csiflow } from '../support/csiflow.js';

let folder: string;
let topology: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'csiflow-accounts-'));
  topology = join(folder, 'room.yaml');
  await writeFile(
    join(folder, 'environment.yaml'),
    'id: r\nsize: { x: 5, y: 4, z: 3 }\nlinks: [{ id: l, transmitter: [0, 0, 1], receiver: [4, 4, 1], sender: node-1 }]\n',
  );
  await writeFile(
    topology,
    [
      'id: room',
      'environment: environment.yaml',
      'sources: { routers: { type: udp } }',
      'operators: { windows: { type: window, from: routers }, motion: { type: detect-motion, from: windows } }',
      'sinks: { out: { type: console, from: motion } }',
      '',
    ].join('\n'),
  );
});
afterAll(() => rm(folder, { recursive: true }));

const state = (): string => join(folder, 'data', 'room.state');

test('the first user must be an admin', async () => {
  const refused = await csiflow('user', 'add', 'ada', '--topology', topology);
  expect(refused.code).toBe(1);
  expect(refused.output).toContain('the first user must be an admin: csiflow user add NAME --role admin');
});

test('a user is added, given another role, and removed', async () => {
  const added = await csiflow('user', 'add', 'ada', '--role', 'admin', '--topology', topology, '--json');
  expect(added.code, added.output).toBe(0);
  const { password } = JSON.parse(added.output) as { password: string };
  expect(await new Users(state()).check('ada', password)).toEqual({ name: 'ada', role: 'admin' });
  expect((await csiflow('user', 'role', 'ada', 'viewer', '--topology', topology)).output).toContain(
    'ada is the only admin',
  );
  expect((await csiflow('user', 'list', '--topology', topology)).output).toBe('ada  admin\n');
});

test('a key is created, listed without its secret, and revoked', async () => {
  const made = await csiflow('key', 'create', 'grafana', '--topology', topology, '--json');
  const { id, key } = JSON.parse(made.output) as { id: string; key: string };
  expect(new ApiKeys(state()).check(key, Date.now())?.account).toEqual({
    name: 'key:grafana',
    role: 'viewer',
  });
  const listed = await csiflow('key', 'list', '--topology', topology);
  expect(listed.output).toContain(id);
  expect(listed.output).not.toContain(key);
  expect((await csiflow('key', 'revoke', id, '--topology', topology)).code).toBe(0);
  expect(new ApiKeys(state()).list()).toEqual([]);
});

test.each([
  [['user', 'add', 'a b'], 'invalid name'],
  [['user', 'add', 'bob', '--role', 'king'], 'choose one of viewer, operator, admin'],
  [['user', 'remove', 'nobody'], 'there is no user nobody'],
  [['key', 'create', 'x', '--expires', 'yesterday'], 'must be a time in the future'],
  [['key', 'list', '--plugin', 'nowhere.js'], '--plugin nowhere.js cannot be loaded'],
])('%j reports what is wrong', async (words, message) => {
  const { code, output } = await csiflow(...words, '--topology', topology);
  expect(code).toBe(2);
  expect(output).toContain(message);
});
