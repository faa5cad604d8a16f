import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { Topologies } from '../../api/service/deployment/topologies.js';
import { parseTopology } from '../../pipeline/config/index.js';
import { createRunner } from '../../pipeline/runtime/runner.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { DEFAULT_LIMITS } from '../../api/service/limits/limits.js';
import { testContext } from '../support/context.js';
import { FakeTopology } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

const BASE = '/form-b/api/v1/topologies';

let folder: string;
let service: TestService;
const parse = (text: string, id: string) =>
  parseTopology({ text, shown: `${id}.yaml`, file: null, folder }, components, { env: {} });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-topologies-'));
  service = await openService(DEFAULT_LIMITS, { parse });
});
afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const FLAT = readFileSync(packageFile('topologies/environments/demo-flat.yaml'), 'utf8');

/** Path of the file of a flat with that id. */
function flat(id: string): string {
  const file = join(folder, `${id}.environment.yaml`);
  writeFileSync(file, FLAT.replace(/^id: .*$/m, `id: ${id}`));
  return file;
}

const text = (id: string, more = '') => `id: ${id}
environment: ${flat(`flat-${id}`)}
sources:
  flat: { type: simulator, rate_hz: 20, seed: 7 }
operators:
  windows: { type: window, from: flat, length_ms: 2000, hop_ms: 200, points: 100 }
  motion: { type: detect-motion, from: windows }
sinks:
  history: { type: duckdb, from: motion, path: ${id}.duckdb }
${more}`;

const call = async (method: string, path: string, body?: object) => {
  const response = await fetch(service.server.address + BASE + path, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${service.token('admin')}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>);
  return { status: response.status, ...answer } as {
    status: number;
    data: Record<string, unknown> & { changes: object[] };
    error: { message: string; details: object };
  };
};
const put = (id: string, yaml = text(id)) => call('PUT', `/${id}`, { topology: yaml });
const stateOf = async (id: string) => (await call('GET', `/${id}`)).data['status'];

test('a second topology can be added, started, inspected, stopped and removed', async () => {
  expect(await put('ward-3')).toMatchObject({ status: 200, data: { id: 'ward-3', status: 'stopped' } });
  expect(await call('GET', '')).toMatchObject({
    data: [
      { id: 'test', main: true },
      { id: 'ward-3', main: false, status: 'stopped' },
    ],
    pagination: { total: 2 },
  });
  expect((await call('GET', '/ward-3/graph')).data).toMatchObject({
    nodes: [{ id: 'flat', type: 'simulator', kind: 'source' }, {}, {}, { id: 'history', kind: 'sink' }],
    edges: [{ from: 'flat', to: 'windows', ports: ['csi'] }, {}, {}],
  });
  const started = await call('POST', '/ward-3/start');
  expect(started).toMatchObject({ status: 202, data: { id: 'ward-3', status: 'starting' } });
  await expect.poll(() => stateOf('ward-3')).toBe('running');
  expect(await call('POST', '/ward-3/start')).toMatchObject({
    status: 409,
    error: { details: { current_status: 'running' } },
  });
  expect((await put('ward-3')).status).toBe(409);
  expect((await call('DELETE', '/ward-3')).status).toBe(409);
  expect((await call('GET', '/ward-3/dead-letters')).status).toBe(200);
  expect((await call('POST', '/ward-3/stop', { save_state: true })).status).toBe(202);
  await expect.poll(() => stateOf('ward-3')).toBe('stopped');
  expect((await call('POST', '/ward-3/stop')).status).toBe(409);
  expect((await call('DELETE', '/ward-3')).status).toBe(204);
  expect((await call('GET', '/ward-3')).status).toBe(404);
}, 60_000);

test('a plan of it shows the changes, and apply continues with the new text', async () => {
  await put('ward-3');
  const next = text('ward-3').replace('rate_hz: 20', 'rate_hz: 30');
  const { data } = await call('POST', '/ward-3/plan', { topology: next });
  expect(data.changes).toContainEqual({
    node: 'flat',
    change: 'changed',
    state: expect.any(String) as string,
    fields: ['rate_hz'],
  });
  expect((await call('POST', '/ward-3/apply', { topology: next, hash: data['hash'] })).status).toBe(200);
  const again = await call('POST', '/ward-3/plan', { topology: next });
  expect(again.data.changes.every((change) => 'change' in change && change.change === 'unchanged')).toBe(
    true,
  );
});

test('a plan rejects what apply would reject', async () => {
  await put('ward-3');
  await put('ward-4');
  const taken = await call('POST', '/ward-4/plan', {
    topology: text('ward-4').replace('flat-ward-4', 'flat-ward-3'),
  });
  expect(taken).toMatchObject({
    status: 409,
    error: { message: expect.stringContaining('is already sensed by') as string },
  });
  expect((await call('POST', '/ward-4/plan', { topology: text('ward-5') })).status).toBe(409);
});

test('rejects privacy of the main one that another cannot keep, before anything is applied', async () => {
  const yaml = text('ward-3');
  const room = join(folder, 'flat-ward-3.environment.yaml');
  writeFileSync(room, readFileSync(room, 'utf8').replace(/{ id: [^,]+/, "{ id: '7'"));
  await put('ward-3', yaml);
  const before = service.main.topology;
  const topology = text('test', 'settings: { privacy: { anonymize_data: true } }');
  for (const [step, more] of [
    ['plan', {}],
    ['apply', { hash: 'hash-1' }],
  ] as const)
    expect(await call('POST', `/test/${step}`, { topology, ...more })).toMatchObject({
      status: 422,
      error: { message: expect.stringContaining('the topology ward-3 cannot meet it: `7`') as string },
    });
  expect(service.main.topology).toBe(before);
});

test.each([
  ['the main one', 'test', () => text('test'), 409],
  ['a text of another id', 'ward-4', () => text('ward-3'), 409],
  ['a broken text', 'ward-3', () => text('ward-3').replace('rate_hz', 'rate_mhz'), 422],
])('rejects %s', async (_what, id, yaml, status) => {
  expect((await put(id, yaml())).status).toBe(status);
});

test.each([
  [
    'DuckDB file',
    (yaml: string) => yaml.replace('ward-4.duckdb', 'ward-3.duckdb'),
    'ward-3.duckdb is already used by',
  ],
  [
    'environment',
    (yaml: string) => yaml.replace('flat-ward-4', 'flat-ward-3'),
    'flat-ward-3` is already sensed by',
  ],
  [
    'state folder',
    (yaml: string) => `${yaml}settings: { state_folder: data/ward-3.state }`,
    'stores its state in',
  ],
])(
  'of two topologies that name one %s the second one is rejected with the reason',
  async (_what, change, why) => {
    await put('ward-3');
    const refused = await put('ward-4', change(text('ward-4')));
    expect(refused.status).toBe(409);
    expect(refused.error.message).toContain(why);
  },
);

const kept = () => ({
  main: new FakeTopology(),
  given: [],
  parse,
  stateFolder: folder,
  log: testContext().context.log,
  run: (topology: Parameters<typeof createRunner>[0]) =>
    createRunner(topology, { log: createLogger({ level: 'error' }) }),
  forget: () => undefined,
});

async function open(options: ConstructorParameters<typeof Topologies>[0]): Promise<Topologies> {
  const topologies = new Topologies(options);
  await topologies.load();
  return topologies;
}

test('nothing is kept of the main topology, whatever its id', async () => {
  (await open(kept())).want('constructor', 'running');
  expect(existsSync(join(folder, 'topologies.json'))).toBe(false);
});

test('one added here is replaced by one with its id given to csiflow run', async () => {
  const options = kept();
  const first = await open(options);
  await first.put('ward-3', text('ward-3'));
  await first.put('ward-4', text('ward-4'));
  const given = options.run(parse(text('ward-3'), 'ward-3').topology!);
  const second = await open({ ...options, given: [given] });
  expect(second.find('ward-3')).toBe(given);
  expect(second.list().map(({ topology }) => topology.id)).toEqual(['test', 'ward-3', 'ward-4']);
  await expect(second.put('ward-3', text('ward-3'))).rejects.toThrow('was given to csiflow run');
  // Without it, the uploaded one is there again.
  expect((await open(options)).find('ward-3')).toBeDefined();
});

test('running ones start again with csiflow; stopped ones do not', async () => {
  const options = kept();
  const first = await open(options);
  for (const id of ['ward-3', 'ward-4']) {
    await first.put(id, text(id));
    first.want(id, 'running');
  }
  await first.resume();
  first.want('ward-4', 'stopped');
  await first.find('ward-4')!.stop();
  await first.close();
  const second = await open(options);
  await second.resume();
  expect(second.find('ward-3')!.status().state).toBe('running');
  expect(second.find('ward-4')!.status().state).toBe('stopped');
  await second.close();
}, 60_000);
