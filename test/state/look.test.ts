import type * as Fs from 'node:fs';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { lookAtState, NO_KEYS, STATE_FILE, StateStore } from '../../pipeline/state/index.js';
import { openMdb } from '../../pipeline/state/mdb.js';
import { temporaryFolder } from '../support/flow.js';

/** What another process does meanwhile: before the second header is read, and once a look is over. */
const other = vi.hoisted((): Record<'beforeSecond' | 'atEnd', () => void> => {
  const nothing = () => undefined;
  return { beforeSecond: nothing, atEnd: nothing };
});

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof Fs>();
  return {
    ...fs,
    readSync: (handle: number, into: Buffer, at: number, bytes: number, position: number) => {
      if (position > 0) other.beforeSecond();
      return fs.readSync(handle, into, at, bytes, position);
    },
    closeSync: (handle: number) => {
      fs.closeSync(handle);
      other.atEnd();
    },
  };
});

/** A store whose pages behind the two headers are not in the file yet, and what writes them. */
async function halfWritten() {
  const folder = temporaryFolder();
  const store = new StateStore(folder, 'ward');
  await store.table('numbers').put(1, Buffer.from('one'));
  await store.close();
  const file = join(folder, STATE_FILE);
  const whole = readFileSync(file);
  truncateSync(file, 2 * whole.readUInt32LE(48));
  const write = () => {
    writeFileSync(file, whole);
  };
  return { folder, file, write };
}

test('a file that grows while its headers are read is not called cut off', async () => {
  const { file, write } = await halfWritten();
  other.beforeSecond = write;
  const root = openMdb(file, { readOnly: true });
  other.beforeSecond = () => undefined;
  expect([...root.getKeys({})]).toEqual(['header', 'numbers']);
  await root.close();
});

test('a look at what is being written is taken once more', async () => {
  const { folder, write } = await halfWritten();
  other.atEnd = write;
  expect(lookAtState(folder, 'ward', NO_KEYS, ({ tables }) => tables)).toEqual(['numbers']);
  other.atEnd = () => undefined;
});

test('a file that stays cut off is told of', async () => {
  const { folder } = await halfWritten();
  expect(() => lookAtState(folder, 'ward', NO_KEYS, ({ tables }) => tables)).toThrow(
    expect.objectContaining({ code: 'state.corrupt' }),
  );
});
