import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder of csiflow's own package.json, both when running from dist/ and from the sources. */
export const packageFolder: string = (() => {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder))
      throw new Error(`no package.json in ${start} or above it: csiflow's own files cannot be found`);
  }
})();

/** A file of the package (weights, the live page), by its path in the repository. */
export const packageFile = (path: string): string => join(packageFolder, path);

/** True inside a project's node_modules, where nothing may be written: the next `npm ci` empties it. */
export const isInstalled: boolean = packageFolder.split(sep).includes('node_modules');

/** Where a command writes files that ship with csiflow: in place in a checkout, otherwise in the current folder. */
export const outputFile = (path: string): string => (isInstalled ? resolve(path) : packageFile(path));

/** csiflow's own version, from its package.json. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version;

/**
 * The compiled file of a module beside the caller. Worker threads and child processes cannot run TypeScript.
 * `compiledModule(import.meta.url, './worker.js')`
 */
export function compiledModule(caller: string, name: string): URL {
  const folder = dirname(fileURLToPath(caller));
  const dist = join(packageFolder, 'dist');
  const inDist = folder.startsWith(dist) ? folder : join(dist, relative(packageFolder, folder));
  return pathToFileURL(join(inDist, name));
}

/**
 * The URL of a module for another thread: that of its compiled file, if csiflow's build compiles it. Other modules,
 * such as plugins in a checkout, are loaded as they are.
 */
export function compiledUrl(module: string): string {
  if (!module.startsWith('file:')) return module;
  const file = fileURLToPath(module);
  if (!file.startsWith(packageFolder + sep) || !file.endsWith('.ts')) return module;
  const compiled = compiledModule(module, `./${basename(file, '.ts')}.js`);
  return existsSync(compiled) ? compiled.href : module;
}
