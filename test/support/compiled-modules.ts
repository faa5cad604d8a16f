import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'vitest/config';
import { packageFolder } from '../../pipeline/base/paths.js';

const dist = join(packageFolder, 'dist/');

/**
 * Tests import modules of csiflow as they are compiled, with the packages that are bundled with them, and Node loads
 * those itself, as it does for users: vite would transform and wrap each (docs/decisions/0060-tests-share-a-process.md).
 * Watched tests import the sources, so that they notice changes.
 */
export function compiledModules(): Plugin {
  let watching = false;
  return {
    name: 'compiled modules',
    enforce: 'pre',
    config: () => ({ test: { server: { deps: { external: [startsWith(dist)] } } } }),
    configureVitest: ({ vitest, experimental_defineCacheKeyGenerator }) => {
      watching = vitest.config.watch;
      // Stored tests name the modules that they import.
      experimental_defineCacheKeyGenerator(() => `watching: ${watching}`);
    },
    resolveId: (source, importer) => {
      if (watching || importer === undefined) return null;
      const file = source.startsWith('.')
        ? join(dist, relative(packageFolder, resolve(dirname(importer), source)))
        : join(dist, 'packages', `${source.replace('@', '').replaceAll('/', '-')}.js`);
      // Tests, their helpers and the parts of pages are not compiled file by file.
      return file.startsWith(dist) && existsSync(file) ? file : null;
    },
  };
}

const startsWith = (path: string): RegExp => new RegExp(`^${path.replaceAll(/[^\w/-]/g, String.raw`\$&`)}`);
