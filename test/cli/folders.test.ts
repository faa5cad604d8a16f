import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, makeOwnFolder } from '../../pipeline/base/folders.js';

test('makes a folder and those above it, and takes one that is there', () => {
  const root = mkdtempSync(join(tmpdir(), 'csiflow-folder-'));
  makeFolder(join(root, 'a', 'b'));
  makeFolder(join(root, 'a', 'b'));
  expect(statSync(join(root, 'a', 'b')).isDirectory()).toBe(true);
  rmSync(root, { recursive: true });
});

test('of a folder that is nobody else’s, the folders above it are as usual', () => {
  const root = mkdtempSync(join(tmpdir(), 'csiflow-folder-'));
  makeOwnFolder(join(root, 'data', 'room.state'));
  expect(statSync(join(root, 'data', 'room.state')).mode & 0o777).toBe(0o700);
  expect(statSync(join(root, 'data')).mode & 0o700).toBe(0o700);
  rmSync(root, { recursive: true });
});

test.runIf(process.platform === 'linux')('says at once where a file system takes no folders', () => {
  expect(() => {
    makeFolder('/proc/nope/state');
  }).toThrow('ENOENT');
});
