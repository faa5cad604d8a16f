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

test('what lies in a state folder can be looked at, and is left unlocked', async () => {
  const { folder } = await written();
  expect(look(folder)).toBe('one');
  lockFolder(folder)();
});

test('what another process writes meanwhile is not called damaged', async () => {
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

test('a file that is cut off is told of', async () => {
  const { folder, file } = await written();
  truncateSync(file, 2 * readFileSync(file).readUInt32LE(48));
  expect(() => look(folder)).toThrow(
    expect.objectContaining({ code: 'state.corrupt', message: expect.stringContaining('cut off') as string }),
  );
});
