import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockFolder, lookAtState, NO_KEYS, STATE_FILE, StateStore } from '../../pipeline/state/index.js';
import { temporaryFolder } from '../support/flow.js';

async function written() {
  const folder = temporaryFolder();
  const store = new StateStore(folder, 'ward');
  await store.table('numbers').put(1, Buffer.from('one'));
  await store.close();
  return { folder, file: join(folder, STATE_FILE) };
}

const look = (folder: string) =>
  lookAtState(folder, 'ward', NO_KEYS, ({ table }) => String(table('numbers').get(1)));

test('a state folder can be inspected without locking it', async () => {
  const { folder } = await written();
  expect(look(folder)).toBe('one');
  lockFolder(folder)();
});

test('concurrent writes of another process are not reported as damage', async () => {
  const { folder, file } = await written();
  const bytes = readFileSync(file);
  // Headers from two moments: lmdb uses the newer one, but nothing leaves them like this at rest.
  const second = bytes.readUInt32LE(48) + 152;
  bytes.writeUInt32LE(bytes.readUInt32LE(second) + 2, second);
  writeFileSync(file, bytes);
  expect(() => look(folder)).toThrow(expect.objectContaining({ code: 'state.corrupt' }));
  const unlock = lockFolder(folder);
  expect(look(folder)).toBe('one');
  unlock();
});

test('reports a truncated file', async () => {
  const { folder, file } = await written();
  truncateSync(file, 2 * readFileSync(file).readUInt32LE(48));
  expect(() => look(folder)).toThrow(
    expect.objectContaining({ code: 'state.corrupt', message: expect.stringContaining('cut off') as string }),
  );
});
