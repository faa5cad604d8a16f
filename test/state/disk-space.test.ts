import { expect, test, vi } from 'vitest';
import { DiskSpace } from '../../pipeline/state/disk-space.js';
import { StateStore } from '../../pipeline/state/store.js';
import { temporaryFolder } from '../support/flow.js';

const MIB = 2 ** 20;

/** A disk of this many MiB with this many left. */
const disk = (size: number, left: number) => {
  const state = { left, asked: 0 };
  const ask = () => {
    state.asked++;
    return { bavail: state.left, blocks: size, bsize: MIB };
  };
  return { state, space: new DiskSpace('/state', ask) };
};

test('a write is refused before the disk is full, and accepted once there is space', () => {
  const { state, space } = disk(1000, 15);
  expect(() => {
    space.require(100);
  }).toThrow(
    expect.objectContaining({
      code: 'state.write',
      message: expect.stringContaining('15.0 MiB left') as string,
    }),
  );
  state.left = 17;
  space.require(2 * MIB);
});

test('keeps an eighth of a small disk free', () => {
  expect(() => {
    disk(24, 2).space.require(1);
  }).toThrow('disk full');
  disk(24, 4).space.require(1);
});

test('free space is checked after many bytes, not for each small write', () => {
  const { state, space } = disk(1000, 500);
  for (let write = 0; write < 100; write++) space.require(100);
  expect(state.asked).toBeLessThan(5);
  const before = state.asked;
  space.require(2 * MIB);
  expect(state.asked).toBe(before + 1);
});

test('a write that lmdb rejects names the folder of the state', async () => {
  const folder = temporaryFolder();
  const store = new StateStore(folder, 'ward');
  vi.spyOn(store.root, 'batch').mockRejectedValue(new Error('MDB_PANIC'));
  await expect(store.transaction(() => undefined)).rejects.toMatchObject({
    code: 'state.write',
    message: expect.stringContaining(`the state store in ${folder} cannot be written`) as string,
  });
  await store.close();
});
