import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

/** A new folder for temporary files. `removeTemporaryFolder` removes it, at the latest the end of this process does. */
export function newTemporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  if (folders.size === 0) process.on('exit', removeAll);
  folders.add(folder);
  return folder;
}

export function removeTemporaryFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.delete(folder);
  if (folders.size === 0) process.off('exit', removeAll);
}

/** Runs `work` with a new folder, which is removed afterwards. */
export async function withTemporaryFolder<T>(
  prefix: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = newTemporaryFolder(prefix);
  try {
    return await work(folder);
  } finally {
    removeTemporaryFolder(folder);
  }
}

function removeAll(): void {
  for (const folder of folders) removeTemporaryFolder(folder);
}
