import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { changedParts } from '../../api/service/deployment/environment-changes.js';
import type { UnsavedFile } from '../../pipeline/config/index.js';
import { parseTopology } from '../../pipeline/config/index.js';
import { testEnvironment } from '../support/context.js';
import { openService, UNLIMITED, type TestService } from './support.js';

const B = '/form-b/api/v1';

let folder: string;
let file: string;
let service: TestService;
/** A check of a text waits for it. */
let checking: Promise<void> | null = null;
let checks = 0;
async function parse(text: string, id: string, unsaved?: UnsavedFile) {
  if (checking) checks++;
  await checking;
  return parseTopology({ text, shown: `${id}.yaml`, file: null, folder, unsaved }, components, { env: {} });
}

const ROOM = `# Measured by Ada.
id: ward
size: { x: 5, y: 4, z: 2.5 } # inner size
links:
  - { id: south, transmitter: [0.1, 0.1, 1], receiver: [4.9, 0.1, 1.5], sender: node-1 }
zones:
  # The bed is screwed to the floor.
  - { id: bed, kind: bed, polygon: [[0.5, 1], [2.5, 1], [2.5, 2.4], [0.5, 2.4]] }
`;
const TOPOLOGY = `id: ward-3
environment: room.yaml
sources:
  flat: { type: simulator, rate_hz: 20, seed: 7 }
operators:
  windows: { type: window, from: flat, length_ms: 2000, hop_ms: 200, points: 100 }
  motion: { type: detect-motion, from: windows }
sinks:
  history: { type: duckdb, from: motion, path: ward-3.duckdb }
`;

beforeEach(async () => {
  checking = null;
  checks = 0;
  folder = mkdtempSync(join(tmpdir(), 'csiflow-environments-'));
  file = join(folder, 'room.yaml');
  writeFileSync(file, ROOM);
  service = await openService(UNLIMITED, { parse });
  await call('PUT', '/topologies/ward-3', { topology: TOPOLOGY }, 'admin');
});
afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

async function call(
  method: string,
  path: string,
  body?: object,
  role: 'admin' | 'operator' | 'viewer' = 'operator',
) {
  const response = await fetch(service.server.address + B + path, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${service.token(role)}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...((await response.json()) as object) } as {
    readonly status: number;
    readonly data: { readonly text: string; readonly hash: string; readonly environment: object[] };
    readonly error: { readonly message: string; readonly details: { readonly field: string } };
  };
}

const read = () => call('GET', '/environments/ward/file');
const plan = async (text: string, base?: string) =>
  call('POST', '/environments/ward/plan', { text, file_hash: base ?? (await read()).data.hash });
const apply = async (text: string, hash: string, base?: string) =>
  call('POST', '/environments/ward/apply', { text, hash, file_hash: base ?? (await read()).data.hash });
const WIDER = ROOM.replace('x: 5', 'x: 6');
const scene = async () => (await service.get('/scene.json')).json();

test('the file of an environment is read with its comments, by operators only', async () => {
  expect(await read()).toMatchObject({
    status: 200,
    data: { environment_id: 'ward', topology: 'ward-3', file: 'room.yaml', text: ROOM },
  });
  expect((await call('GET', '/environments/ward/file', undefined, 'viewer')).status).toBe(403);
  expect((await call('GET', '/environments/attic/file')).status).toBe(404);
});

test('an environment that a program made has no file to edit', async () => {
  const answer = await call('GET', '/environments/test-room/file');
  expect([answer.status, answer.error.message]).toEqual([
    409,
    'test-room has no file: a program made it, so change that program',
  ]);
});

test('a plan names the changed parts, and changes nothing', async () => {
  const text = `${WIDER}  - { id: sofa, kind: sofa, polygon: [[3, 3], [5, 3], [5, 4]] }\n`;
  expect((await plan(text)).data.environment).toEqual([
    { part: 'size', change: 'changed', fields: ['x'] },
    { part: 'zones/sofa', change: 'added', fields: [] },
  ]);
  expect(readFileSync(file, 'utf8')).toBe(ROOM);
});

test('a problem of the text is located in it', async () => {
  const answer = await plan(ROOM.replace('kind: bed', 'kind: bett'));
  expect([answer.status, answer.error.details.field]).toEqual([422, 'room.yaml:8:22']);
});

test('a text cannot take a secret into what everybody sees', async () => {
  const answer = await plan(ROOM.replace('id: ward', 'id: ward\nname: ${secret:influx}'));
  expect([answer.status, answer.error.details.field]).toEqual([422, 'room.yaml:3:7']);
  expect(answer.error.message).toContain('cannot contain a secret');
});

test('a text that could not be read again from its file is refused', async () => {
  const answer = await plan(`${ROOM}# ${'…'.repeat(400_000)}\n`);
  expect([answer.status, answer.error.message]).toEqual([422, expect.stringContaining('the limit is 1 MiB')]);
});

test('applying saves the text as it is, and the topology senses the new room', async () => {
  chmodSync(file, 0o640);
  const planned = await plan(WIDER);
  expect(await apply(WIDER, planned.data.hash)).toMatchObject({ status: 200, data: { text: WIDER } });
  expect(readFileSync(file, 'utf8')).toBe(WIDER);
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(await scene()).toMatchObject({ environments: [{}, { id: 'ward', size: { x: 6 } }] });
});

test('a file that changed since it was read is not overwritten', async () => {
  const { hash: base } = (await read()).data;
  const planned = await plan(WIDER);
  const theirs = ROOM.replace('y: 4', 'y: 7');
  writeFileSync(file, theirs);
  for (const answer of [await plan(WIDER, base), await apply(WIDER, planned.data.hash, base)])
    expect([answer.status, answer.error.message]).toEqual([
      409,
      'room.yaml was changed since you read it: read it again, and make your changes in the new version',
    ]);
  expect(readFileSync(file, 'utf8')).toBe(theirs);
});

test('a stale plan is refused', async () => {
  const planned = await plan(WIDER);
  const answer = await apply(ROOM.replace('x: 5', 'x: 8'), planned.data.hash);
  expect([answer.status, answer.error.message]).toEqual([409, expect.stringContaining('is stale')]);
  expect(readFileSync(file, 'utf8')).toBe(ROOM);
});

test('a plan belongs to one text, comments included', async () => {
  const planned = await plan(WIDER);
  const answer = await apply(WIDER.replace('Ada', 'Grace'), planned.data.hash);
  expect([answer.status, answer.error.message]).toEqual([409, expect.stringContaining('is stale')]);
  expect(readFileSync(file, 'utf8')).toBe(ROOM);
});

test('two rooms of one topology are not changed at the same time', async () => {
  const hall = join(folder, 'hall.yaml');
  writeFileSync(hall, ROOM.replace('ward', 'hall').replace('node-1', 'node-2').replaceAll('south', 'east'));
  const both = TOPOLOGY.replace('environment: room.yaml', 'environments: [room.yaml, hall.yaml]').replace(
    /flat: .*/,
    'flat: { type: udp, port: 5998 }',
  );
  expect(await call('PUT', '/topologies/ward-3', { topology: both }, 'admin')).toMatchObject({ status: 200 });
  const planned = await plan(WIDER);
  const base = (await read()).data.hash;
  const { hash } = (await call('GET', '/environments/hall/file')).data;
  let go = (): void => undefined;
  checking = new Promise((resolve) => (go = resolve));
  const first = apply(WIDER, planned.data.hash, base);
  await expect.poll(() => checks).toBe(1);
  const second = await call('POST', '/environments/hall/apply', {
    text: WIDER,
    file_hash: hash,
    hash: 'any',
  });
  go();
  expect([second.status, second.error.message]).toEqual([
    409,
    'ward-3 is being changed by somebody else: look at it again in a moment',
  ]);
  expect((await first).status).toBe(200);
});

test.runIf(process.getuid?.() === 0)('a saved file stays its owner’s', async () => {
  chownSync(file, 1234, 1235);
  const planned = await plan(WIDER);
  expect((await apply(WIDER, planned.data.hash)).status).toBe(200);
  const { uid, gid } = statSync(file);
  expect([uid, gid]).toEqual([1234, 1235]);
});

test('the id stays, because stored results belong to it', async () => {
  const answer = await plan(ROOM.replace('id: ward', 'id: hall'));
  expect([answer.status, answer.error.details.field]).toEqual([422, 'room.yaml:id']);
});

test('a file that is gone is named, without the folders of the host', async () => {
  const planned = await plan(WIDER);
  rmSync(file);
  const answer = await apply(WIDER, planned.data.hash, 'any');
  expect([answer.status, answer.error.message]).toEqual([409, 'room.yaml cannot be read: ENOENT']);
});

test('a text of comments alone is saved without a restart', async () => {
  const session = async (action: string) =>
    (await call('POST', `/topologies/ward-3/${action}`, {})) as unknown as { data: { session_id: string } };
  const started = await session('start');
  const text = ROOM.replace('Ada', 'Grace');
  const planned = await plan(text);
  expect(planned.data.environment).toEqual([]);
  expect((await apply(text, planned.data.hash)).status).toBe(200);
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect((await session('stop')).data.session_id).toBe(started.data.session_id);
});

test('the coverage of a text that is not saved is simulated', async () => {
  const { status, data } = await call('POST', '/environments/ward/coverage', { text: WIDER });
  const simulated = data as unknown as Readonly<Record<'links' | 'error_m', number[]>> & {
    readonly columns: number;
    readonly rows: number;
  };
  expect([status, simulated.columns, simulated.rows]).toEqual([200, 15, 10]);
  expect([simulated.links.length, simulated.error_m.length]).toEqual([150, 150]);
  const broken = await call('POST', '/environments/ward/coverage', { text: ROOM.replace('x: 5', 'x: -5') });
  expect([broken.status, broken.error.details.field]).toEqual([422, 'room.yaml:3:12']);
}, 60_000);

test('the parts of walls and of fields beside them are compared one by one', () => {
  const wall = { from: [1, 0], to: [1, 2] };
  const after = { ...testEnvironment, walls: [wall], crowd_persons: 3 };
  expect(changedParts(testEnvironment, after)).toEqual([
    { part: 'crowd_persons', change: 'added', fields: [] },
    { part: 'walls/0', change: 'added', fields: [] },
  ]);
  expect(changedParts(after, { ...after, walls: [{ ...wall, to: [1, 3] }] })).toEqual([
    { part: 'walls/0', change: 'changed', fields: ['to'] },
  ]);
});
