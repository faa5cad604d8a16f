import { closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { openDatabase } from '../shared/database.js';
import { copyInto, partOf } from './backup.js';
import { codedError } from '../../pipeline/base/error-text.js';

/**
 * Whether a DuckDB file is encrypted: the first of the flags after checksum (8 bytes), `DUCK` and version (8
 * bytes) in its header. Null if there is no file.
 * @throws Error `store.damaged` if it is a folder
 */
export function isEncrypted(path: string): boolean | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return null;
  if (found.isDirectory())
    throw codedError(
      'store.damaged',
      `${path} is a folder, but the store must be a file: move the folder away, or set another \`path\``,
    );
  const start = Buffer.alloc(FLAG_AT + 1);
  const handle = openSync(path, 'r');
  try {
    const bytes = readSync(handle, start, 0, start.length, 0);
    return (
      bytes === start.length && start.toString('latin1', 8, 12) === 'DUCK' && (start[FLAG_AT]! & 1) === 1
    );
  } finally {
    closeSync(handle);
  }
}

const FLAG_AT = 20;

export interface ResealOptions {
  /** Its current key; null: it is not encrypted. */
  readonly from: string | null;
  /** The key of the rewritten store; null: unencrypted. */
  readonly to: string | null;
  readonly memoryLimitBytes: number;
  readonly walLimitBytes: number;
}

/**
 * Rewrites a store atomically, encrypted or unencrypted. Needs space for a second copy, and no other process
 * may have the store open.
 * @throws Error if it has another owner, or cannot be read
 */
export async function reseal(path: string, { from, to, ...limits }: ResealOptions): Promise<void> {
  const part = partOf(path);
  forgetPart(path);
  try {
    const database = await openDatabase(path, {
      ...limits,
      key: from,
      externalAccess: true,
      encrypts: to !== null,
    });
    try {
      await copyInto(database.instance, part, to);
    } finally {
      // This also merges the log into the file, so that nothing of it stays beside the new one.
      await database.close();
    }
    for (const log of [`${part}.wal`, `${path}.wal`])
      if (existsSync(log)) throw new Error(`${path} was not rewritten: ${log} still contains part of it`);
    renameSync(part, path);
  } finally {
    forgetPart(path);
  }
}

/** Removes the leftovers of a killed {@link reseal} or restore, which may be unencrypted. */
export function forgetPart(path: string): void {
  for (const file of [partOf(path), `${partOf(path)}.wal`]) rmSync(file, { force: true });
}
