import { expect, test } from 'vitest';
import { ENOUGH, folderInMemory } from '../support/files-in-memory.js';

const DISK = '/dev/vda / ext4 rw,relatime 0 0\n';
const memory = (options: string): string => `${DISK}tmpfs /dev/shm tmpfs ${options} 0 0\n`;

test('files of tests are in memory if there is enough', () => {
  const mounts = memory('rw,nosuid,nodev');
  expect(folderInMemory({ mounts, free: ENOUGH })).toBe('/dev/shm');
  expect(folderInMemory({ mounts, free: ENOUGH - 1 })).toBeNull();
});

test.each([
  ['without such a file system', DISK],
  ['where no program may be run from it, as in a container', memory('rw,nosuid,nodev,noexec')],
  ['where nothing can be written to it', memory('ro')],
])('they are in the usual folder %s', (_where, mounts) => {
  expect(folderInMemory({ mounts, free: ENOUGH })).toBeNull();
});
