import { readFile, stat, type FileHandle } from 'node:fs/promises';

/** Half a line would be taken for a record: what a full disk cuts off is taken back. */
export async function appendWhole(handle: FileHandle, text: string): Promise<void> {
  const { size } = await handle.stat();
  try {
    await handle.appendFile(text);
  } catch (error) {
    await handle.truncate(size);
    throw error;
  }
}

/** Nothing where there is no such file. */
export async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Null where there is no such file. */
export async function sizeIfThere(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
