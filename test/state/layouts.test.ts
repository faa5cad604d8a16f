import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkLayout, NO_KEYS, openState, STATE_FILE, StateStore } from '../../pipeline/state/index.js';
import { stamped } from '../../pipeline/state/checksum.js';
import { decode, encode } from '../../pipeline/state/store.js';
import { packageVersion } from '../../pipeline/base/paths.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-layouts-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A store whose header was written by another csiflow. */
async function storeWith(change: object | Buffer): Promise<string> {
  await new StateStore(folder, 'ward').close();
  const file = join(folder, STATE_FILE);
  const root = open<Buffer, string>({ path: file, encoding: 'binary', noSubdir: true, maxDbs: 8 });
  const header = decode(root.get('header')!) as object;
  const bytes = Buffer.isBuffer(change) ? change : encode({ ...header, ...change });
  root.putSync('header', stamped('header', Buffer.alloc(0), bytes));
  await root.close();
  return file;
}

test('a new store names its layout, its topology and its writer', async () => {
  const file = await storeWith({});
  const root = open<Buffer, string>({ path: file, encoding: 'binary', noSubdir: true, maxDbs: 8 });
  expect(decode(root.get('header')!)).toEqual({
    version: expect.any(Number) as number,
    topology: 'ward',
    by: packageVersion(),
  });
  await root.close();
});

test.each([
  [
    'a newer layout',
    { version: 99, by: '7.0.0' },
    'state.newer',
    'was written by a newer csiflow 7.0.0 (layout 99;',
  ],
  [
    'an older layout',
    { version: 0, by: '0.0.1' },
    'state.older',
    'was written by an older csiflow 0.0.1 (layout 0;',
  ],
  ['no layout', { version: undefined }, 'state.corrupt', 'does not state its layout'],
  [
    'an invalid header',
    Buffer.from('half a header'),
    'state.corrupt',
    'is damaged: its header cannot be read',
  ],
  [
    'another topology',
    { topology: 'ward-3' },
    'state.foreign',
    'belongs to the topology ward-3, not to ward',
  ],
])('a store with %s is rejected with a fix, and not changed', async (_, change, code, message) => {
  const file = await storeWith(change);
  const before = readFileSync(file);
  expect(() => new StateStore(folder, 'ward')).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(`${file} ${message}`) as string }),
  );
  expect(readFileSync(file).equals(before)).toBe(true);
  // It holds no lock: once repaired, the next start works.
  rmSync(file);
  await expect
    .poll(() => {
      void new StateStore(folder, 'ward').close();
      return 'opened';
    })
    .toBe('opened');
});

test('a store of the first layout, without checksums, is accepted and rewritten with them', async () => {
  const file = join(folder, STATE_FILE);
  const root = open<Buffer, string>({ path: file, encoding: 'binary', noSubdir: true, maxDbs: 8 });
  root.putSync('header', encode({ version: 1, topology: 'ward' }));
  await root.openDB<Buffer, string>('checkpoint', { encoding: 'binary' }).put('head', encode('kept'));
  await root.close();
  const early = new StateStore(folder, 'ward');
  expect(decode(early.table('checkpoint').get('head')!)).toBe('kept');
  await early.close();
  const store = await openState(folder, 'ward', NO_KEYS);
  expect(store.hasChecksums).toBe(true);
  expect(decode(store.table('checkpoint').get('head')!)).toBe('kept');
  await store.close();
});

test('an error names the layouts, this version, and a page with help', () => {
  expect(() => {
    checkLayout('users.json', 3, 2);
  }).toThrow(
    `users.json was written by a newer csiflow (layout 3; this one, ${packageVersion()}, uses layout 2): run that version, or restore a backup made by this one; see docs/operating.md, "Upgrades"`,
  );
  for (const found of [null, undefined, '2', 1.5, -1, NaN])
    expect(() => {
      checkLayout('users.json', found, 2);
    }).toThrow(expect.objectContaining({ code: 'state.corrupt' }));
});

test('a copy is complete while the store is being written, and does not disturb it', async () => {
  const store = new StateStore(folder, 'ward');
  const table = store.table('numbers');
  let last = 0;
  const going = { on: true };
  const writing = (async () => {
    while (going.on) {
      await store.transaction(() => {
        // Two keys of one transaction: a copy has both or none.
        void table.put('a', encode(++last));
        void table.put('b', encode(last));
        void table.put(last, Buffer.alloc(512, last));
      });
    }
  })();
  for (let copy = 0; copy < 5; copy++) {
    const to = mkdtempSync(join(folder, 'copy-'));
    const atLeast = last;
    await store.copyTo(join(to, STATE_FILE));
    const copied = new StateStore(to, 'ward');
    const numbers = copied.table('numbers');
    const [a, b] = ['a', 'b'].map((key) => (numbers.get(key) ? decode(numbers.get(key)!) : 0)) as [
      number,
      number,
    ];
    expect(a).toBe(b);
    expect(a).toBeGreaterThanOrEqual(atLeast - 1);
    for (let index = 1; index <= a; index++) expect(numbers.get(index)).toHaveLength(512);
    await copied.close();
  }
  going.on = false;
  await writing;
  expect(decode(table.get('a')!)).toBe(last);
  await store.close();
  expect(statSync(join(folder, STATE_FILE)).size).toBeGreaterThan(0);
});

test('a copy that cannot be written is an error, and the store continues', async () => {
  const store = new StateStore(folder, 'ward');
  await expect(store.copyTo(join(folder, STATE_FILE))).rejects.toThrow();
  await store.transaction(() => {
    void store.table('numbers').put(1, encode(1));
  });
  expect(decode(store.table('numbers').get(1)!)).toBe(1);
  await store.close();
});

test('a file that is not a store is rejected before it is mapped into memory', () => {
  writeFileSync(join(folder, STATE_FILE), 'x'.repeat(100_000));
  expect(() => new StateStore(folder, 'ward')).toThrow(expect.objectContaining({ code: 'state.corrupt' }));
});
