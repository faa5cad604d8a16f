import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { openService, type TestService } from '../api/support.js';
import { csiflowWith } from '../support/csiflow.js';

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await openService();
  folder = mkdtempSync(join(tmpdir(), 'csiflow-audit-'));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

function run(...args: readonly string[]) {
  const env = { CSIFLOW_TOKEN: service.token('admin'), CSIFLOW_NEW_PASSWORD: 'canary-of-a-password' };
  return csiflowWith(env, ...args);
}

test('csiflow audit shows who did what, and what was refused', async () => {
  await service.post('/form-b/api/v1/system/start', {}, service.token('operator'));
  const { code, output } = await run('audit', '--url', service.server.address, '--account', 'operator');
  expect(output).toMatch(/^\S+Z {2}operator {2}127\.0\.0\.1 {2}POST \/system\/start: RESOURCE_CONFLICT$/m);
  expect(code).toBe(0);
}, 60_000);

test('changes by a command in the state folder are in the audit log too, without the password', async () => {
  const file = join(folder, 'room.yaml');
  writeFileSync(
    file,
    `id: room
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
sources: { flat: { type: simulator } }
operators: { windows: { type: window, from: flat }, motion: { type: detect-motion, from: windows } }
sinks: { out: { type: console, from: motion } }
`,
  );
  expect((await run('user', 'add', 'ada', '--role', 'admin', '--topology', file)).code).toBe(0);
  expect((await run('key', 'create', 'grafana', '--topology', file)).code).toBe(0);
  const text = readFileSync(join(folder, 'data', 'room.state', 'audit.jsonl'), 'utf8');
  expect(text).not.toContain('canary-of-a-password');
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toMatchObject([
    { address: 'command line', action: 'csiflow user add', details: { user: 'ada', role: 'admin' } },
    { address: 'command line', action: 'csiflow key create', details: { key_name: 'grafana' } },
  ]);
}, 60_000);

test('csiflow health --ready ends with 0 only if the topology runs', async () => {
  const url = ['--url', service.server.address];
  expect(await run('health', '--ready', ...url)).toMatchObject({ code: 0, output: 'ready\n' });
  service.main.state = 'failed';
  expect(await run('health', '--ready', ...url)).toMatchObject({
    code: 1,
    output: 'the topology test is failed\n',
  });
}, 60_000);
