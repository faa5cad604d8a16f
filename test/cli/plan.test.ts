import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { components } from '../../api/components.js';
import { DEFAULT_LIMITS } from '../../api/service/limits/limits.js';
import { EXIT } from '../../pipeline/base/exit.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { parseTopology } from '../../pipeline/config/index.js';
import { openService, type TestService } from '../api/support.js';
import { csiflow } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-plan-'));
let service: TestService;
let remote: readonly string[];

beforeAll(async () => {
  service = await openService(DEFAULT_LIMITS, {
    parse: (text, id) =>
      parseTopology({ text, shown: `${id}.yaml`, file: null, folder }, components, { env: {} }),
  });
  remote = ['--url', service.server.address];
  vi.stubEnv('CSIFLOW_TOKEN', service.token('admin'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Path of a topology with that content. */
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const WRONG = `id: test
environment: nowhere.yaml
sources:
  radio: { type: udp, port: 70000 }
operators:
  windows: { type: window, from: radioo }
`;

const RIGHT = `id: test
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
sources:
  radio: { type: udp, port: 0 }
operators:
  windows: { type: window, from: radio }
  motion: { type: detect-motion, from: windows }
sinks:
  shown: { type: console, from: motion }
`;

test.each([
  ['with several mistakes', WRONG],
  ['that is not YAML', 'id: [test\n'],
  ['without an id', WRONG.replace('id: test\n', '')],
])('plan and apply report a topology %s like validate', async (what, text) => {
  const path = file(`${what}.yaml`, text);
  const { code, out } = await csiflow('validate', path);
  const reports = out.replace(/^.* valid: /m, 'csiflow: ');
  expect(await csiflow('plan', path, ...remote)).toMatchObject({ code, err: reports, out: '' });
  expect(await csiflow('apply', path, '--hash', 'one', ...remote)).toMatchObject({
    code,
    err: reports,
    out: '',
  });
});

test('plan and apply also print the reason of a refusal that is not found here', async () => {
  file('room.yaml', 'id: room\nsize: 5\n');
  mkdirSync(join(folder, 'elsewhere'));
  const path = file('elsewhere/ward.yaml', RIGHT.replace(/environment: .*/, 'environment: room.yaml'));
  const { code, out } = await csiflow('validate', path);
  const reports = out.replace(/^.* valid: /m, 'csiflow: ').trimEnd();
  for (const command of [['plan'], ['apply', '--hash', 'one']]) {
    const { code: ended, err } = await csiflow(...command, path, ...remote);
    expect(ended).toBe(code);
    expect(err.startsWith(`${reports}; ${service.server.address} answered: `)).toBe(true);
    expect(err).toMatch(
      / answered: The topology has 2 errors; the first: the environment needs the field `links`/,
    );
  }
});

test('a plugin that cannot be loaded here does not hide why a file was refused', async () => {
  const path = file('wrong.yaml', WRONG);
  const { code, err } = await csiflow('plan', path, '--plugin', join(folder, 'none.mjs'), ...remote);
  expect(code).toBe(EXIT.invalid);
  expect(err).toMatch(/none\.mjs.* answered: The topology has \d errors; the first: /s);
});

test('plan prints the command that applies it, for the same csiflow and account', async () => {
  const path = file("the nurse's ward.yaml", RIGHT);
  const { out } = await csiflow('plan', path, ...remote, '--user', 'nurse');
  expect(out.trimEnd().split('\n').at(-1)).toMatch(
    /^csiflow apply '\S+the nurse'\\''s ward\.yaml' --hash \S+ --url http:\/\/127\.0\.0\.1:\d+ --user nurse$/,
  );
});
