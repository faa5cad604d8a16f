import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { csiflow } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-cli-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

file(
  'room.yaml',
  'id: r\nsize: { x: 5, y: 4, z: 3 }\nlinks: [{ id: l, transmitter: [0, 0, 1], receiver: [4, 4, 1], sender: node-1 }]\n',
);
const line = (denoise: string): string => `id: t
environment: room.yaml
sources:
  routers: { type: udp }
operators:
  clean: { type: ${denoise}, from: routers }
  windows: { type: window, from: clean }
  poses: { type: infer-pose, from: windows }
sinks:
  history: { type: duckdb, from: poses, path: a.duckdb }
`;

test('a separate process ends with the code, and prints findings apart from usage errors', () => {
  const run = (...words: readonly string[]) =>
    spawnSync(process.execPath, ['dist/api/cli/csiflow.js', ...words], { encoding: 'utf8' });
  const found = run('validate', file('bad.yaml', line('denose')));
  expect([found.status, found.stderr]).toEqual([2, '']);
  expect(found.stdout).toContain('did you mean `denoise`?');
  const wrong = run('validat');
  expect([wrong.status, wrong.stdout]).toEqual([2, '']);
  expect(wrong.stderr).toContain('Did you mean `validate`?');
});

test('validate prints problems like a compiler and ends with 2', async () => {
  const { code, out } = await csiflow('validate', file('bad.yaml', line('denose')));
  expect(code).toBe(2);
  expect(out).toContain('bad.yaml:6:18 error config.component.unknown there is no operator `denose`');
  expect(out).toContain('6 |   clean: { type: denose, from: routers }\n    |                  ^^^^^^');
  expect(out).toContain('did you mean `denoise`?');
});

test('validate --format json gives the same as data', async () => {
  const { code, out } = await csiflow('validate', '--format', 'json', file('bad.yaml', line('denose')));
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({
    valid: false,
    problems: [{ line: 6, column: 18, suggestion: 'denoise' }],
  });
});

test('graph draws nodes and edges in both languages', async () => {
  const good = file('good.yaml', line('denoise'));
  const [mermaid, dot] = await Promise.all([
    csiflow('graph', good),
    csiflow('graph', good, '--format', 'dot'),
  ]);
  expect(mermaid.out).toContain('n0([\"routers<br/>udp\"])');
  expect(mermaid.out).toContain('n0 -->|csi| n1');
  expect(dot.out).toContain('"routers" -> "clean" [label="csi"];');
});

test('create prints a topology and its environment, which validate unchanged', async () => {
  const environment = await csiflow('create', '--environment');
  const created = await csiflow('create', 'udp', 'denoise', 'window', 'infer-pose', 'duckdb');
  expect([environment.code, created.code]).toEqual([0, 0]);
  mkdirSync(join(folder, 'created'));
  file('created/room.yaml', environment.out);
  expect(await csiflow('validate', file('created/topology.yaml', created.out))).toMatchObject({ code: 0 });
});

test('create rejects components beside --environment', async () => {
  expect(await csiflow('create', 'udp', '--environment')).toMatchObject({ code: 2 });
});

test('create rejects a line that does not fit', async () => {
  const { code, err } = await csiflow('create', 'udp', 'infer-pose', 'duckdb');
  expect(code).toBe(2);
  expect(err).toContain('`infer-pose` reads window, but the components before it output csi');
});

test('an unknown command or option ends with 2 and the nearest correct word', async () => {
  const [command, option] = await Promise.all([csiflow('valdate', 'x'), csiflow('list', '--knd')]);
  expect(command).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean `validate`?') as string,
  });
  expect(option).toMatchObject({ code: 2, err: expect.stringContaining('--kind') as string });
});

test('create lets an operator that compares nodes read the last ones before it, or names how many are missing', async () => {
  const two = ['infer-pose', 'infer-pose', 'compare-poses', 'duckdb'];
  const { code, out } = await csiflow('create', 'udp', 'window', ...two);
  expect(code).toBe(0);
  expect(out).toContain('from: [infer-pose, infer-pose-2]');
  const one = await csiflow('create', 'udp', 'window', ...two.slice(1));
  expect(one.code).not.toBe(0);
  expect(one.err).toContain('`compare-poses` reads pose of 2 nodes: name 1 more before it');
});

test('create requires a sink: without one the topology would not validate', async () => {
  const { code, err } = await csiflow('create', 'udp', 'denoise');
  expect(code).toBe(2);
  expect(err).toContain('name a sink last');
});

test('--version prints the version', async () => {
  const { code, out } = await csiflow('--version');
  expect(code).toBe(0);
  expect(out).toMatch(/^\d+\.\d+\.\d+$/m);
});

test('a plugin that cannot be loaded is invalid input, named without a stack trace', async () => {
  const { code, err } = await csiflow('run', file('good.yaml', line('denoise')), '--plugin', 'nowhere.js');
  expect(code).toBe(2);
  expect(err).toContain('--plugin nowhere.js cannot be loaded');
  const plugin = file('apart.mjs', "import 'csiflow';");
  const apart = await csiflow('run', file('good.yaml', line('denoise')), '--plugin', plugin);
  expect(apart.err).toMatch(/Cannot find package 'csiflow' .*; run in its folder: npm install \S+ typebox/);
  expect(err).not.toContain('    at ');
});

test.each([
  ['a mistake of syntax', 'const a = 1;\nconst b = = 2;', 'Unexpected token', '2:11'],
  ['an error', 'const a = 1;\n  nowhere.x;', 'nowhere is not defined', '2:3'],
  ['an export that is not there', "import { nowhere } from 'node:fs';", "export named 'nowhere'", '1'],
])('a plugin that cannot be loaded for %s says in which line', async (what, code, reason, place) => {
  const name = `${what.replaceAll(' ', '-')}.mjs`;
  const plugin = file(name, code);
  const { err } = await csiflow('list', '--plugin', plugin);
  expect(err).toMatch(new RegExp(`cannot be loaded: .*${reason}.* \\(.*${name}:${place}\\)\\n$`));
});

test.each([
  ["{ type: 'numbr' }", '`limit` is not valid: data/type must be equal to one of the allowed values'],
  ["{ type: 'number', minimum: '3' }", '`limit` is not valid: data/minimum must be number'],
  ["{ type: 'number', minimun: 3 }", '`limit` is not valid: strict mode: unknown keyword: "minimun"'],
  [
    "{ type: 'string', pattern: '(' }",
    '`limit` is not valid: Invalid regular expression: /(/u: Unterminated group',
  ],
  ['3', '`limit` is not valid: it must be a schema (got 3)'],
])('a plugin whose field has the schema %s is invalid input', async (schema, reason) => {
  // Modules are loaded once.
  const name = `odd-${schema.replaceAll(/\W/g, '')}.mjs`;
  const plugin = file(
    name,
    `export default { kind: 'operator', name: 'own-step', summary: 'Own.', inputs: ['csi'], outputs: ['csi'], examples: [],
      config: { type: 'object', properties: { limit: ${schema} }, additionalProperties: false },
      create: () => ({ process: () => ({ data: [] }) }) };`,
  );
  const { code, err } = await csiflow('list', '--plugin', plugin);
  expect(code).toBe(2);
  expect(err).toContain(`${name}: operator \`own-step\`: the schema of its field ${reason}`);
});

test('a plugin without a configuration says what it needs', async () => {
  const plugin = file('bare.mjs', "export default { kind: 'sink', name: 'own-sink', create: () => ({}) };");
  const { code, err } = await csiflow('list', '--plugin', plugin);
  expect(code).toBe(2);
  expect(err).toContain('bare.mjs: sink `own-sink`: its `config` must be Type.Object({...})');
});

test('a component of a plugin is described, listed, completed, and has no page that does not exist', async () => {
  const plugin = file(
    'own.mjs',
    `export default { kind: 'operator', name: 'own-step', summary: 'Own.', inputs: ['csi'], outputs: ['csi'], examples: [],
      config: { type: 'object', properties: { limit: { type: 'number', description: 'A limit.' }, half: { type: 'number', default: 0.5 } }, required: ['limit'], additionalProperties: false },
      create: () => ({ process: () => ({ data: [] }) }) };`,
  );
  const [page, list, schema, made, wrong, unknown] = await Promise.all([
    csiflow('describe', 'own-step', '--plugin', plugin),
    csiflow('list', '--json', '--plugin', plugin),
    csiflow('schema', '--plugin', plugin),
    csiflow('create', 'udp', 'own-step', 'console', '--plugin', plugin),
    csiflow('validate', file('own.yaml', line('own-step')), '--plugin', plugin),
    csiflow('validate', file('own.yaml', line('own-step'))),
  ]);
  expect(page.out).toContain('# own-step');
  expect((JSON.parse(list.out) as { name: string }[]).map(({ name }) => name)).toContain('own-step');
  expect(schema.out).toContain('"description": "Own."');
  expect(made.out).toContain('type: own-step');
  expect(wrong.err + wrong.out).toContain('limit');
  expect(wrong.err + wrong.out).toContain('docs/errors.md');
  expect(wrong.err + wrong.out).not.toContain('docs/components');
  expect(unknown.err + unknown.out).toMatch(/there is no operator `own-step`; .*; --plugin loads your own/);
});

test('describe prints a page, list a line for each component, schema JSON', async () => {
  const [page, list, schema, results] = await Promise.all([
    csiflow('describe', 'denoise'),
    csiflow('list', '--json'),
    csiflow('schema'),
    csiflow('schema', '--results'),
  ]);
  expect(page.out).toContain('# denoise');
  expect(page.out).toContain("- In TypeScript: `import { denoise } from 'csiflow'`");
  expect((JSON.parse(list.out) as { name: string }[]).map(({ name }) => name)).toContain('udp');
  expect(JSON.parse(schema.out)).toHaveProperty('properties.sources');
  expect(JSON.parse(results.out)).toEqual(
    JSON.parse(readFileSync(packageFile('docs/schemas/kafka-results.json'), 'utf8')),
  );
});

test('a topology is named as YAML, and an address is explained without its expression', async () => {
  const topology = file('own.yaml', 'id: t\nsources: {}\n');
  expect((await csiflow('inspect', topology)).err).toContain(
    'it is YAML, such as a topology or an environment',
  );
  const hook = '{ type: webhook, from: clean, url: ftp://there, secret: sixteen-letters!! }';
  const { err, out } = await csiflow(
    'validate',
    file('hook.yaml', line('denoise').replace(/^sinks:\n/m, `sinks:\n  hook: ${hook}\n`)),
  );
  expect(err + out).toContain('must be an address such as https://alarms.example/csiflow');
});
