import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { globSync, isDynamicPattern } from 'tinyglobby';

/** Names in the order in which people number them: `part-2` before `part-10`. */
export const inNaturalOrder = (a: string, b: string): number =>
  a.localeCompare(b, 'en', { numeric: true }) || (a < b ? -1 : Number(a > b));

/** True if a path is a pattern (`*`, `?`, `[...]`, `{...}`); a file of that very name comes first. */
export const isFilePattern = (path: string): boolean => isDynamicPattern(path) && !existsSync(path);

/** The folder below which a pattern looks: everything before its first segment with a wildcard. */
function folderOfPattern(pattern: string): string {
  let folder = pattern;
  while (isDynamicPattern(folder) && !isFolder(folder)) folder = dirname(folder);
  return folder;
}

/**
 * The files that a pattern matches, in natural order; symbolic links are ignored. Never leaves {@link folderOfPattern}: what a
 * topology from elsewhere may read is checked by that folder.
 * @param pattern absolute
 */
export function filesMatching(pattern: string): readonly string[] {
  const folder = folderOfPattern(resolve(pattern));
  const within = resolve(pattern)
    .slice(folder.length)
    .split(sep)
    .filter((part) => part !== '')
    .join('/');
  if (!isFolder(folder)) return [];
  const found = globSync(within, {
    cwd: folder,
    expandDirectories: false,
    followSymbolicLinks: false,
    ignore: ['../**'],
  });
  return found
    .filter((name) => !name.startsWith('..'))
    .map((name) => join(folder, name))
    .sort(inNaturalOrder);
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
