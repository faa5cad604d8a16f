import { readFile, stat, type FileHandle } from 'node:fs/promises';
import { namingFile } from '../../pipeline/base/files.js';

/**
 * Appends lines to a file. A partial write on a full disk is undone, because half a line would be read as a
 * record. @throws Error that names the file
 */
export async function appendWhole(
  handle: FileHandle,
  path: string,
  text: string | Uint8Array,
): Promise<void> {
  const { size } = await handle.stat();
  try {
    await naming(path, () => handle.appendFile(text));
  } catch (error) {
    if ((await handle.stat()).size > size) await handle.truncate(size);
    throw error;
  }
}

/** System errors of an open file do not name the file. */
export async function naming<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw namingFile(error, path);
  }
}

/** Empty if the file does not exist. */
export async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw namingFile(error, path);
  }
}

/** Null if the file does not exist. */
export async function sizeIfThere(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
