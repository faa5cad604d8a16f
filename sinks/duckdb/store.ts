import { storeKey, type DatabaseOptions } from '../shared/database.js';
import { openWriter, type OpenWriter } from '../shared/writer.js';
import { FreedMemory } from './freed-memory.js';
import { ReadPool } from './pool.js';
import { Retention } from './retention.js';

export { storeKey };

/** An open store: the parts that write, read and thin out its file. */
export interface Store extends OpenWriter {
  readonly pool: ReadPool;
  readonly retention: Retention | null;
  readonly freedMemory: FreedMemory;
}

/** @throws Error if the file cannot be opened, or has another owner */
export async function openStore(
  path: string,
  options: DatabaseOptions & { readonly retentionDays: number | null },
): Promise<Store> {
  const open = await openWriter(path, options);
  return {
    ...open,
    pool: new ReadPool(open.database),
    retention: options.retentionDays === null ? null : new Retention(open.connection, options.retentionDays),
    freedMemory: new FreedMemory(open.connection, options.memoryLimitBytes),
  };
}
