import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Asked } from '../../pipeline/component/index.js';
import { InputError } from '../../pipeline/base/input-error.js';
import { secretOf } from '../../pipeline/state/index.js';
import { openDatabase, storeKey } from '../shared/database.js';
import { ReadPool } from './pool.js';

interface FileQuery {
  readonly from: string;
  readonly sql: string;
  readonly maxRows: number;
  readonly seconds: number;
  /** Content of the key file of an encrypted store. */
  readonly secret: string | undefined;
}

const MEMORY_BYTES = 512 * 2 ** 20;
const MAX_BYTES = 256 * 2 ** 20;

/**
 * Runs a SELECT on a store that no other process has open.
 * @throws InputError if the store does not exist; Error if another process owns it (`store.locked`); `query.refused`
 */
export async function queryFile({ from, sql, maxRows, seconds, secret }: FileQuery): Promise<Asked> {
  const path = resolve(from);
  if (!existsSync(path)) throw new InputError(`the store ${path} does not exist`);
  const database = await openDatabase(path, {
    memoryLimitBytes: MEMORY_BYTES,
    walLimitBytes: 16 * 2 ** 20,
    readOnly: true,
    key: secret === undefined ? null : storeKey(secretOf(secret)),
  });
  const pool = new ReadPool(database, 1);
  const late = AbortSignal.timeout(seconds * 1000);
  try {
    return await pool.read((snapshot) => snapshot.asked(sql, { maxRows, maxBytes: MAX_BYTES }), late);
  } catch (error) {
    if (!late.aborted) throw error;
    throw new Error(`no answer within ${seconds} s: read a shorter range, or set --timeout`, {
      cause: error,
    });
  } finally {
    await pool.close();
    await database.close();
  }
}
