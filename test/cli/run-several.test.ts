import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { Csiflow, csiflow } from '../support/csiflow.js';

const FLAT = readFileSync(packageFile('topologies/environments/demo-flat.yaml'), 'utf8');

let folder: string;
const started: Csiflow[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-several-'));
});
afterEach(async () => {
  for (const run of started.splice(0)) await run.kill();
  rmSync(folder, { recursive: true });
});

function run(...args: readonly string[]): Csiflow {
  const made = new Csiflow(['run', '--port', '0', ...args], { cwd: folder });
  started.push(made);
  return made;
}

/** Writes a topology that measures motion in an empty simulated flat; returns its file. */
function write(id: string, source = '{ type: simulator, rate_hz: 20, people: [] }', room = id): string {
  writeFileSync(join(folder, `${room}.room.yaml`), FLAT.replace(/^id: .*$/m, `id: ${room}`));
  const lines = [
    `id: ${id}`,
    `environment: ${room}.room.yaml`,
    'sources:',
    `  air: ${source}`,
    'operators:',
    '  windows: { type: window, from: air, length_ms: 2000, hop_ms: 200, points: 100 }',
    '  motion: { type: detect-motion, from: windows }',
    'sinks:',
    `  history: { type: duckdb, from: motion, path: ${id}.duckdb }`,
  ];
  writeFileSync(join(folder, `${id}.yaml`), lines.join('\n'));
  return join(folder, `${id}.yaml`);
}

test('several topologies run in one process: the first is the main one; all are listed and stopped together', async () => {
  const both = run(write('ward'), write('hall'));
  const [, password] = await both.printed(/admin \/ (\S+)/);
  const [, at] = await both.printed(/live page +(http:\/\/[\d.:]+)/);
  expect(both.output).toContain('csiflow runs ward, hall');
  const login = await fetch(`${at}/form-a/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  const { access_token } = (await login.json()) as { access_token: string };
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${at}/form-b/api/v1${path}`, { ...init, headers });
    return { status: response.status, ...((await response.json()) as { data: { hash?: string } }) };
  };
  await expect
    .poll(() => ask('/topologies'), { timeout: 20_000, interval: 200 })
    .toMatchObject({
      data: [
        { id: 'ward', status: 'running', main: true },
        { id: 'hall', status: 'running', main: false },
      ],
    });
  // Paths in its new text are relative to its own folder, and it is changed like the main one.
  const changed = readFileSync(join(folder, 'hall.yaml'), 'utf8').replace('rate_hz: 20', 'rate_hz: 25');
  const body = (more: object) => ({ method: 'POST', body: JSON.stringify({ topology: changed, ...more }) });
  expect(await ask('/topologies/hall', { ...body({}), method: 'PUT' })).toMatchObject({ status: 409 });
  const plan = await ask('/topologies/hall/plan', body({}));
  expect(await ask('/topologies/hall/apply', body({ hash: plan.data.hash }))).toMatchObject({ status: 200 });
  expect(await both.interrupt()).toBe(0);
}, 60_000);

test('with --until-end it ends when the input of all of them has ended', async () => {
  const short = '{ type: simulator, rate_hz: 20, people: [], duration_s: 3, speed: 0 }';
  const both = run('--until-end', '--no-api', write('ward', short), write('hall', short));
  expect(await both.ended()).toBe(0);
}, 60_000);

test('a promise made through the service interface that a file cannot keep is invalid input', async () => {
  const [ward, hall] = [write('ward'), write('hall')];
  writeFileSync(
    join(folder, 'hall.room.yaml'),
    FLAT.replace(/^id: .*$/m, 'id: hall').replace(/{ id: [^,]+/, "{ id: '7'"),
  );
  mkdirSync(join(folder, 'data', 'ward.state'), { recursive: true });
  const kept = { version: 1, revision: 1, values: { 'privacy.anonymize_data': true }, history: [] };
  writeFileSync(join(folder, 'data', 'ward.state', 'configuration.json'), JSON.stringify(kept));
  for (const api of [[], ['--no-api']]) {
    const { code, output } = await csiflow('run', '--port', '0', ...api, ward, hall);
    expect(code, output).toBe(2);
    expect(output).toContain('the topology hall cannot meet it: `7` of environment hall');
  }
}, 60_000);

test('shared resources are rejected before anything starts, at their line', async () => {
  const udp = '{ type: udp, port: 5005 }';
  const files = [write('ward', udp), write('hall', udp), write('cellar', '{ type: udp, port: 0 }', 'hall')];
  const { code, output } = await csiflow('run', '--port', '0', ...files);
  expect(code).toBe(2);
  expect(output).toContain('hall.yaml:4:27 error config.claim.taken UDP port 5005 is already used by `air`');
  expect(output).toContain('cellar.yaml:2:14 error config.together.environment');
  expect(output).not.toContain('csiflow runs');
  const checked = await csiflow('validate', '--together', '--json', ...files);
  expect(checked.code).toBe(2);
  expect(JSON.parse(checked.output)).toMatchObject({
    valid: false,
    problems: [
      { file: files[2], line: 2, code: 'config.together.environment' },
      { file: files[1], line: 4, code: 'config.claim.taken' },
    ],
  });
}, 60_000);
