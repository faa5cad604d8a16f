import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheCompiledCode } from '../../api/cli/compile-cache.js';

/** The folder of the compile cache with these environment variables. */
function folderWith(environment: NodeJS.ProcessEnv): string | undefined {
  let folder: string | undefined;
  cacheCompiledCode({ enableCompileCache: (given) => (folder = given) }, environment);
  return folder;
}

test('compiled code is cached in the user’s own folder, or where Node’s variable says', () => {
  expect(folderWith({})).toBe(join(homedir(), '.cache/csiflow/code'));
  expect(folderWith({ XDG_CACHE_HOME: '/caches' })).toBe('/caches/csiflow/code');
  expect(folderWith({ XDG_CACHE_HOME: 'relative' })).toBe(join(homedir(), '.cache/csiflow/code'));
  expect(folderWith({ XDG_CACHE_HOME: '/caches', NODE_COMPILE_CACHE: '/code' })).toBe('/code');
});

test('a Node without a compile cache starts without one', () => {
  expect(() => {
    cacheCompiledCode({}, {});
  }).not.toThrow();
});
