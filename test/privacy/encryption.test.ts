import { DuckDBInstance } from '@duckdb/node-api';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { describe, expect, test, vi } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import {
  DeadLetters,
  KEY_FILE,
  knownSecret,
  openState,
  Outbox,
  privacySecret,
  StateStore,
} from '../../pipeline/state/index.js';
import { copyInto } from '../../sinks/duckdb/backup.js';
import { letterDesk } from '../../pipeline/runtime/dead-letters/state-letter-desk.js';
import { DiskSpace } from '../../pipeline/state/disk-space.js';
import { WriteThreads } from '../../pipeline/state/write-threads.js';
import { redact } from '../../pipeline/base/secrets.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { testContext } from '../support/context.js';
import { temporaryFolder } from '../support/flow.js';
import { sensedEvent } from '../support/records.js';
import { codedError } from '../../pipeline/base/error-text.js';

/** A text that occurs nowhere else. */
const PLANTED = 'planted-7c1f9e20b4';
const planted = sensedEvent(0, { metadata: { note: PLANTED } });
const secret = Buffer.alloc(32, 3);
const environment = 'test-room';

/** Files below a folder that contain the planted text. */
const showing = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(PLANTED));

describe('a DuckDB store', () => {
  const make = (folder: string, key: Buffer | null, formerKey: Buffer | null = null): Sink => {
    const storage = { retentionDays: null, key, formerKey };
    const { context } = testContext({ folder, stateFolder: folder, storage });
    return duckdb.create(Value.Default(duckdb.config, { path: 'store.duckdb' }) as never, context);
  };
  const written = async (folder: string, key: Buffer | null): Promise<Sink> => {
    const sink = make(folder, key);
    await sink.open();
    await sink.write([planted], 1);
    await sink.flush();
    return sink;
  };

  test.each([
    ['without encryption shows its content', null, true],
    ['with encryption shows nothing, neither in the file nor in its log', secret, false],
  ])('%s', async (_, key, shows) => {
    const folder = temporaryFolder();
    const sink = await written(folder, key);
    expect(statSync(join(folder, 'store.duckdb.wal')).size).toBeGreaterThan(0);
    expect(showing(folder).length > 0).toBe(shows);
    await sink.close();
    expect(showing(folder).length > 0).toBe(shows);
    const again = make(folder, key);
    await again.open();
    expect(await again.reader!.events({ environment })).toEqual([planted]);
    await again.rewind!(0);
    expect(await again.reader!.events({ environment })).toEqual([]);
    await again.close();
  });

  test('its copies are encrypted too, and can replace it', async () => {
    const folder = temporaryFolder();
    const sink = await written(folder, secret);
    const copy = join(folder, 'backups', 'one');
    mkdirSync(copy, { recursive: true });
    await sink.copyTo!(copy);
    await sink.close();
    expect(readdirSync(copy)).not.toEqual([]);
    expect(showing(folder)).toEqual([]);
    const restored = make(folder, secret);
    await restored.restoreFrom!(copy, 'old');
    await restored.open();
    expect(await restored.reader!.events({ environment })).toEqual([planted]);
    await restored.close();
  });

  test.each([
    ['another key', secret, Buffer.alloc(32, 4), 'another key'],
    ['no key', secret, null, 'is encrypted'],
  ])('is rejected with %s, and not changed', async (_, before, after, why) => {
    const folder = temporaryFolder();
    await (await written(folder, before)).close();
    const sink = make(folder, after);
    await expect(sink.open()).rejects.toMatchObject({ code: 'store.encryption' });
    await expect(sink.open()).rejects.toThrow(why);
    const right = make(folder, before);
    await right.open();
    expect(await right.reader!.events({ environment })).toHaveLength(1);
    await right.close();
  });

  test.each([
    ['encrypted', null, secret, false],
    ['in the clear', secret, null, true],
  ])('is rewritten when it becomes %s, with its entire content', async (_, before, after, shows) => {
    const folder = temporaryFolder();
    await (await written(folder, before)).close();
    const sink = make(folder, after, before);
    // Unencrypted until then.
    await sink.open();
    expect(await sink.reader!.events({ environment })).toEqual([planted]);
    await sink.close();
    await sink.reseal!();
    expect(showing(folder).length > 0).toBe(shows);
    expect(readdirSync(folder)).toEqual(['store.duckdb']);
    const again = make(folder, after);
    await again.open();
    expect(await again.reader!.events({ environment })).toEqual([planted]);
    await again.write([sensedEvent(1)], 2);
    await again.flush();
    await again.rewind!(1);
    expect(await again.reader!.events({ environment })).toEqual([planted]);
    await again.close();
    await again.reseal!();
    expect(showing(folder).length > 0).toBe(shows);
  });

  test('an interrupted rewrite is ignored', async () => {
    const folder = temporaryFolder();
    await (await written(folder, null)).close();
    writeFileSync(join(folder, '.store.duckdb.part'), PLANTED);
    const sink = make(folder, secret);
    await sink.reseal!();
    expect(showing(folder)).toEqual([]);
    await sink.open();
    expect(await sink.reader!.events({ environment })).toEqual([planted]);
    await sink.close();
  });

  test('an interrupted rewrite is removed, even if the setting was reverted meanwhile', async () => {
    const folder = temporaryFolder();
    await (await written(folder, secret)).close();
    for (const name of ['.store.duckdb.part', '.store.duckdb.part.wal'])
      writeFileSync(join(folder, name), PLANTED);
    await make(folder, secret).reseal!();
    expect(readdirSync(folder)).toEqual(['store.duckdb']);
  });

  test.each([
    ['detaching it says nothing', /^DETACH/, 'Checkpoint failed'],
    ['nothing says it', /^(DETACH|CHECKPOINT)/, 'not written to its end'],
  ])('rejects a copy whose rows are only in its log, even if %s', async (_, silent, why) => {
    const folder = temporaryFolder();
    await (await written(folder, null)).close();
    const instance = await DuckDBInstance.create(join(folder, 'store.duckdb'));
    const connect = async () => {
      const connection = await instance.connect();
      await connection.run("SET debug_checkpoint_abort = 'before_header'");
      const run = connection.run.bind(connection);
      connection.run = (sql) => (silent.test(sql) ? run(sql).catch(() => run('SELECT 1')) : run(sql));
      return connection;
    };
    await expect(copyInto({ connect }, join(folder, 'copy'), null)).rejects.toThrow(why);
    instance.closeSync();
  });

  test('a copy is a snapshot of one moment, while rows are written', async () => {
    const folder = temporaryFolder();
    const sink = await written(folder, null);
    const backup = join(folder, 'backups', 'one');
    mkdirSync(backup, { recursive: true });
    const copied = sink.copyTo!(backup);
    await sink.write([sensedEvent(1), sensedEvent(2)], 2);
    await sink.flush();
    await copied;
    await sink.close();
    expect(readdirSync(backup)).toEqual(['store.duckdb']);
  });

  test('a store that another process has open is not rewritten', async () => {
    const folder = temporaryFolder();
    const owner = await written(folder, null);
    await expect(make(folder, secret).reseal!()).rejects.toThrow('is in use by');
    await owner.close();
    expect(showing(folder)).toEqual([join(folder, 'store.duckdb')]);
  });

  test('SQL of an encrypted store reaches no other file', async () => {
    const folder = temporaryFolder();
    const other = join(folder, 'other.duckdb');
    (await DuckDBInstance.create(other)).closeSync();
    const sink = await written(folder, secret);
    const { openDatabase } = await import('../../sinks/shared/database.js');
    await sink.close();
    const options = { memoryLimitBytes: 2 ** 27, walLimitBytes: 2 ** 20, key: 'k' };
    const database = await openDatabase(join(folder, 'third.duckdb'), options);
    const connection = await database.instance.connect();
    await expect(connection.run(`ATTACH '${other}'`)).rejects.toThrow('disabled');
    connection.closeSync();
    await database.close();
  });
});

describe('the state folder', () => {
  const noSpace = () => {
    throw codedError('state.write', 'disk full');
  };
  const fill = async (folder: string, key: Buffer | null): Promise<void> => {
    const store = new StateStore(folder, 'ward', key);
    const letters = new DeadLetters(store);
    letters.add({ node: 'n', stage: 'write', code: 'c', reason: PLANTED, record: planted, at: 1, epoch: 1 });
    await new Outbox(store, 'history').append(1, [planted]);
    await letters.settled();
    await store.close();
  };

  test.each([
    ['without encryption shows its content', null, true],
    ['with encryption shows nothing', secret, false],
  ])('%s', async (_, key, shows) => {
    const folder = temporaryFolder();
    await fill(folder, key);
    expect(showing(folder).length > 0).toBe(shows);
    const store = new StateStore(folder, 'ward', key);
    const letters = new DeadLetters(store);
    expect(letters.list()).toMatchObject([{ reason: PLANTED, record: planted }]);
    expect(letters.get(1)).toMatchObject({ reason: PLANTED });
    const outbox = new Outbox(store, 'history');
    expect(outbox.next()).toMatchObject({ epoch: 1, records: [planted] });
    await outbox.rewind(0);
    expect(outbox.records).toBe(0);
    await store.close();
  });

  test.each([
    ['another key', secret, Buffer.alloc(32, 4), 'another key'],
    ['no key', secret, null, 'is encrypted'],
  ])('is rejected with %s', async (_, before, after, why) => {
    const folder = temporaryFolder();
    await fill(folder, before);
    expect(() => new StateStore(folder, 'ward', after)).toThrow(
      expect.objectContaining({ code: 'state.encryption', message: expect.stringContaining(why) as string }),
    );
    // The folder is free once the rejected store has closed.
    await vi.waitFor(() => new StateStore(folder, 'ward', before).close(), { timeout: 15_000 });
  });

  test.each([
    ['encrypted', null, secret, false],
    ['in the clear', secret, null, true],
  ])('is rewritten when it becomes %s, with its entire content', async (_, before, after, shows) => {
    const folder = temporaryFolder();
    await fill(folder, before);
    const reported: string[] = [];
    const open = () =>
      openState(folder, 'ward', { key: after, formerKey: before }, (becomes) => reported.push(becomes));
    const store = await open();
    expect(new DeadLetters(store).list()).toMatchObject([{ reason: PLANTED, record: planted }]);
    expect(new Outbox(store, 'history').next()).toMatchObject({ epoch: 1, records: [planted] });
    await store.close();
    expect(showing(folder).length > 0).toBe(shows);
    await (await open()).close();
    expect(reported).toEqual([after ? 'encrypted' : 'clear']);
    expect(readdirSync(folder).filter((name) => name.includes('part'))).toEqual([]);
  });

  test.each([
    ['the disk is full', () => vi.spyOn(DiskSpace.prototype, 'require').mockImplementation(noSpace)],
    [
      'one write of many is refused',
      () =>
        vi
          .spyOn(WriteThreads.prototype, 'of')
          .mockImplementationOnce(() => Promise.reject(new Error('no space left on device'))),
    ],
  ])('is unchanged if it is to be rewritten and %s', async (_, spoil) => {
    const folder = temporaryFolder();
    await fill(folder, null);
    const before = readdirSync(folder);
    const spoilt = spoil();
    await expect(openState(folder, 'ward', { key: secret })).rejects.toMatchObject({ code: 'state.write' });
    spoilt.mockRestore();
    expect(readdirSync(folder)).toEqual(before);
    const store = new StateStore(folder, 'ward');
    expect(store.isSealed).toBe(false);
    expect(new DeadLetters(store).list()).toMatchObject([{ reason: PLANTED }]);
    await store.close();
  });

  test('an interrupted rewrite is removed, even if the setting was reverted meanwhile', async () => {
    const folder = temporaryFolder();
    await fill(folder, secret);
    writeFileSync(join(folder, 'state.mdb.part'), PLANTED);
    await (await openState(folder, 'ward', { key: secret })).close();
    expect(showing(folder)).toEqual([]);
  });

  test('that others can read becomes private to its owner; group access is kept', async () => {
    const folder = temporaryFolder();
    for (const [before, after] of [
      [0o755, 0o700],
      [0o750, 0o750],
    ] as const) {
      await fill(folder, null);
      chmodSync(folder, before);
      await new StateStore(folder, 'ward').close();
      expect(statSync(folder).mode & 0o777).toBe(after);
    }
  });

  test('thousands of entries of each kind of key survive a rewrite', async () => {
    const folder = temporaryFolder();
    const before = new StateStore(folder, 'ward');
    const numbers = before.table('numbers');
    const lists = before.table('lists');
    for (let at = 0; at < 2_500; at++) {
      void numbers.put(at, Buffer.from(`${at}`));
      void lists.put(['a', at], Buffer.from(`${at}`));
    }
    await before.root.flushed;
    await before.close();
    const after = await openState(folder, 'ward', { key: secret });
    expect(after.tables).toEqual(['lists', 'numbers']);
    expect(after.table('numbers').get(2_499)?.toString()).toBe('2499');
    const kept = [...after.table('lists').getRange({ start: ['a', 1_000], limit: 1 })];
    expect(kept.map(({ key, value }) => [key, value.toString()])).toEqual([[['a', 1_000], '1000']]);
    expect([...after.table('lists').getKeys({})]).toHaveLength(2_500);
    await after.close();
  });

  test('outbox entries that are too old are dropped, except those being delivered', async () => {
    const store = new StateStore(temporaryFolder(), 'ward');
    const outbox = new Outbox(store, 'history');
    const at = (time: number) => [sensedEvent(0, { time }), sensedEvent(1, { time: time - 5 })];
    for (const time of [10, 20, 30]) await outbox.append(1, at(time));
    await outbox.append(1, at(15), 'urgent');
    expect(outbox.next()).toMatchObject({ lane: 'urgent' });
    expect(await outbox.dropBefore(21)).toBe(4);
    expect(outbox.records).toBe(4);
    expect([...outbox.entries()].map(({ records }) => records[0])).toMatchObject([
      { time: 15 },
      { time: 30 },
    ]);
    await store.close();
  });

  test('a letter that is too old is dropped', async () => {
    const store = new StateStore(temporaryFolder(), 'ward');
    const letters = new DeadLetters(store);
    for (const at of [10, 20, 30])
      letters.add({ node: 'n', stage: 'write', code: 'c', reason: '', record: null, at, epoch: 1 });
    await letters.settled();
    letters.forgetBefore(20);
    expect(letters.list().map(({ at }) => at)).toEqual([20, 30]);
    await store.close();
  });
});

describe('the key', () => {
  test('is not created by a read-only command', async () => {
    const stateFolder = join(temporaryFolder(), 'ward.state');
    const privacy = { enableEncryption: true, anonymizeData: false, dataRetentionDays: null, key: null };
    const desk = letterDesk(() => ({ id: 'ward', settings: { stateFolder, privacy } as never }));
    expect(await desk.list()).toEqual({ letters: [], total: 0 });
    expect(existsSync(stateFolder)).toBe(false);
  });

  test('is never shown, even if it only opens older data', () => {
    const folder = temporaryFolder();
    const key = '5e'.repeat(32);
    writeFileSync(join(folder, KEY_FILE), key);
    expect(knownSecret(folder, null)).toEqual(Buffer.from(key, 'hex'));
    expect(redact(`a ${key}`)).toBe('a ***');
  });

  test('is created once, private to its owner', () => {
    const folder = temporaryFolder();
    const made = privacySecret(folder, null);
    expect(made).toHaveLength(32);
    expect(privacySecret(folder, null)).toEqual(made);
    expect(statSync(join(folder, KEY_FILE)).mode & 0o777).toBe(0o600);
    expect(privacySecret(folder, 'x'.repeat(32))).toEqual(Buffer.from('x'.repeat(32)));
  });

  test('is not replaced if the file contains something else', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, KEY_FILE), 'abcd');
    expect(() => privacySecret(folder, null)).toThrow(expect.objectContaining({ code: 'state.key' }));
  });
});
