import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { checkTogether, loadTopology } from '../../pipeline/config/index.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-together-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const ROOM = `name: Room
size: { x: 5, y: 4, z: 2.5 }
links:
  - { id: a, transmitter: [0, 0, 1], receiver: [5, 4, 1], sender: node-1 }
`;

interface Parts {
  readonly id?: string;
  readonly room?: string;
  readonly source?: string;
  readonly path?: string;
  readonly settings?: string;
}

/** Writes a topology and its environment; returns the topology's file. */
function write(
  name: string,
  {
    id = name,
    room = name,
    source = '{ type: udp, port: 0 }',
    path = `${name}.duckdb`,
    settings = '',
  }: Parts,
): string {
  writeFileSync(join(folder, `${room}.room.yaml`), `id: ${room}\n${ROOM}`);
  const file = join(folder, `${name}.yaml`);
  const lines = [
    `id: ${id}`,
    `environment: ${room}.room.yaml`,
    'sources:',
    `  routers: ${source}`,
    'sinks:',
    `  history: { type: duckdb, from: routers, path: ${path} }`,
    settings,
  ];
  writeFileSync(file, lines.join('\n'));
  return file;
}

const load = (file: string) => loadTopology(file, components, { env: {} });

/** Code, line and column of each problem, and its file without the folder. */
function problemsOf(files: readonly string[]): readonly string[] {
  const loaded = files.map((file) => ({ file, topology: load(file).topology! }));
  return checkTogether(loaded).map(
    ({ file, line, column, code }) => `${file.slice(folder.length + 1)}:${line}:${column} ${code}`,
  );
}

test('topologies that share nothing can run together', () => {
  expect(problemsOf([write('one', {}), write('two', {}), write('three', {})])).toEqual([]);
});

test.each<[string, Parts, Parts, string]>([
  [
    'an id',
    {},
    { id: 'one', path: 'b.duckdb', settings: 'settings: { state_folder: b }' },
    '1:5 config.together.id',
  ],
  ['an environment', {}, { room: 'one' }, '2:14 config.together.environment'],
  [
    'a state folder',
    { settings: 'settings: { state_folder: shared }' },
    { settings: 'settings: { state_folder: ./shared }' },
    '7:27 config.together.state_folder',
  ],
  ['a store', {}, { path: './one.duckdb' }, '6:49 config.claim.taken'],
  [
    'a port',
    { source: '{ type: udp, port: 5005 }' },
    { source: '{ type: udp, port: 5005 }' },
    '4:31 config.claim.taken',
  ],
  [
    'a port of all addresses',
    { source: '{ type: udp, host: 0.0.0.0 }' },
    { source: '{ type: udp, port: 5005 }' },
    '4:31 config.claim.taken',
  ],
  [
    'the default port, which is not written',
    { source: '{ type: udp }' },
    { source: '{ type: udp }' },
    '4:12 config.claim.taken',
  ],
  [
    'a consumer group',
    { source: '{ type: kafka, brokers: [a:1, b:1], topics: [x], group: g }' },
    { source: '{ type: kafka, brokers: [b:1, a:1], topics: [y], group: g }' },
    '4:68 config.claim.taken',
  ],
])('%s shared by both is reported in the second file', (_what, first, second, found) => {
  expect(problemsOf([write('one', first), write('two', second)])).toEqual([`two.yaml:${found}`]);
});

test.each<[string, Parts, Parts]>([
  [
    'a port of two addresses',
    { source: '{ type: udp, host: 127.0.0.1 }' },
    { source: '{ type: udp, host: 127.0.0.2 }' },
  ],
  ['port 0, which is any', { source: '{ type: udp, port: 0 }' }, { source: '{ type: udp, port: 0 }' }],
])('%s applies to both', (_what, first, second) => {
  expect(problemsOf([write('one', first), write('two', second)])).toEqual([]);
});

test("a promise of the first that another cannot keep is reported in the other's file", () => {
  const one = write('one', { settings: 'settings: { privacy: { anonymize_data: true } }' });
  const two = write('two', {});
  expect(problemsOf([one, two])).toEqual([]);
  writeFileSync(join(folder, 'two.room.yaml'), `id: two\n${ROOM.replace('id: a', "id: '7'")}`);
  expect(problemsOf([one, two])).toEqual(['two.yaml:2:14 config.privacy.anonymity']);
  // Another topology's guarantees are its own.
  expect(problemsOf([two, one])).toEqual([]);
});

test('a file given twice is reported once', () => {
  const file = write('one', {});
  expect(problemsOf([file, file])).toEqual(['one.yaml:1:5 config.together.id']);
});

test('of several environments the shared one is named', () => {
  const one = write('one', {});
  const two = join(folder, 'two.yaml');
  write('free', {});
  writeFileSync(
    two,
    'id: two\nenvironments:\n  - free.room.yaml\n  - one.room.yaml\nsources:\n  in: { type: udp, port: 0 }\n',
  );
  // A file of two rooms with the same link id is rejected by itself.
  writeFileSync(
    join(folder, 'free.room.yaml'),
    `id: free\n${ROOM.replace('id: a', 'id: b').replace('node-1', 'node-2')}`,
  );
  expect(problemsOf([one, two])).toEqual(['two.yaml:4:5 config.together.environment']);
});

test('two nodes of one topology cannot share either', () => {
  const file = write('one', { settings: '  again: { type: file, from: routers, path: one.duckdb }' });
  const { topology, problems } = load(file);
  expect(topology).toBeUndefined();
  expect(problems).toMatchObject([{ code: 'config.claim.taken', line: 7, column: 45, severity: 'error' }]);
  expect(problems[0]!.message).toBe(`${join(folder, 'one.duckdb')} is already used by \`history\``);
});
