import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, makeOwnFolder } from '../../pipeline/base/folders.js';

test('creates a folder and its parents, and accepts an existing one', () => {
  const root = mkdtempSync(join(tmpdir(), 'csiflow-folder-'));
  makeFolder(join(root, 'a', 'b'));
  makeFolder(join(root, 'a', 'b'));
  expect(statSync(join(root, 'a', 'b')).isDirectory()).toBe(true);
  rmSync(root, { recursive: true });
});

test('parents of a private folder have the usual mode', () => {
  const root = mkdtempSync(join(tmpdir(), 'csiflow-folder-'));
  makeOwnFolder(join(root, 'data', 'room.state'));
  expect(statSync(join(root, 'data', 'room.state')).mode & 0o777).toBe(0o700);
  expect(statSync(join(root, 'data')).mode & 0o700).toBe(0o700);
  rmSync(root, { recursive: true });
});

test.runIf(process.platform === 'linux')('reports at once a file system that accepts no folders', () => {
  expect(() => {
    makeFolder('/proc/nope/state');
  }).toThrow('ENOENT');
});
