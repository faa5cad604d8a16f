import { readdirSync } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { identityOf, isSameFile, type FileIdentity } from './identity.js';
import { errorCode } from '../../base/error-text.js';

/** Compressed rotated files, in which reading cannot be resumed. */
const PACKED = new Set(['.gz', '.xz', '.bz2', '.zst', '.lz4', '.zip']);

/** The current path of a file: its own, or a new name in the same folder. */
export async function pathOf(file: string, identity: FileIdentity): Promise<string | undefined> {
  for (const path of [file, ...siblingsOf(file)]) if (await isFileAt(path, identity)) return path;
  return undefined;
}

/**
 * The file that replaced another one. If there are several generations, the one created next after it, among
 * the files whose name begins with that of `path`. Copies of the file itself do not count.
 * @param created creation time of the other, nanoseconds
 */
export async function nextGeneration(
  path: string,
  { identity, created }: { readonly identity: FileIdentity; readonly created: bigint },
): Promise<string | undefined> {
  const found: { readonly path: string; readonly created: bigint }[] = [];
  const named = siblingsOf(path).filter(
    (one) => basename(one).startsWith(basename(path)) && !PACKED.has(extname(one)),
  );
  for (const one of named) {
    const stats = await stat(one, { bigint: true }).catch(() => undefined);
    if (!stats?.isFile() || stats.birthtimeNs <= created) continue;
    if (!(await isCopy(one, identity))) found.push({ path: one, created: stats.birthtimeNs });
  }
  return found.sort((a, b) => Number(a.created - b.created))[0]?.path;
}

/** The files in the folder of this one. */
function siblingsOf(file: string): readonly string[] {
  try {
    const folder = dirname(file);
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => join(folder, name));
  } catch {
    // If the folder is missing too, opening the file reports it.
    return [];
  }
}

async function isFileAt(path: string, identity: FileIdentity): Promise<boolean> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (!found?.isFile() || String(found.ino) !== identity.inode) return false;
  const handle = await opened(path);
  if (!handle) return false;
  try {
    return await isSameFile(handle, identity);
  } finally {
    await handle.close();
  }
}

async function isCopy(path: string, { length, sum }: FileIdentity): Promise<boolean> {
  const handle = await opened(path);
  if (!handle) return false;
  try {
    const other = await identityOf(handle, length);
    return other.length === length && other.sum === sum;
  } finally {
    await handle.close();
  }
}

/** Undefined if the file was renamed or deleted meanwhile. */
async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
