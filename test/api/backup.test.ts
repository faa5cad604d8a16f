import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { DuckDBInstance } from '@duckdb/node-api';
import { open } from 'lmdb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Users } from '../../api/service/accounts/users.js';
import { makeBackup } from '../../api/service/backup/make-backup.js';
import { restoreBackup } from '../../api/service/backup/restore-backup.js';
import { createRunner } from '../../pipeline/runtime/runner.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import type { CheckedTopology } from '../../pipeline/config/topology/topology.js';
import { counter, jitter, quiet, Radio, runnerOf, sum, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';
import type { Component } from '../../pipeline/component/index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-backup-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Sums of numbers in a DuckDB store, of a topology in its own folder. */
function site(name: string, source: Component, config: Record<string, unknown> = {}): CheckedTopology {
  const topology = topologyOf(
    {
      in: { component: source, config },
      sums: { component: sum, from: ['in'] },
      late: { component: jitter, from: ['sums'] },
      history: { component: duckdb, from: ['late'], config: { path: '../history.duckdb' } },
    },
    join(folder, name, 'state'),
  );
  // The counter's limit does not change the identity of the source.
  return { ...topology, nodes: topology.nodes.map((node) => ({ ...node, hash: node.id })) };
}

const stored = async (name: string): Promise<readonly unknown[]> => {
  const instance = await DuckDBInstance.create(join(folder, name, 'history.duckdb'));
  const connection = await instance.connect();
  try {
    const result = await connection.runAndReadAll(
      'SELECT epoch_us("time")::DOUBLE, name, value FROM measures ORDER BY ALL',
    );
    return result.getRows();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
};

async function runToEnd(topology: CheckedTopology): Promise<void> {
  const runner = runnerOf(topology);
  await runner.start();
  await runner.finished();
  await runner.stop();
}

const COUNT = 3000;

test('a backup of a running topology resumes elsewhere as if it had never stopped', async () => {
  await runToEnd(site('whole', counter, { count: COUNT }));
  const original = runnerOf(site('original', counter, { count: COUNT, holdAt: 2000 }));
  await original.start();
  await until('rows', () => original.status().nodes.at(-1)!.sent > 50);
  const backup = await makeBackup(original);
  expect(original.status().state).toBe('running');
  await until('the rest', () => original.status().nodes.at(-1)!.sent >= 199);

  const elsewhere = site('elsewhere', counter, { count: COUNT });
  expect(await restoreBackup(backup.folder, elsewhere, { replace: false })).toBeNull();
  const before = (await stored('elsewhere')).length;
  expect(before).toBeGreaterThan(0);
  await runToEnd(elsewhere);
  expect((await stored('elsewhere')).length).toBeGreaterThan(before);
  expect(await stored('elsewhere')).toEqual(await stored('whole'));
  await original.stop();
});

test('a backup includes the journal of a live source: no received input is lost', async () => {
  const heard = new Radio();
  const original = runnerOf({
    ...site('original', heard.component),
    settings: { ...site('original', heard.component).settings, checkpointIntervalMs: 60_000 },
  });
  await original.start();
  for (let number = 1; number <= 200; number++) await heard.send([number]);
  await until('rows', () => original.status().nodes.at(-1)!.sent >= 19);
  const backup = await makeBackup(original);
  await original.stop();

  const again = new Radio();
  const elsewhere = site('elsewhere', again.component);
  await restoreBackup(backup.folder, elsewhere, { replace: false });
  const runner = runnerOf(elsewhere);
  await runner.start();
  expect(again.position).toBe(200);
  for (let number = 201; number <= 300; number++) await again.send([number]);
  await until('rows', () => runner.status().nodes.at(-1)!.sent >= 29);
  await runner.stop();

  const whole = new Radio();
  const other = runnerOf(site('whole', whole.component));
  await other.start();
  for (let number = 1; number <= 300; number++) await whole.send([number]);
  await until('rows', () => other.status().nodes.at(-1)!.sent >= 29);
  await other.stop();
  expect(await stored('elsewhere')).toEqual(await stored('whole'));
});

test('of a stopped topology too, with users and keys, and readable only by its owner', async () => {
  const topology = site('original', counter, { count: 100 });
  await runToEnd(topology);
  const { stateFolder } = topology.settings;
  await new Users(stateFolder).add('nurse', 'admin', 'a password');
  writeFileSync(join(stateFolder, 'token.key'), 'k'.repeat(64), { mode: 0o600 });
  mkdirSync(join(stateFolder, 'results.spool'));
  writeFileSync(join(stateFolder, 'results.spool', '17.ndjson'), '{}\n');
  const backup = await makeBackup(createRunner(topology, { log: quiet }));
  expect(readdirSync(backup.folder).sort()).toEqual([
    'manifest.json',
    'results.spool',
    'state.mdb',
    'stores',
    'token.key',
    'users.json',
  ]);
  expect(statSync(backup.folder).mode & 0o077).toBe(0);
  const elsewhere = site('elsewhere', counter, { count: 100 });
  await restoreBackup(backup.folder, elsewhere, { replace: false });
  const users = new Users(elsewhere.settings.stateFolder);
  expect(await users.check('nurse', 'a password')).toEqual({ name: 'nurse', role: 'admin' });
  expect(statSync(join(elsewhere.settings.stateFolder, 'users.json')).mode & 0o077).toBe(0);
  expect(readFileSync(join(elsewhere.settings.stateFolder, 'results.spool', '17.ndjson'), 'utf8')).toBe(
    '{}\n',
  );
  expect(await stored('elsewhere')).toEqual(await stored('original'));
});

test('the key of an encrypted topology is not in its backup, and stays in its place', async () => {
  const plain = site('original', counter, { count: 100 });
  const privacy = { dataRetentionDays: null, anonymizeData: false, enableEncryption: true, key: null };
  const topology = { ...plain, settings: { ...plain.settings, privacy } } as CheckedTopology;
  await runToEnd(topology);
  const key = join(topology.settings.stateFolder, 'privacy.key');
  const secret = readFileSync(key, 'utf8');
  const backup = await makeBackup(createRunner(topology, { log: quiet }));
  expect(readdirSync(backup.folder)).not.toContain('privacy.key');
  await restoreBackup(backup.folder, topology, { replace: true });
  expect(readFileSync(key, 'utf8')).toBe(secret);
  await runToEnd(topology);
});

test('a restore over a state is refused, or moves it aside completely', async () => {
  const topology = site('original', counter, { count: 100 });
  await runToEnd(topology);
  const backup = await makeBackup(createRunner(topology, { log: quiet }));
  const newer = site('original', counter, { count: 500 });
  await runToEnd(newer);
  const rows = await stored('original');
  await expect(restoreBackup(backup.folder, topology, { replace: false })).rejects.toMatchObject({
    code: 'backup.occupied',
    message: expect.stringContaining('--replace') as string,
  });
  expect(await stored('original')).toEqual(rows);
  const aside = await restoreBackup(backup.folder, topology, { replace: true });
  expect(readdirSync(aside!)).toContain('state.mdb');
  expect((await stored('original')).length).toBeLessThan(rows.length);
  const moved = readdirSync(join(folder, 'original')).filter((name) =>
    name.startsWith('history.duckdb.before-restore-'),
  );
  expect(moved).toHaveLength(1);
  await runToEnd(newer);
  expect(await stored('original')).toEqual(rows);
});

test('an interrupted restore keeps csiflow from starting, and can be repeated', async () => {
  const topology = site('original', counter, { count: 100 });
  await runToEnd(topology);
  const backup = await makeBackup(createRunner(topology, { log: quiet }));
  const restored = await stored('original');
  const newer = site('original', counter, { count: 500 });
  await runToEnd(newer);
  const { stateFolder } = topology.settings;
  // A file in the way prevents the move: the restore stops halfway.
  writeFileSync(join(stateFolder, 'restoring'), 'aside');
  writeFileSync(join(stateFolder, 'aside'), '');
  await expect(restoreBackup(backup.folder, topology, { replace: true })).rejects.toThrow();
  await expect(runnerOf(newer).start()).rejects.toMatchObject({
    code: 'state.restoring',
    message: expect.stringContaining('csiflow restore') as string,
  });
  rmSync(join(stateFolder, 'aside'));
  const aside = await restoreBackup(backup.folder, topology, { replace: false });
  expect(readdirSync(aside!)).toContain('state.mdb');
  expect(await stored('original')).toEqual(restored);
  renameSync(join(folder, 'original', 'history.duckdb.aside'), join(folder, 'original', 'history.duckdb'));
  expect((await stored('original')).length).toBeGreaterThan(restored.length);
});

test('changes nothing if a copy cannot be brought here', async () => {
  const topology = site('original', counter, { count: 100 });
  await runToEnd(topology);
  const backup = await makeBackup(createRunner(topology, { log: quiet }));
  await runToEnd(site('original', counter, { count: 500 }));
  const rows = await stored('original');
  mkdirSync(join(folder, 'original', '.history.duckdb.part'));
  await expect(restoreBackup(backup.folder, topology, { replace: true })).rejects.toThrow();
  rmSync(join(folder, 'original', '.history.duckdb.part'), { recursive: true });
  await runToEnd(site('original', counter, { count: 500 }));
  expect(await stored('original')).toEqual(rows);
});

test.each([
  ['an older', 0, 'state.older'],
  ['a newer', 99, 'state.newer'],
])('rejects a backup with a state of %s layout, and changes nothing', async (_, version, code) => {
  const topology = site('original', counter, { count: 50 });
  await runToEnd(topology);
  const backup = await makeBackup(createRunner(topology, { log: quiet }));
  const file = join(backup.folder, 'state.mdb');
  const root = open<Buffer, string>({ path: file, noSubdir: true, encoding: 'binary' });
  await root.put('header', serialize({ version, topology: topology.id }));
  await root.close();
  rmSync(`${file}-lock`);
  edit(backup.folder, { files: [{ path: 'state.mdb', ...described(file) }] });

  const before = readFileSync(join(topology.settings.stateFolder, 'state.mdb'));
  await expect(restoreBackup(backup.folder, topology, { replace: true })).rejects.toMatchObject({
    code,
    message: expect.stringContaining(file) as string,
  });
  expect(readFileSync(join(topology.settings.stateFolder, 'state.mdb'))).toEqual(before);
  await runToEnd(topology);
});

test('the next backup removes what a killed one left', async () => {
  const topology = site('original', counter, { count: 50 });
  await runToEnd(topology);
  const backups = join(topology.settings.stateFolder, 'backups');
  mkdirSync(join(backups, '20260101T000000000Z.part', 'stores'), { recursive: true });
  await makeBackup(createRunner(topology, { log: quiet }));
  expect(readdirSync(backups).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('refuses to restore over a running topology', async () => {
  const topology = site('original', counter, { count: 100, holdAt: 50 });
  const runner = runnerOf(topology);
  await runner.start();
  const backup = await makeBackup(runner);
  await expect(restoreBackup(backup.folder, topology, { replace: true })).rejects.toMatchObject({
    code: 'state.locked',
  });
  await runner.stop();
});

test('refuses to restore over a store that another running topology has open', async () => {
  const topology = site('original', counter, { count: 100, holdAt: 50 });
  const runner = runnerOf(topology);
  await runner.start();
  const backup = await makeBackup(runner);
  const { settings } = topology;
  const other = { ...topology, settings: { ...settings, stateFolder: join(folder, 'other') } };
  const before = readdirSync(join(folder, 'original'));
  await expect(restoreBackup(backup.folder, other, { replace: true })).rejects.toMatchObject({
    code: 'store.locked',
    message: expect.stringContaining('history.duckdb is in use by') as string,
  });
  expect(readdirSync(join(folder, 'original'))).toEqual(before);
  await runner.stop();
  await restoreBackup(backup.folder, other, { replace: true });
});

type Manifest = { readonly files: readonly object[] };

const damages: readonly (readonly [string, (backup: string) => void, string])[] = [
  [
    'changed file',
    (backup) => {
      writeFileSync(join(backup, 'state.mdb'), 'x');
    },
    'backup.damaged',
  ],
  [
    'missing file',
    (backup) => {
      rmSync(join(backup, 'stores'), { recursive: true });
    },
    'backup.damaged',
  ],
  [
    'no manifest',
    (backup) => {
      rmSync(join(backup, 'manifest.json'));
    },
    'backup.damaged',
  ],
  [
    'a manifest cut off',
    (backup) => {
      writeFileSync(join(backup, 'manifest.json'), '{"version":1,');
    },
    'backup.damaged',
  ],
  [
    'a newer manifest',
    (backup) => {
      edit(backup, { version: 2 });
    },
    'state.newer',
  ],
  [
    'an older manifest',
    (backup) => {
      edit(backup, { version: 0 });
    },
    'state.older',
  ],
  ...['../outside', 'stores/../../outside'].map((path): (typeof damages)[number] => [
    `the path ${path}, which leads to a file that is there`,
    (backup) => {
      const outside = join(backup, '..', 'outside');
      writeFileSync(outside, 'x');
      const { files } = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')) as Manifest;
      edit(backup, { files: [...files, { path, ...described(outside) }] });
    },
    'backup.damaged',
  ]),
  [
    'another topology',
    (backup) => {
      edit(backup, { topology: 'other' });
    },
    'backup.foreign',
  ],
];

/** As in a manifest. */
const described = (file: string) => ({
  bytes: statSync(file).size,
  sha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
});

function edit(backup: string, change: object): void {
  const file = join(backup, 'manifest.json');
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...change }));
}

test.each(damages)('rejects a backup with %s before anything changes', async (_, damage, code) => {
  const topology = site('original', counter, { count: 50 });
  await runToEnd(topology);
  const backup = await makeBackup(createRunner(topology, { log: quiet }));
  damage(backup.folder);
  const elsewhere = site('elsewhere', counter, { count: 50 });
  await expect(restoreBackup(backup.folder, elsewhere, { replace: true })).rejects.toMatchObject({ code });
  expect(readdirSync(folder)).toEqual(['original']);
});

test('reports nothing to back up on a fresh folder, and leaves nothing behind', async () => {
  const topology = site('original', counter);
  await expect(makeBackup(createRunner(topology, { log: quiet }))).rejects.toMatchObject({
    code: 'backup.nothing',
  });
  expect(readdirSync(join(folder, 'original', 'state', 'backups'))).toEqual([]);
});
