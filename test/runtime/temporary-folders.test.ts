import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newTemporaryFolder, withTemporaryFolder } from '../../pipeline/base/temporary-folders.js';

test('a temporary folder is removed when its work fails', async () => {
  let made = '';
  const work = withTemporaryFolder('csiflow-temporary-', async (folder) => {
    made = folder;
    writeFileSync(join(folder, 'file'), '');
    throw new Error('the work fails');
  });
  await expect(work).rejects.toThrow('the work fails');
  expect(existsSync(made)).toBe(false);
});

test('the end of the process removes all that are left', () => {
  const before = process.listeners('exit');
  const folders = [1, 2].map(() => newTemporaryFolder('csiflow-temporary-'));
  const [atExit, ...others] = process.listeners('exit').filter((listener) => !before.includes(listener));
  expect(others).toEqual([]);
  atExit!(0);
  expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  expect(process.listeners('exit')).toEqual(before);
});
