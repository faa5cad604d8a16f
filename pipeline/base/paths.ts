import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder of csiflow's own package.json, whether this runs from dist/ or from the sources. */
export const packageFolder: string = (() => {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder))
      throw new Error(`no package.json in ${start} or above it: csiflow's own files cannot be found`);
  }
})();

/** A file that ships with the package (weights, the live page), by its path in the repository. */
export const packageFile = (path: string): string => join(packageFolder, path);

/** True in a project's node_modules, where nothing is to be written: the next `npm ci` empties it. */
export const isInstalled: boolean = packageFolder.split(sep).includes('node_modules');

/** Where a command writes what ships with csiflow: in a checkout in its place, else below the current folder. */
export const outputFile = (path: string): string => (isInstalled ? resolve(path) : packageFile(path));

/** csiflow's own version, as its package.json says. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version;

/**
 * The compiled file of a module beside the caller, for a worker thread or a child process: those cannot
 * run TypeScript. `compiledModule(import.meta.url, './worker.js')`
 */
export function compiledModule(caller: string, name: string): URL {
  const folder = dirname(fileURLToPath(caller));
  const dist = join(packageFolder, 'dist');
  const inDist = folder.startsWith(dist) ? folder : join(dist, relative(packageFolder, folder));
  return pathToFileURL(join(inDist, name));
}
